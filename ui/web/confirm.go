package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// headerScript is set by the page's script: it takes a piece of the page, where
// a browser without it takes a whole one.
const headerScript = "X-Fragment"

// confirm takes a form: the answers to a record, and to those alike that the
// human ticked, or the dismissal of the one.
func (s *Server) confirm(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return unread(err)
	}
	rec, err := s.desk.Get(r.Context(), r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	reply, err := replyIn(&rec, r.PostForm, s.now())
	var waited bool
	if err == nil {
		waited, err = s.reply(r.Context(), rec.ID, reply)
	}
	if err != nil {
		return s.refuseForm(w, r, rec.ID, err)
	}
	ends := url.Values{endOf(waited): {rec.ID}}
	if !reply.Dismissed {
		s.answerAlike(r.Context(), &rec, reply, r.PostForm["also"], ends)
	}
	return s.showSent(w, r, ends)
}

// What became of the records that a form was about, as parameters of the page:
// sent to somebody who waited, kept for somebody who did not, or ended before.
const (
	endSent = "sent"
	endKept = "kept"
	endLate = "late"
)

func endOf(waited bool) string {
	if waited {
		return endSent
	}
	return endKept
}

func replyIn(rec *desk.Record, form url.Values, now time.Time) (question.Reply, error) {
	switch form.Get("action") {
	case "confirm":
		r, err := filledIn(&rec.Set, form)
		r.Took = took(form, now)
		return r, withTheRest(&rec.Set, r, err)
	case "dismiss":
		return question.Reply{Dismissed: true, Reason: plainBreaks(form.Get("reason")), Took: took(form, now)}, nil
	}
	return question.Reply{}, api.Problemf(api.InvalidRequest, "The form says neither to confirm nor to dismiss.")
}

// took is how long the human has had a form in front of them, 0 if it does not
// say since when.
func took(form url.Values, now time.Time) time.Duration {
	ms, err := strconv.ParseInt(form.Get("shown"), 10, 64)
	if err != nil {
		return 0
	}
	return max(now.Sub(time.UnixMilli(ms)), 0)
}

// withTheRest adds to what is wrong with a form what else is wrong with its
// answers, so that the human hears everything at once.
func withTheRest(set *question.Set, r question.Reply, err error) error {
	var found, rest question.Violations
	if !errors.As(err, &found) {
		return err
	}
	_, err = set.Check(r)
	errors.As(err, &rest)
	for _, v := range rest {
		if !slices.ContainsFunc(found, func(x question.Violation) bool { return x.Path == v.Path }) {
			found = append(found, v)
		}
	}
	return found
}

// answerAlike gives the same reply to other records with the same questions, and
// adds how each ended.
func (s *Server) answerAlike(ctx context.Context, like *desk.Record, reply question.Reply, ids []string, ends url.Values) {
	group := groupOf(&like.Set)
	for _, id := range ids[:min(len(ids), maxAlike)] {
		rec, err := s.desk.Get(ctx, id)
		if err != nil || id == like.ID || groupOf(&rec.Set) != group {
			s.log.WarnContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
			continue
		}
		var closed *desk.ClosedError
		switch waited, err := s.reply(ctx, id, reply); {
		case err == nil:
			ends.Add(endOf(waited), id)
		case errors.As(err, &closed):
			ends.Add(endLate, id)
		default: // it stays open and in sight
			s.log.ErrorContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
		}
	}
}

// showSent says what became of a form. Without a script it leads back to the
// page, so that a reload sends nothing again.
func (s *Server) showSent(w http.ResponseWriter, r *http.Request, ends url.Values) error {
	if r.Header.Get(headerScript) == "" {
		http.Redirect(w, r, "/?"+ends.Encode(), http.StatusSeeOther)
		return nil
	}
	return fragment(w, http.StatusOK, "notices", s.notices(r.Context(), ends))
}

// notices says how records ended.
func (s *Server) notices(ctx context.Context, ends url.Values) (out []notice) {
	for _, end := range []string{endSent, endKept, endLate} {
		for _, id := range ends[end] {
			if rec, err := s.desk.Get(ctx, id); err == nil && rec.Outcome != nil {
				out = append(out, noticeOf(&rec, end))
			}
		}
	}
	return out
}

func noticeOf(rec *desk.Record, end string) notice {
	who := words.Asker(rec.Asker)
	switch {
	case end == endLate:
		return notice{rec.ID, words.Sentence("The question of " + who + " was already " + words.Outcome(rec.Outcome)), true}
	case rec.State == desk.Dismissed:
		return notice{ID: rec.ID, Words: "Closed. " + next(who, "without an answer", "hears of it", end == endSent) + "."}
	case end == endKept:
		return notice{ID: rec.ID, Words: "Kept for " + who + ", which gets it when it comes back."}
	}
	return notice{ID: rec.ID, Words: "Sent to " + who + "."}
}

// refuseForm shows a form again with everything that was filled in, and says
// what must change; or who was first.
func (s *Server) refuseForm(w http.ResponseWriter, r *http.Request, id string, err error) error {
	rec, gone := s.desk.Get(r.Context(), id)
	if gone != nil {
		return err
	}
	c := newCard(&rec, r.PostForm, s.now(), s.csrf(r))
	status := http.StatusBadRequest
	var found question.Violations
	switch {
	case rec.Outcome != nil: // somebody else was first
	case errors.As(err, &found):
		c.showFaults(found)
	case problemOf(err) != nil:
		return err
	case errors.Is(err, desk.ErrUnsent):
		status = http.StatusServiceUnavailable
		c.Faults = []fault{{c.ID + "-form", words.Kept(err)}}
	default:
		s.log.ErrorContext(r.Context(), "web", "path", r.URL.Path, "id", id, "error", err)
		status = http.StatusInternalServerError
		c.Faults = []fault{{c.ID + "-form", "It could not be stored, and was not sent. Nothing is lost: try again."}}
	}
	if rec.Outcome == nil {
		open, err := s.desk.Pending(r.Context())
		if err != nil {
			s.log.WarnContext(r.Context(), "web: a card without those alike", "error", err)
		}
		s.addCircumstances(r.Context(), &c, groupsOf(open), r.PostForm["also"])
	}
	if r.Header.Get(headerScript) == "" {
		return s.writePage(w, r, status, &c, layout{From: id})
	}
	return fragment(w, status, "card", c)
}

// fragment writes one template, or nothing.
func fragment(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may be gone
	return nil
}

// keepDraft keeps what a human has filled in so far, for other surfaces and for
// after a crash. It restarts the clock of a timeout (D14).
func (s *Server) keepDraft(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return unread(err)
	}
	rec, err := s.desk.Get(r.Context(), r.PostForm.Get("id"))
	if err == nil && rec.Outcome == nil {
		typed, _ := filledIn(&rec.Set, r.PostForm) // what is not right yet is part of a draft
		err = api.Late(&rec.Set, s.keepTyped(r.Context(), rec.ID, typed))
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// liftLimit takes the round limit off the session of a record (D9).
func (s *Server) liftLimit(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.desk.Get(r.Context(), r.PostFormValue("id"))
	if err == nil {
		err = s.desk.Lift(r.Context(), rec.SessionID)
	}
	if err != nil {
		return err
	}
	if r.Header.Get(headerScript) == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	return fragment(w, http.StatusOK, "notices", []notice{{ID: rec.ID, Words: "The limit is lifted. " + words.Asker(rec.Asker) + " may go on asking."}})
}
