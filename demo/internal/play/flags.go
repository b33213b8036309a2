package play

import (
	"flag"

	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
)

// badf returns the error for a command line that is wrong.
func badf(format string, values ...any) error { return flags.Badf(format, values...) }

// rates are flags that every command takes.
type rates struct {
	hz, sendHz int
	seed       uint64
}

func (r *rates) flags(fs *flag.FlagSet, sendText string) {
	fs.IntVar(&r.hz, "hz", 60, "fixed steps per second; the same at server and clients, `10 to 240`")
	fs.IntVar(&r.sendHz, "send-hz", 0, sendText)
	fs.Uint64Var(&r.seed, "seed", 1, "`number` that everything random comes from")
}

const snapshotsText = "`number` of snapshots per second to every client; 0: 20, or as many as there are steps"

// check takes the least rate of snapshots. If it is above zero, the command sends snapshots, and a
// rate of zero becomes the default.
func (r *rates) check(least int) error {
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
