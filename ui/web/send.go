package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// send takes a form: the answers to a record, and to the duplicates that the user
// ticked, or a dismissal or discussion.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f *form) error {
	reply, err := f.reply()
	answered := err == nil && f.rec.Outcome == nil && desk.StatusOf(reply) == desk.Answered
	if answered && s.Desk.RequiresProof(&f.rec) {
		err = checkShown(r, f)
		if err == nil && f.values.Get("proof") == "" && s.Desk.RequiresPasskey(&f.rec) {
			return s.askProof(w, r, f, reply)
		}
	}
	if err == nil {
		reply.Proof, err = s.proofIn(f, reply)
	}
	ended := f.rec
	if err == nil {
		ended, err = s.commit(r.Context(), f.rec, reply)
	}
	if err != nil {
		return s.showRefused(w, r, f, err)
	}
	ends := url.Values{endOf(&ended): {ended.ID}}
	if desk.StatusOf(reply) == desk.Answered {
		s.answerDuplicates(r.Context(), f, reply, ends)
	}
	return redirect(w, r, ends)
}

// reply returns the reply in a form. The error is a question.Violations with all faults.
func (f *form) reply() (question.Reply, error) {
	if len(f.found) > 0 {
		return question.Reply{}, f.found
	}
	switch f.values.Get("action") {
	case "confirm":
		return f.set.Reply()
	case "discuss":
		return f.set.Discussion()
	case "dismiss":
		return f.set.Dismissal()
	}
	return question.Reply{}, api.Problemf(api.InvalidRequest,
		"The form says neither to confirm, to discuss nor to dismiss.")
}

// commit replies to a record, and returns it as it is after that, Attended if its asker waited. A
// reply that failed, or was late, and nevertheless ended the record, is no error: the page repeats a
// reply whose response was lost, and a store may fail after it has stored one.
func (s *Server) commit(ctx context.Context, before desk.Record, reply question.Reply) (desk.Record, error) {
	ended, err := s.reply(ctx, before.ID, reply)
	if err != nil {
		now, fault := s.Desk.Get(ctx, before.ID)
		ours := fault == nil && now.Reply() != nil && now.Outcome.Surface == surfaceName
		if !ours || !repeats(&now, &reply) {
			return ended, err
		}
		ended = now
	}
	ended.Attended = before.Attended || before.Outcome != nil
	return ended, nil
}

// repeats reports whether a reply says all that the reply to a record says, its notes included: a
// browser without the script goes back to a form that was sent, and may send more.
func repeats(rec *desk.Record, reply *question.Reply) bool {
	first := rec.Reply()
	same := func(a, b question.Response) bool { return a.State == b.State && a.Note == b.Note }
	return rec.SameReply(first, reply) && first.Discuss == reply.Discuss &&
		first.Note == reply.Note && first.Reason == reply.Reason &&
		slices.EqualFunc(rec.Set.Responses(first), rec.Set.Responses(reply), same)
}

// answerDuplicates gives a reply to the records with the same questions that a form names, and
// adds how they ended.
func (s *Server) answerDuplicates(ctx context.Context, f *form, reply question.Reply, ends url.Values) {
	alike, ids := f.rec.Alike(), f.values["also"]
	for _, id := range ids[:min(len(ids), maxDuplicates)] {
		rec, err := s.Desk.Get(ctx, id)
		if err == nil && id != f.rec.ID && alike != "" && rec.Alike() == alike {
			rec, err = s.commit(ctx, rec, s.Desk.CopyFiles(ctx, f.rec.ID, id, reply))
			end := endOf(&rec)
			_, late := errors.AsType[*desk.ClosedError](err)
			if late {
				end, err = endAny, nil
			}
			if err == nil {
				ends.Add(end, id)
				continue
			}
		}
		s.Log.WarnContext(ctx, "web: not answered with another", "id", id, "like", f.rec.ID, "error", err)
	}
}

// What the page tells of records, as parameters of its address with their ids.
const (
	endSent = "sent"  // answered here, and its asker waited
	endKept = "kept"  // answered here, and its asker did not wait
	endAny  = "ended" // ended before it was answered here, or the script asks whether it has
)

// endOf is what became of a record that was answered here.
func endOf(rec *desk.Record) string {
	if rec.Attended {
		return endSent
	}
	return endKept
}

// showRefused shows a form again, as it was filled in, with its faults; or the outcome of a
// record that has ended.
func (s *Server) showRefused(w http.ResponseWriter, r *http.Request, f *form, err error) error {
	rec, gone := s.Desk.Get(r.Context(), f.rec.ID)
	if gone != nil {
		return err
	}
	f.rec = rec
	if rec.Outcome == nil { // the user may go on to another question now
		kept := s.Desk.SaveDraft(r.Context(), rec.ID, f.set.Draft())
		if kept != nil {
			s.Log.WarnContext(r.Context(), "web: what was refused is not kept", "id", rec.ID, "error", kept)
		}
	}
	l := s.languageOf(r)
	whole := func(why error) fault { return fault{Field: rec.ID + "-form", Words: sentence(l, l.T(why.Error()))} }
	found, faulty := errors.AsType[question.Violations](err)
	switch {
	case rec.Outcome != nil:
		return s.showCard(w, r, http.StatusBadRequest, f)
	case faulty:
		return s.showCard(w, r, http.StatusBadRequest, f, f.faults(l, found)...)
	case errors.Is(err, desk.ErrProofRequired), errors.Is(err, errUnproven), errors.Is(err, errUnread),
		errors.Is(err, errChanged), errors.Is(err, errNoPasskey), errors.Is(err, errUnscripted):
		return s.showCard(w, r, http.StatusForbidden, f, whole(err))
	case problemOf(err) != nil:
		return err
	}
	s.Log.ErrorContext(r.Context(), "web", "path", r.URL.Path, "id", rec.ID, "error", err)
	return s.showCard(w, r, http.StatusInternalServerError, f, whole(errNotStored))
}

var errNotStored = errors.New(words.Mark("it could not be stored, and was not sent. Nothing is lost: try again."))

// refill shows a form as it was filled in, with the earlier answer to a question, or with
// files that it brings.
func (s *Server) refill(w http.ResponseWriter, r *http.Request, f *form) error {
	status := http.StatusOK
	if len(f.found) > 0 {
		status = http.StatusBadRequest
	}
	return s.showCard(w, r, status, f, f.faults(s.languageOf(r), f.found)...)
}

// keepDraft keeps what the user has filled in so far, for other surfaces and against a
// crash; a draft may have faults. It restarts the clock of a timeout.
func (s *Server) keepDraft(w http.ResponseWriter, r *http.Request, f *form) error {
	if f.rec.Outcome == nil {
		err := s.Desk.SaveDraft(r.Context(), f.rec.ID, f.set.Draft())
		if err != nil {
			return api.Late(&f.rec.Set, err)
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// lift takes the round limit off the session of a record.
func (s *Server) lift(w http.ResponseWriter, r *http.Request, f *form) error {
	err := s.Desk.Lift(r.Context(), f.rec.SessionID)
	if err != nil {
		return err
	}
	return redirect(w, r, url.Values{"id": {f.rec.ID}})
}

// reopen asks an ended question again, with its answers filled in. One that is open already is
// shown.
func (s *Server) reopen(w http.ResponseWriter, r *http.Request, f *form) error {
	rec, err := s.Desk.Reopen(r.Context(), f.rec.ID)
	if errors.Is(err, desk.ErrNotAgain) {
		return api.Problemf(api.InvalidRequest, "%s", sentence(words.English, err.Error()))
	}
	if err != nil && !errors.Is(err, desk.ErrPending) {
		return err
	}
	return redirect(w, r, url.Values{"id": {rec.ID}})
}
