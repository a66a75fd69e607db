package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/api"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// formAndRecord reads a form and the record that it names.
func (s *Server) formAndRecord(r *http.Request) (desk.Record, error) {
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(maxUpload) //nolint:gosec // all in memory; guard limits the body to that
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return desk.Record{}, unreadBody(err)
	}
	return s.Desk.Get(r.Context(), r.PostForm.Get("id"))
}

// send takes a form: the answers to a record, and to the duplicates that the user
// ticked, or a dismissal or discussion.
func (s *Server) send(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err != nil {
		return err
	}
	reply, err := question.Reply{}, s.attachFiles(r, &rec)
	if err == nil {
		reply, err = s.replyIn(&rec, r.PostForm)
	}
	if err == nil {
		reply.Proof, err = s.proofIn(r, &rec, reply)
	}
	if err == nil && rec.Outcome == nil && desk.StatusOf(reply) == desk.Answered && s.Desk.RequiresProof(&rec) {
		switch {
		case !scripted(r): // nothing tells whether its end was in sight
			err = desk.ErrProofRequired
		case r.PostForm.Get("whole") == "":
			err = errUnread
		case r.PostForm.Get("asked") != rec.Statement(): // what is signed is what was shown
			err = errChanged
		case reply.Proof == nil && s.Desk.RequiresPasskey(&rec):
			return s.askProof(w, r, &rec, reply)
		}
	}
	ended := rec
	if err == nil {
		ended, err = s.commit(r.Context(), &rec, reply)
	}
	if err != nil {
		return s.showRefused(w, r, rec.ID, err)
	}
	results := []result{resultOf(&ended)}
	if desk.StatusOf(reply) == desk.Answered {
		results = append(results, s.answerDuplicates(r.Context(), &rec, reply, r.PostForm["also"])...)
	}
	ends := url.Values{}
	for _, x := range results {
		ends.Add(x.end, x.rec.ID)
	}
	http.Redirect(w, r, "/?"+ends.Encode(), http.StatusSeeOther) // a reload sends nothing again
	return nil
}

// commit replies to a record. A reply that
// failed, or was late, and nevertheless ended the record, is no error: the page repeats a
// reply whose response was lost, and a store may fail after it has stored one.
func (s *Server) commit(ctx context.Context, rec *desk.Record, reply question.Reply) (desk.Record, error) {
	ended, err := s.reply(ctx, rec.ID, reply)
	if err == nil {
		return ended, nil
	}
	now, fault := s.Desk.Get(ctx, rec.ID)
	if fault != nil || !isSameReply(&now, reply) {
		return ended, err
	}
	now.Attended = true
	return now, nil
}

// isSameReply reports whether a record was ended by this reply on the page.
func isSameReply(rec *desk.Record, reply question.Reply) bool {
	checked, err := rec.Check(reply)
	if err != nil || rec.Reply() == nil || rec.Outcome.Surface != surfaceName {
		return false
	}
	first := *rec.Reply()
	if first.Discuss { // programs' answers were added
		first.Answers = slices.DeleteFunc(slices.Clone(first.Answers), func(a question.Answer) bool { return checked.Answer(a.QuestionID) == nil })
	}
	stored, failed := json.Marshal(first)
	sent, _ := json.Marshal(checked)
	return failed == nil && bytes.Equal(stored, sent)
}

// The results of a reply to a record, as parameters of the page with the record's id.
const (
	endSent   = "sent"   // answered here, and its asker waited
	endKept   = "kept"   // answered here, and its asker did not wait
	endLate   = "late"   // ended before it was answered here
	endAny    = "ended"  // the script asks whether, and how, it has ended
	endLifted = "lifted" // its session may go on asking
)

// result is the result of a reply to a record.
type result struct {
	end string
	rec *desk.Record
}

// resultOf is the result of a reply to a record.
func resultOf(rec *desk.Record) result {
	if rec.Attended {
		return result{endSent, rec}
	}
	return result{endKept, rec}
}

// replyIn returns the reply in a form. The error is a question.Violations with
// all faults.
func (s *Server) replyIn(rec *desk.Record, form url.Values) (question.Reply, error) {
	set := answer.New(*rec, s.optionsOf(form))
	if err := fill(set, form).Err(); err != nil {
		return question.Reply{}, err
	}
	switch form.Get("action") {
	case "confirm":
		return set.Reply()
	case "discuss":
		return set.Discussion()
	case "dismiss":
		return set.Dismissal()
	}
	return question.Reply{}, api.Problemf(api.InvalidRequest, "The form says neither to confirm, to discuss nor to dismiss.")
}

// answerDuplicates gives a reply to other records with the same questions.
func (s *Server) answerDuplicates(ctx context.Context, like *desk.Record, reply question.Reply, ids []string) (out []result) {
	alike := like.Alike()
	for _, id := range ids[:min(len(ids), maxDuplicates)] {
		rec, err := s.Desk.Get(ctx, id)
		if err != nil || id == like.ID || alike == "" || rec.Alike() != alike {
			s.Log.WarnContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
			continue
		}
		var closed *desk.ClosedError
		switch rec, err = s.commit(ctx, &rec, s.Desk.CopyFiles(ctx, like.ID, id, reply)); {
		case err == nil:
			out = append(out, resultOf(&rec))
		case errors.As(err, &closed):
			out = append(out, result{endLate, &rec})
		default: // it stays open, in the list
			s.Log.ErrorContext(ctx, "web: not answered with another", "id", id, "like", like.ID, "error", err)
		}
	}
	return out
}

// results returns the results that parameters of the page ask for.
func (s *Server) results(ctx context.Context, ends url.Values) (out []result) {
	for _, end := range []string{endSent, endKept, endLate, endAny, endLifted} {
		for _, id := range ends[end] {
			rec, err := s.Desk.Get(ctx, id)
			if err == nil && (rec.Outcome != nil || end == endLifted) {
				out = append(out, result{end, &rec})
			}
		}
	}
	return out
}

// notices puts results in words.
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
		return notice{Words: l.T("The limit is lifted. %s may go on asking.", who)}
	case end == endAny && overruled != "":
		return notice{overruled, "late"}
	case end == endAny:
		return notice{Words: l.T("%[1]s: already %[2]s.", who, shown.Ended())}
	case end == endLate:
		return notice{l.Sentence(l.T("The question of %[1]s was already %[2]s", who, shown.Ended())), "late"}
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
	if rec.Asker.Mirrored() && rec.Outcome.Unsettled {
		sent = words.Mark("Recorded. %s shows the question in its own dialog too, and takes the answer that it gets first.")
		kept = sent
	}
	if end == endKept {
		sent = kept
	}
	return notice{Words: l.T(sent, who)}
}

// showRefused shows a form again, as it was filled in, with its faults; or the outcome of a
// record that has ended.
func (s *Server) showRefused(w http.ResponseWriter, r *http.Request, id string, err error) error {
	rec, gone := s.Desk.Get(r.Context(), id)
	if gone != nil {
		return err
	}
	var found question.Violations
	switch {
	case rec.Outcome != nil:
		return s.showForm(w, r, id, http.StatusBadRequest, func(*card) {})
	case errors.As(err, &found):
		return s.showForm(w, r, id, http.StatusBadRequest, func(c *card) { c.refuse(found) })
	case errors.Is(err, desk.ErrProofRequired), errors.Is(err, errUnproven), errors.Is(err, errUnread), errors.Is(err, errChanged):
		return s.showFault(w, r, id, http.StatusForbidden, err)
	case problemOf(err) != nil:
		return err
	}
	s.Log.ErrorContext(r.Context(), "web", "path", r.URL.Path, "id", id, "error", err)
	return s.showFault(w, r, id, http.StatusInternalServerError, errNotStored)
}

var errNotStored = errors.New(words.Mark("it could not be stored, and was not sent. Nothing is lost: try again."))

// showFault shows a form again, with what is wrong with all of it.
func (s *Server) showFault(w http.ResponseWriter, r *http.Request, id string, status int, err error) error {
	return s.showForm(w, r, id, status, func(c *card) {
		c.Faults = []fault{{Field: c.ID + "-form", Words: sentence(c.lang, err.Error())}}
	})
}

// showForm shows the page with the form of a request, as it was filled in.
func (s *Server) showForm(w http.ResponseWriter, r *http.Request, id string, status int, change func(*card)) error {
	x, err := s.layout(r, id, r.PostForm)
	if err != nil {
		return err
	}
	change(x.Card)
	x.Chosen = true
	return s.render(w, r, status, "page", &x)
}

// postRecall shows a form as it was filled in, with the earlier answer to a question, or with
// files that it brings.
func (s *Server) postRecall(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err != nil {
		return err
	}
	if err := s.attachFiles(r, &rec); err != nil {
		return s.showRefused(w, r, rec.ID, err)
	}
	return s.showForm(w, r, rec.ID, http.StatusOK, func(*card) {})
}

// postDraft saves what the user has filled in so far, for other surfaces and against a
// crash. It restarts the clock of a timeout. Of a record that has ended, the script gets the
// card, with what was not sent.
func (s *Server) postDraft(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err == nil && rec.Outcome != nil && scripted(r) {
		return s.showRefused(w, r, rec.ID, nil)
	}
	if err == nil && rec.Outcome == nil {
		set := answer.New(rec, s.optionsOf(r.PostForm))
		_ = fill(set, r.PostForm) // a draft may have faults
		err = api.Late(&rec.Set, s.saveDraft(r.Context(), rec.ID, set.Draft()))
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// postLift takes the round limit off the session of a record.
func (s *Server) postLift(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err == nil {
		err = s.Desk.Lift(r.Context(), rec.SessionID)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/?"+url.Values{endLifted: {rec.ID}, "id": {rec.ID}}.Encode(), http.StatusSeeOther)
	return nil
}

// postReopen asks an ended question again, with its answers filled in. One that is open already is
// shown.
func (s *Server) postReopen(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err != nil {
		return err
	}
	rec, err = s.Desk.Reopen(r.Context(), rec.ID)
	if errors.Is(err, desk.ErrNotAgain) {
		return api.Problemf(api.InvalidRequest, "%s", sentence(words.English, err.Error()))
	}
	if err != nil && !errors.Is(err, desk.ErrPending) {
		return err
	}
	http.Redirect(w, r, "/?id="+rec.ID, http.StatusSeeOther)
	return nil
}
