package play

import (
	"flag"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// serverInput are the flags of how a server runs inputs.
type serverInput struct {
	arrival bool
	bank    time.Duration
}

func (f *serverInput) flags(fs *flag.FlagSet) {
	fs.BoolVar(&f.arrival, "on-arrival", false, "inputs run as they come, each player on a clock of its own, instead of one per step; what players push is not predicted then")
	fs.DurationVar(&f.bank, "bank", 0, "`time` of silence that a player makes up for with -on-arrival, up to 2s; 0: 100ms. Over WebSocket 1s is right")
}

func (f *serverInput) check() error {
	switch {
	case f.bank < 0 || f.bank > 2*time.Second:
		return badf("-bank %v: players make up for 0s to 2s of silence", f.bank)
	case f.bank > 0 && !f.arrival:
		return badf("-bank: it is for inputs that run as they come; add -on-arrival")
	}
	return nil
}

// mode returns how the server runs inputs.
func (f *serverInput) mode() netcode.InputMode {
	if f.arrival {
		return netcode.OnArrival
	}
	return netcode.OnTicks
}

// playerInput are the flags of how often a client sends inputs, and how far in the past it shows
// other players.
type playerInput struct {
	actionHz int
	delay    time.Duration
}

func (f *playerInput) flags(fs *flag.FlagSet) {
	fs.IntVar(&f.actionHz, "action-hz", 0, "`number` of packets of inputs per second, each with all that are new; 0: one in every step")
	fs.DurationVar(&f.delay, "delay", 0, "`time` by which others are shown behind the newest snapshots; 0: what the line asks for, measured")
}

func (f *playerInput) check(hz int) error {
	switch {
	case f.actionHz < 0 || f.actionHz > hz || f.actionHz > 0 && 16*f.actionHz < hz:
		return badf("-action-hz %d: packets of inputs per second are %d to the fixed rate of %d, or 0 for one in every step", f.actionHz, (hz+15)/16, hz)
	case f.delay < 0 || f.delay > 2*time.Second:
		return badf("-delay %v: others are shown 0s to 2s behind", f.delay)
	}
	return nil
}

// bounds fixes the delay if there is a wish.
func (f *playerInput) bounds() netcode.Bounds[time.Duration] {
	return netcode.Bounds[time.Duration]{Min: f.delay, Max: f.delay}
}
