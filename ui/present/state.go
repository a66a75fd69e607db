package present

// state is a state of a presentation; the package comment describes each.
type state int

const (
	idle state = iota
	showing
	sending
	settling
	contested
	ended
)

// closed reports whether the record has ended.
func (s state) closed() bool { return s >= contested }

// event is what happens to a presentation.
type event int

const (
	show     event = iota // a call brings surfaces
	send                  // a surface begins to store the user's reply
	sent                  // the desk has stored that reply
	unsent                // the desk has not stored it
	returned              // all surfaces have returned, and the record stays open
	settle                // all surfaces have returned, and the record ends because of that
	stored                // the outcome is on the desk
	lost                  // the outcome will never be known
)

// effect is what the caller of next must do.
type effect int

const (
	refused  effect = iota // nothing: the event is not possible in this state, which stays
	none                   // nothing
	run                    // run the surfaces
	queue                  // keep the surfaces until those that run have returned
	announce               // announce the end
	withdraw               // announce the end unless that was done, and withdraw the surfaces
)

// next returns the state that follows on an event, and its effect.
func (s state) next(e event) (state, effect) {
	switch e {
	case show:
		switch s {
		case idle:
			return showing, run
		case showing, sending:
			return s, queue
		case settling:
			return s, none
		default:
		}
	case send:
		if s == showing {
			return sending, none
		}
	case sent:
		switch {
		case s == sending:
			return ended, announce
		case s == contested:
			return ended, none
		case !s.closed():
			return ended, withdraw
		}
	case unsent:
		switch s {
		case sending:
			return showing, none
		case contested:
			return ended, withdraw
		default:
		}
	case returned, settle:
		switch {
		case s == contested:
			return ended, none
		case s.closed():
			return s, none
		case s == idle || s == settling:
		case e == settle:
			return settling, none
		default:
			return idle, none
		}
	case stored, lost:
		switch {
		case s == sending:
			return contested, announce
		case !s.closed():
			return ended, withdraw
		}
	}
	return s, refused
}
