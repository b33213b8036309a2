package play

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/demo/internal/flagerror"
	"github.com/tandem-ecs/tandem/systems/netcode/remote"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// BadUsage is the error for a command line that is wrong.
type BadUsage struct{ Err error }

func (e *BadUsage) Error() string { return e.Err.Error() }
func (e *BadUsage) Unwrap() error { return e.Err }

func badf(format string, values ...any) error { return &BadUsage{fmt.Errorf(format, values...)} }

// rates are flags that every command takes.
type rates struct {
	hz, sendHz int
	seed       uint64
}

func (r *rates) flags(fs *flag.FlagSet, sendText string) {
	fs.IntVar(&r.hz, "hz", 60, "fixed steps per second; the same at server and clients, `10 to 240`")
	fs.IntVar(&r.sendHz, "send-hz", 0, sendText)
	fs.Uint64Var(&r.seed, "seed", 1, "of everything random")
}

const snapshotsText = "`number` of snapshots per second to every client; 0: 20, or as many as there are steps"

// check is told the least rate of snapshots; whoever sends them has one, and usually 20, or as many as there are steps.
func (r *rates) check(least int) error {
	if r.hz < 10 || r.hz > 240 {
		return badf("-hz %d: the fixed rate of a networked game is 10 to 240 steps per second", r.hz)
	}
	if r.sendHz == 0 && least > 0 {
		r.sendHz = referee.SendRate(r.hz)
	}
	if r.sendHz < least || r.sendHz > r.hz {
		return badf("-send-hz %d: snapshots per second are %d to the fixed rate of %d", r.sendHz, least, r.hz)
	}
	return nil
}

// serving are the flags of whoever serves.
type serving struct {
	listen, metrics, state, public string
	webSocket                      webSocket
	ways                           serverWays
	guests                         string
	console                        bool
	maxPlayers, crates             int
	joins, perAddress              int
	drain                          time.Duration
	verbose                        bool
}

func (s *serving) flags(fs *flag.FlagSet, listen string) {
	fs.StringVar(&s.listen, "listen", listen, "`address` for encrypted UDP; '' for none")
	s.webSocket.flags(fs)
	s.ways.flags(fs)
	fs.StringVar(&s.public, "public", "", "`host` to write into join links, where it is not the one that is listened on")
	fs.StringVar(&s.metrics, "metrics", "", "`address` for /healthz and /debug/vars (HTTP)")
	fs.StringVar(&s.state, "state", "", "`folder` that keeps certificate and token, so that links survive a restart")
	fs.StringVar(&s.guests, "guests", "", "`file` that keeps bans and invitations; empty: guests.json in the folder of -state, if there is one")
	fs.IntVar(&s.joins, "joins", 10, "handshakes per second from one network (a /24, or a /56 of IPv6), `1 to 1000`; raise it for many players behind one address")
	fs.IntVar(&s.maxPlayers, "max-players", 64, "how many may play; `1 to 512`")
	fs.IntVar(&s.perAddress, "per-address", 0, "how many may play from one address (or a /56 of IPv6), this machine and private networks aside; 0: a quarter of -max-players, at least 4; -1: any `number`")
	fs.IntVar(&s.crates, "crates", 24, "crates in the arena, `0 to 900`")
	fs.DurationVar(&s.drain, "drain", 3*time.Second, "`time` between the announcement of the end and the end; a second interrupt ends it at once")
}

func (s *serving) check() error {
	switch {
	case s.maxPlayers < 1 || s.maxPlayers > 512:
		return badf("-max-players %d: 1 to 512 can play", s.maxPlayers)
	case s.crates < 0 || s.crates > 900 || s.crates+s.maxPlayers > arena.MaxEntities-16:
		return badf("-crates %d: 0 to 900, and together with -max-players at most %d", s.crates, arena.MaxEntities-16)
	case s.joins < 0 || s.joins > 1000:
		return badf("-joins %d: 1 to 1000 handshakes per second, or 0 for the usual 10", s.joins)
	case s.perAddress < -1:
		return badf("-per-address %d: how many may play from one address, 0 for a quarter of -max-players, -1 for any number", s.perAddress)
	case s.drain < 0 || s.drain > time.Minute:
		return badf("-drain %v: 0s to 1m", s.drain)
	}
	if err := s.ways.check(); err != nil {
		return err
	}
	if err := s.checkPublic(); err != nil {
		return err
	}
	return s.webSocket.check()
}

// conditions are the flags of the simulated path.
type conditions struct{ link seat.Link }

func (c *conditions) flags(fs *flag.FlagSet) {
	fs.DurationVar(&c.link.Latency, "latency", 0, "simulated round-trip `time`, half of it each way")
	fs.DurationVar(&c.link.Jitter, "jitter", 0, "`time` by which round trips vary, either way")
	fs.Float64Var(&c.link.Loss, "loss", 0, "`share` of datagrams lost each way, 0 to 0.9")
	fs.BoolVar(&c.link.Burst, "burst", false, "lose datagrams in bursts of four on average")
}

func (c *conditions) check(seed uint64) error {
	c.link.Seed = seed
	switch l := c.link; {
	case l.Latency < 0 || l.Latency > 2*time.Second:
		return badf("-latency %v: a simulated round trip takes 0s to 2s", l.Latency)
	case l.Jitter < 0 || l.Jitter > time.Second:
		return badf("-jitter %v: round trips vary by 0s to 1s", l.Jitter)
	case !(l.Loss >= 0 && l.Loss <= 0.9):
		return badf("-loss %v: a share of 0 to 0.9", l.Loss)
	}
	return nil
}

// showing are the flags of whoever sees something.
type showing struct {
	headless, auto, peace     bool
	seconds, skip             float64
	fps, width, height        int
	size                      string
	record, screenshot, trace string
	dir, kind                 string
	on                        seat.Switches
	predict, reconcile        bool
	ghosts, graphs, overlay   bool
	still                     bool
}

func (s *showing) flags(fs *flag.FlagSet) {
	fs.BoolVar(&s.headless, "headless", false, "no window; plays by itself")
	fs.BoolVar(&s.auto, "autopilot", false, "plays by itself")
	fs.BoolVar(&s.peace, "peace", false, "the autopilot does not shoot")
	fs.Float64Var(&s.seconds, "seconds", 0, "`seconds` to run; without a window 10 unless given")
	fs.IntVar(&s.fps, "fps", 60, "`number` of frames per second, at most in a window; 30 for clips is enough")
	fs.StringVar(&s.size, "size", "", "`WxH` of the picture (default 1280x720; without a window 640x360)")
	fs.StringVar(&s.record, "record", "", "`file` to record into: .gif, .mp4 or .png")
	fs.Float64Var(&s.skip, "skip", 0, "`seconds` of a run without a window that pass before -record begins")
	fs.StringVar(&s.screenshot, "screenshot", "", "`file` for the last picture, .png")
	fs.StringVar(&s.trace, "trace", "", "`file` for the table of poses, .csv: one row per frame and entity")
	fs.StringVar(&s.dir, "dir", "out", "`folder` for pictures and clips that keys make")
	fs.StringVar(&s.kind, "kind", "", "how others are drawn between snapshots: "+kindNames())
	fs.BoolVar(&s.predict, "predict", true, "simulate the own player at once")
	fs.BoolVar(&s.reconcile, "reconcile", true, "correct predictions by what the server says")
	fs.BoolVar(&s.ghosts, "ghosts", false, "show the newest state from the server beside what is drawn")
	fs.BoolVar(&s.graphs, "graphs", true, "graphs of the network")
	fs.BoolVar(&s.overlay, "overlay", true, "text and graphs")
	fs.BoolVar(&s.still, "still", false, "the camera stands still instead of following the own player")
}

func kindNames() string {
	var names []string
	for _, k := range remote.Kinds() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}

func (s *showing) check() error {
	kind, err := remote.ParseKind(s.kind)
	if err != nil {
		return badf("-kind %q: choose one of %s", s.kind, kindNames())
	}
	s.on = seat.Switches{Predict: s.predict, Reconcile: s.reconcile, Kind: kind, Ghosts: s.ghosts, Graphs: s.graphs, Overlay: s.overlay, Still: s.still}
	if s.size != "" {
		if n, _ := fmt.Sscanf(s.size, "%dx%d", &s.width, &s.height); n != 2 || fmt.Sprintf("%dx%d", s.width, s.height) != s.size || min(s.width, s.height) < 64 || max(s.width, s.height) > 7680 {
			return badf("-size %q: it takes width x height in pixels, 64 to 7680 each, such as 1280x720", s.size)
		}
	}
	switch {
	case s.seconds < 0 || !(s.seconds <= 1e6):
		return badf("-seconds %v: the time to run is above 0", s.seconds)
	case s.skip < 0 || s.record != "" && s.headless && s.skip > 0 && s.skip >= or(s.seconds, 10):
		return badf("-skip %v: it is less than the time to run", s.skip)
	case s.fps < 1 || s.fps > 1000:
		return badf("-fps %d: frames per second are 1 to 1000", s.fps)
	}
	for _, f := range []struct {
		name, file string
		endings    []string
	}{{"record", s.record, []string{".gif", ".mp4", ".png"}}, {"screenshot", s.screenshot, []string{".png"}}} {
		if f.file != "" && !slices.Contains(f.endings, strings.ToLower(filepath.Ext(f.file))) {
			return badf("-%s %q: the file's name ends in %s", f.name, f.file, strings.Join(f.endings, " or "))
		}
	}
	if s.headless && s.seconds == 0 {
		s.seconds = 10
	}
	return nil
}

// connecting is the flag of whoever joins.
type connecting struct {
	text string
	link joinlink.Link
}

func (c *connecting) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.text, "connect", "", "a join `link` that the server has printed, in quotes")
}

func (c *connecting) check() (err error) {
	if c.text == "" {
		return badf("-connect: give the join link that the server has printed, as -connect 'tandem://HOST:PORT#...'")
	}
	if c.link, err = joinlink.Parse(c.text); err != nil {
		return badf("-connect: %w", err)
	}
	return nil
}

// parse reads the arguments of a command. Help goes to out.
func parse(fs *flag.FlagSet, args []string, out io.Writer, what string) error {
	fs.SetOutput(io.Discard)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(out, "%s\n\n    go run ./demo %s [flags]\n\n", what, fs.Name())
		writeFlags(out, fs)
		return flag.ErrHelp
	}
	if err != nil {
		return &BadUsage{flagerror.Readable(err, func(name string) string { return takes(fs.Lookup(name)) })}
	}
	if fs.NArg() > 0 {
		return badf("%q is not a flag; flags begin with a dash, and what is on or off is set with an equals sign, as -name=false", fs.Arg(0))
	}
	return nil
}

func or(v, fallback float64) float64 {
	if v == 0 {
		return fallback
	}
	return v
}
