package prediction

// Rules configure how a missing input is made up, and how two inputs are merged. Client and server
// must use the same rules. The zero value repeats inputs as they are, uses the zero input as
// neutral, and loses the presses of inputs that arrive too late.
type Rules[I comparable] struct {
	// Neutral is the input of a player that touches nothing.
	Neutral I
	// Repeat returns the substitute for a missing input, given the last one that was there. It must
	// leave out actions that must not happen twice: a press that the step function takes as an
	// event. Nil means the last input as it is.
	Repeat func(last I) I
	// Merge returns the input with the presses of another added to it, whose own tick has passed
	// without it. Merge must ignore the movement and aim of the other: their time is over. Nil
	// means that nothing is added.
	Merge func(into, presses I) I
}

func (r *Rules[I]) repeat(last I) I {
	if r.Repeat == nil {
		return last
	}
	return r.Repeat(last)
}

// presses collects presses until the next input that runs can include them.
type presses[I comparable] struct {
	input I
	some  bool
}

// add stores the presses of an input that will not run itself.
func (p *presses[I]) add(in I, r *Rules[I]) bool {
	if r.Merge == nil {
		return false
	}
	if !p.some {
		p.input, p.some = r.Neutral, true
	}
	p.input = r.Merge(p.input, in)
	return true
}

// take returns the input with the stored presses, and removes them.
func (p *presses[I]) take(in I, r *Rules[I]) I {
	if !p.some {
		return in
	}
	p.some = false
	return r.Merge(in, p.input)
}
