package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/dialogue"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// formOf reads a form and the record that it is about.
func (s *Server) formOf(r *http.Request) (desk.Record, error) {
	if err := r.ParseForm(); err != nil {
		return desk.Record{}, unread(err)
	}
	return s.Desk.Get(r.Context(), r.PostForm.Get("id"))
}

// send takes a form: the answers to a record, and to those alike that the human
// ticked; or that they want to discuss it first, or dismiss it.
func (s *Server) send(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formOf(r)
	if err != nil {
		return err
	}
	reply, err := s.replyIn(&rec, r.PostForm)
	ended := rec
	if err == nil {
		ended, err = s.reply(r.Context(), rec.ID, reply)
		if err != nil && !errors.Is(err, desk.ErrUnsent) {
			if now, arrived := s.arrived(r.Context(), &rec, reply); arrived {
				now.Attended = true
				ended, err = now, nil
			}
		}
	}
	if err != nil && !errors.Is(err, desk.ErrUnsent) {
		return s.refuseForm(w, r, rec.ID, err)
	}
	results := []result{resultOf(&ended)}
	if desk.StatusOf(reply) == desk.Answered {
		results = append(results, s.answerAlike(r.Context(), &rec, reply, r.PostForm["also"])...)
	}
	if !scripted(r) { // a reload sends nothing again
		ends := url.Values{}
		for _, x := range results {
			ends.Add(x.end, x.rec.ID)
		}
		http.Redirect(w, r, "/?"+ends.Encode(), http.StatusSeeOther)
		return nil
	}
	return s.render(w, r, http.StatusOK, "notices", s.notices(r, results))
}

// arrived reports whether a reply that failed, or came too late, is the one that
// ended the record, and returns that: the page sends again what it has heard nothing
// of, and a store may fail after it has stored.
func (s *Server) arrived(ctx context.Context, rec *desk.Record, reply question.Reply) (desk.Record, bool) {
	now, fault := s.Desk.Get(ctx, rec.ID)
	checked, wrong := rec.Check(reply)
	if fault != nil || wrong != nil || now.Reply() == nil || now.Outcome.Surface != surfaceName {
		return now, false
	}
	there := *now.Reply()
	if there.Discuss { // others' answers have gone along
		there.Answers = slices.DeleteFunc(slices.Clone(there.Answers), func(a question.Answer) bool { return checked.Answer(a.QuestionID) == nil })
	}
	first, failed := json.Marshal(there)
	again, _ := json.Marshal(checked)
	return now, failed == nil && bytes.Equal(first, again)
}

// What became of a record, as parameters of the page, each with its id.
const (
	endSent   = "sent"   // answered here, and its asker waited
	endKept   = "kept"   // answered here, and its asker did not wait
	endUnsent = "unsent" // answered here, and not sent yet
	endLate   = "late"   // ended before it was answered here
	endAny    = "ended"  // the script asks whether, and how, it has ended
	endLifted = "lifted" // its session may go on asking
)

// result is what became of a record that a form was about.
type result struct {
	end string
	rec *desk.Record
}

// resultOf is that of a record after a reply.
func resultOf(rec *desk.Record) result {
	switch {
	case rec.Outcome == nil:
		return result{endUnsent, rec}
	case rec.Attended:
		return result{endSent, rec}
	}
	return result{endKept, rec}
}

// replyIn reads what a form says. The error is a question.Violations with
// everything that is wrong with it, so that the human hears it at once.
func (s *Server) replyIn(rec *desk.Record, form url.Values) (question.Reply, error) {
	d := dialogue.New(*rec, s.optionsOf(form))
	found := fill(d, form)
	var err error
	switch form.Get("action") {
	case "confirm":
	case "discuss":
		_, err = d.Act(dialogue.Discuss{Topic: d.Reason()})
	case "dismiss":
		_, err = d.Act(dialogue.Dismiss{Reason: d.Reason()})
		found = nil
	default:
		err = api.Problemf(api.InvalidRequest, "The form says neither to confirm, to discuss nor to dismiss.")
	}
	if err != nil {
		return question.Reply{}, err
	}
	r, err := d.Reply()
	rest, ok := errors.AsType[question.Violations](err)
	if err != nil && !ok {
		return r, err
	}
	rest = slices.DeleteFunc(rest, func(v question.Violation) bool {
		return slices.ContainsFunc(found, func(x question.Violation) bool { return x.Path == v.Path })
	})
	return r, append(found, rest...).Err()
}

// answerAlike gives the same reply to other records with the same questions.
func (s *Server) answerAlike(ctx context.Context, like *desk.Record, reply question.Reply, ids []string) (out []result) {
	group := groupOf(&like.Set)
	for _, id := range ids[:min(len(ids), maxAlike)] {
		rec, err := s.Desk.Get(ctx, id)
		if err != nil || id == like.ID || groupOf(&rec.Set) != group {
			s.Log.WarnContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
			continue
		}
		var closed *desk.ClosedError
		switch rec, err = s.reply(ctx, id, reply); {
		case err == nil, errors.Is(err, desk.ErrUnsent):
			out = append(out, resultOf(&rec))
		case errors.As(err, &closed):
			out = append(out, result{endLate, &rec})
		default: // it stays open and in sight
			s.Log.ErrorContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
		}
	}
	return out
}

// told are the results that parameters of the page tell.
func (s *Server) told(ctx context.Context, ends url.Values) (out []result) {
	for _, end := range []string{endSent, endKept, endUnsent, endLate, endAny, endLifted} {
		for _, id := range ends[end] {
			rec, err := s.Desk.Get(ctx, id)
			if err == nil && (rec.Outcome != nil || rec.Unsent && end == endUnsent || end == endLifted) {
				out = append(out, result{end, &rec})
			}
		}
	}
	return out
}

// notices says how records ended.
func (s *Server) notices(r *http.Request, results []result) (out []notice) {
	for _, x := range results {
		out = append(out, noticeOf(s.languageOf(r), x.rec, x.end))
	}
	return out
}

func noticeOf(l words.Language, rec *desk.Record, end string) notice {
	shown := recordview.Of(*rec, l)
	who := shown.AskedBy()
	switch overruled := shown.Overruled(); {
	case end == endLifted:
		return notice{ID: rec.ID, Words: l.T("The limit is lifted. %s may go on asking.", who)}
	case rec.Outcome == nil:
		return notice{rec.ID, l.Kept(desk.ErrUnsent), "late unsent"}
	case end == endAny && overruled != "":
		return notice{rec.ID, overruled, "late"}
	case end == endAny:
		return notice{ID: rec.ID, Words: l.T("%[1]s: already %[2]s.", who, shown.Ended())}
	case end == endLate:
		return notice{rec.ID, l.Sentence(l.T("The question of %[1]s was already %[2]s", who, shown.Ended())), "late"}
	}
	var sent, kept string
	switch rec.State {
	case desk.Dismissed:
		sent, kept = words.Mark("Dismissed. %s goes on without an answer."), words.Mark("Dismissed. %s hears of it when it comes back.")
	case desk.Discuss:
		sent, kept = words.Mark("To be discussed. %s goes on with that."), words.Mark("To be discussed. %s hears of it when it comes back.")
	default:
		sent, kept = words.Mark("Sent to %s."), words.Mark("Kept for %s, which gets it when it comes back.")
	}
	if end == endKept {
		sent = kept
	}
	return notice{ID: rec.ID, Words: l.T(sent, who)}
}

// refuseForm shows a form again with everything that was filled in, and says
// what must change; or who was first.
func (s *Server) refuseForm(w http.ResponseWriter, r *http.Request, id string, err error) error {
	rec, gone := s.Desk.Get(r.Context(), id)
	if gone != nil {
		return err
	}
	l, status := s.languageOf(r), http.StatusBadRequest
	var found question.Violations
	var why string
	switch {
	case rec.Outcome != nil: // somebody else was first
	case errors.As(err, &found):
	case errors.Is(err, errCSRF):
		status, why = http.StatusForbidden, l.T("This form is from an earlier visit. What you filled in is here: look at it and send it again.")
	case problemOf(err) != nil:
		return err
	default:
		s.Log.ErrorContext(r.Context(), "web", "path", r.URL.Path, "id", id, "error", err)
		status, why = http.StatusInternalServerError, l.T("It could not be stored, and was not sent. Nothing is lost: try again.")
	}
	c := s.filledCard(r, &rec, r.PostForm, found)
	if why != "" && rec.Outcome == nil {
		c.Faults = []fault{{Field: c.ID + "-form", Words: why}}
	}
	x, err := s.layout(r, &c)
	if err != nil {
		return err
	}
	x.Chosen = true
	return s.render(w, r, status, "page", x)
}

// refuseOldForm refuses a request without the form token of its visit. A form of
// the page itself comes back as it was, with a token that is good: whoever sees
// it can send it.
func (s *Server) refuseOldForm(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/answer" || r.PostFormValue("id") == "" || s.refuseForm(w, r, r.PostForm.Get("id"), errCSRF) != nil {
		s.refuse(w, r, errCSRF)
	}
}

// keepDraft keeps what a human has filled in so far, for other surfaces and for
// after a crash. It restarts the clock of a timeout.
func (s *Server) keepDraft(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formOf(r)
	if err == nil && rec.Outcome == nil {
		d := dialogue.New(rec, s.optionsOf(r.PostForm))
		fill(d, r.PostForm) // what is not right yet is part of a draft
		var draft int64
		draft, err = s.keepTyped(r.Context(), rec.ID, d.Draft())
		err = api.Late(&rec.Set, err)
		w.Header().Set("X-Draft", strconv.FormatInt(draft, 10))
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// liftLimit takes the round limit off the session of a record.
func (s *Server) liftLimit(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formOf(r)
	if err == nil {
		err = s.Desk.Lift(r.Context(), rec.SessionID)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/?"+url.Values{endLifted: {rec.ID}}.Encode(), http.StatusSeeOther)
	return nil
}

// again is what the button needs that asks a question once more.
type again struct {
	recordview.Record
	CSRF string
}

// reopenForm puts an ended question before the human once more, with what they
// had answered filled in.
func (s *Server) reopenForm(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formOf(r)
	if err == nil {
		rec, err = s.reopen(r.Context(), rec.ID)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/?id="+rec.ID, http.StatusSeeOther)
	return nil
}

// reopen opens a question again. One that is open already will do.
func (s *Server) reopen(ctx context.Context, id string) (desk.Record, error) {
	rec, err := s.Desk.Reopen(ctx, id)
	switch {
	case errors.Is(err, desk.ErrPending):
		return s.Desk.Get(ctx, rec.ID)
	case errors.Is(err, desk.ErrNotAgain):
		return rec, api.Problemf(api.InvalidRequest, "%s", sentence(err.Error()))
	}
	return rec, err
}
