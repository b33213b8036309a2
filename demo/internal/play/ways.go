package play

import (
	"flag"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// serverWays are flags of whoever serves: how inputs run.
type serverWays struct {
	arrival bool
	bank    time.Duration
}

func (w *serverWays) flags(fs *flag.FlagSet) {
	fs.BoolVar(&w.arrival, "on-arrival", false, "inputs run as they come, each player on a clock of his own, instead of one per step; what players push is not predicted then")
	fs.DurationVar(&w.bank, "bank", 0, "`time` of silence that a player makes up for with -on-arrival, up to 2s; 0: 100ms. Over WebSocket 1s is right")
}

func (w *serverWays) check() error {
	switch {
	case w.bank < 0 || w.bank > 2*time.Second:
		return badf("-bank %v: players make up for 0s to 2s of silence", w.bank)
	case w.bank > 0 && !w.arrival:
		return badf("-bank: it is for inputs that run as they come; add -on-arrival")
	}
	return nil
}

// playerWays are flags of whoever plays: how often inputs are sent, and how far in the past others are shown.
type playerWays struct {
	actionHz int
	delay    time.Duration
}

func (w *playerWays) flags(fs *flag.FlagSet) {
	fs.IntVar(&w.actionHz, "action-hz", 0, "`number` of packets of inputs per second, each with all that are new; 0: one in every step")
	fs.DurationVar(&w.delay, "delay", 0, "`time` by which others are shown behind the newest snapshots; 0: what the line asks for, measured")
}

func (w *playerWays) check(hz int) error {
	switch {
	case w.actionHz < 0 || w.actionHz > hz || w.actionHz > 0 && 16*w.actionHz < hz:
		return badf("-action-hz %d: packets of inputs per second are %d to the fixed rate of %d, or 0 for one in every step", w.actionHz, (hz+15)/16, hz)
	case w.delay < 0 || w.delay > 2*time.Second:
		return badf("-delay %v: others are shown 0s to 2s behind", w.delay)
	}
	return nil
}

// bounds fixes the delay if there is a wish.
func (w *playerWays) bounds() netcode.Bounds[time.Duration] {
	return netcode.Bounds[time.Duration]{Min: w.delay, Max: w.delay}
}
