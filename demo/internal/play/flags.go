package play

import (
	"flag"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// badf returns the error of a wrong command line.
func badf(format string, values ...any) error { return flags.Badf(format, values...) }

// rateFlags are the flags of every command.
type rateFlags struct {
	hz, sendHz int
	seed       uint64
}

func (r *rateFlags) flags(fs *flag.FlagSet, sendText string) {
	fs.IntVar(&r.hz, "hz", 60, "fixed steps per second, equal at server and clients, `10 to 240`")
	fs.IntVar(&r.sendHz, "send-hz", 0, sendText)
	fs.Uint64Var(&r.seed, "seed", 1, "`number` that everything random comes from")
}

const snapshotsText = "`number` of snapshots per second to every client; 0: 20, or -hz if that is less"

// check checks the flags against the least rate of snapshots. If least is above zero, the command
// sends snapshots, and a rate of zero becomes the default.
func (r *rateFlags) check(least int) error {
	if r.hz < 10 || r.hz > 240 {
		return badf("-hz %d: the fixed rate of a networked game is 10 to 240 steps per second", r.hz)
	}
	if r.sendHz == 0 && least > 0 {
		r.sendHz = rules.SendRate(r.hz)
	}
	if r.sendHz < least || r.sendHz > r.hz {
		return badf("-send-hz %d: snapshots per second are %d to the fixed rate of %d", r.sendHz, least, r.hz)
	}
	return nil
}

// clientInputFlags are the flags for a client's rate of inputs, for the delay of other players, and
// for a capture.
type clientInputFlags struct {
	actionHz int
	delay    time.Duration
	capture  captureFlag // not of bots
}

func (f *clientInputFlags) flags(fs *flag.FlagSet) {
	fs.IntVar(&f.actionHz, "action-hz", 0, "`number` of input packets per second, each with all new inputs; 0: one per step")
	fs.DurationVar(&f.delay, "delay", 0, "`time` by which other players are shown behind the newest snapshots; 0: measured")
}

func (f *clientInputFlags) check(hz int) error {
	switch {
	case f.actionHz < 0 || f.actionHz > hz || f.actionHz > 0 && 16*f.actionHz < hz:
		return badf("-action-hz %d: it takes %d to the fixed rate of %d input packets per second, or 0 for one per step", f.actionHz, (hz+15)/16, hz)
	case f.delay < 0 || f.delay > 2*time.Second:
		return badf("-delay %v: it takes 0s to 2s", f.delay)
	}
	return nil
}

// bounds returns the bounds of the delay: fixed, if the flag is set.
func (f *clientInputFlags) bounds() netcode.Bounds[time.Duration] {
	return netcode.Bounds[time.Duration]{Min: f.delay, Max: f.delay}
}
