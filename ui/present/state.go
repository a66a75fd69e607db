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
	over                  // the outcome is on the desk, or will never be known
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
	type step struct {
		to state
		do effect
	}
	no := step{}
	to := [][]step{
		// in idle        showing             sending                settling            contested          ended
		show:     {{showing, run}, {showing, queue}, {sending, queue}, {settling, none}, no, no},
		send:     {no, {sending, none}, no, no, no, no},
		sent:     {{ended, withdraw}, {ended, withdraw}, {ended, announce}, {ended, withdraw}, {ended, none}, no},
		unsent:   {no, no, {showing, none}, no, {ended, withdraw}, no},
		returned: {no, {idle, none}, {idle, none}, no, {ended, none}, {ended, none}},
		settle:   {no, {settling, none}, {settling, none}, no, {ended, none}, {ended, none}},
		over:     {{ended, withdraw}, {ended, withdraw}, {contested, announce}, {ended, withdraw}, no, no},
	}[e][s]
	if to == no {
		return s, refused
	}
	return to.to, to.do
}
