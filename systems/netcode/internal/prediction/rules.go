package prediction

// Rules say how inputs are made up when there are none, and put together when two meet. Client and
// server must use the same ones. The zero value repeats inputs as they are, takes the zero input
// for neutral, and loses the presses of inputs that come too late.
type Rules[I comparable] struct {
	// Neutral is the input of a player who touches nothing.
	Neutral I
	// Repeat returns what stands in for a missing input, given the last one that was there. Leave
	// out of it what must not happen twice: a press that the step function takes as an event. Nil
	// means the last one as it is.
	Repeat func(last I) I
	// Merge returns the input with the presses of another added to it, whose own tick has passed
	// without it. Movement and aim of the other are to be ignored: their time is over. Nil means
	// that nothing is added.
	Merge func(into, presses I) I
}

func (r *Rules[I]) repeat(last I) I {
	if r.Repeat == nil {
		return last
	}
	return r.Repeat(last)
}

// presses collects presses until the next input that runs can take them.
type presses[I comparable] struct {
	input I
	some  bool
}

// add remembers the presses of an input that will not run itself.
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

// take returns the input with what was remembered, and forgets it.
func (p *presses[I]) take(in I, r *Rules[I]) I {
	if !p.some {
		return in
	}
	p.some = false
	return r.Merge(in, p.input)
}
