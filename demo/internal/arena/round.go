package arena

import "github.com/tandem-ecs/tandem/systems/netcode"

// Phase is a part of a round.
type Phase uint8

// Phases of a round. Endless is the phase of a match without rounds.
const (
	Endless Phase = iota
	WarmUp
	Running
	Over
)

// Round is the value of the match state of the round.
type Round struct {
	Phase Phase
	Ends  netcode.Tick // the first tick of the next phase, except in Endless
}

// Fights reports whether players can shoot.
func (r Round) Fights() bool { return r.Phase == Endless || r.Phase == Running }

// RoundAt returns the round in a tick. Before [Rules.NewProtocol] it is endless.
func (r *Rules) RoundAt(t netcode.Tick) Round {
	if r.Round == nil {
		return Round{}
	}
	return r.Round.At(t)
}
