package play

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
)

// Server serves until the context is canceled, then announces the end, drains, and returns.
func Server(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rates
	var s serving
	var seconds float64
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	r.flags(fs, snapshotsText)
	s.flags(fs, "127.0.0.1:7777")
	fs.Float64Var(&seconds, "seconds", 0, "`seconds` to run; 0: until it is interrupted")
	fs.BoolVar(&s.console, "console", true, "obey lines on the standard input: players, kick, ban, invite, quit; help lists them")
	fs.BoolVar(&s.verbose, "verbose", false, "log why handshakes fail, too")
	if err := parse(fs, args, stdout, "A server of the arena, without a picture."); err != nil {
		return err
	}
	if err := r.check(5); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if seconds < 0 || !(seconds <= 1e7) {
		return badf("-seconds %v: the time to run is above 0, or 0 for no end", seconds)
	}
	level := slog.LevelInfo
	if s.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	house, err := newHouse(&r, &s, log, false)
	if err != nil {
		return err
	}
	defer house.close()
	for _, link := range house.lobby.links {
		fmt.Fprintln(stdout, link)
	}
	fmt.Fprintln(stderr, "players join with: go run ./demo client -connect 'LINK', with the line above for LINK")
	log.Info("serving", "addr", house.lobby.Addr(), "hz", r.hz, "send-hz", r.sendHz, "max-players", s.maxPlayers, "crates", s.crates)
	if seconds > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
		defer cancel()
	}
	if s.console {
		house.console = listen(os.Stdin, stdout)
	}
	house.run(ctx, s.drain)
	log.Info("done", house.summary()...)
	return nil
}

// collectRarely lets the heap grow to five times what lives in it before it is collected, and returns how to undo that. A collection runs beside ticks, which are longer for it, and nearly all that
// it finds on a server has been a datagram on its way through the encryption: 3 kB for each player and tick, dead at once. GOGC in the environment has the last word.
func collectRarely() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// house is a running server with everything around it.
type house struct {
	lobby   *lobby
	match   *referee.Match
	log     *slog.Logger
	metrics *metrics
	console *console // nil: nobody says anything
	costs   costs
	steps   uint64
	shots   [2]uint64 // fired; of them that hit
	pushes  uint64
	kept    time.Duration // ago, the guest list was saved by itself
}

func newHouse(r *rates, s *serving, log *slog.Logger, own bool) (*house, error) {
	l, err := s.open(log, own)
	if err != nil {
		return nil, err
	}
	h := &house{lobby: l, log: log}
	crates := s.crates
	if crates == 0 {
		crates = -1
	}
	h.match, err = referee.New(referee.Config{
		Listener: l, Rate: r.hz, SendRate: r.sendHz, OnArrival: s.ways.arrival, Bank: s.ways.bank, MaxPlayers: s.maxPlayers, PerAddress: s.perAddress, Crates: crates, Seed: r.seed, Admit: l.admit, Log: log, Joined: l.guests.joined,
		Heard: func(p *referee.Player) { h.note(l.guests.list.Heard(p.Token(), p.Key())) },
		Left:  func(p *referee.Player, kicked bool) { h.note(l.guests.list.Left(p.Token(), p.Key(), kicked)) },
		Shot: func(_ *referee.Player, hit bool) {
			h.shots[0]++
			if hit {
				h.shots[1]++
			}
		},
		Pushed: func(*referee.Player) { h.pushes++ },
	})
	if err != nil {
		h.close()
		return nil, err
	}
	if s.metrics != "" {
		if h.metrics, err = newMetrics(s.metrics); err != nil {
			h.close()
			return nil, fmt.Errorf("-metrics %s: %w", s.metrics, err)
		}
		log.Info("metrics", "url", "http://"+h.metrics.addr()+"/debug/vars")
		h.publish(false)
	}
	return h, nil
}

// note has the guest list saved soon if it has changed.
func (h *house) note(changed bool) { h.lobby.guests.changed = h.lobby.guests.changed || changed }

// saveEvery is how often the guest list is saved at most, but for an operator's commands. A server that is killed forgets who came in the last second, and lets them in by their invitation once more.
const saveEvery = time.Second

// keep has the guest list saved if it has changed and was not saved for a while. The game does not wait for the disk.
func (h *house) keep(real time.Duration) {
	g := h.lobby.guests
	h.kept += real
	h.tell(g.settle(false))
	if !g.changed || h.kept < saveEvery || g.writing != nil {
		return
	}
	h.kept = 0
	g.begin()
}

// keepLast saves what is not yet: there may be room again.
func (h *house) keepLast() {
	g := h.lobby.guests
	h.tell(g.settle(true))
	if g.changed || g.unsaved {
		h.tell(g.save())
	}
}

// tell logs why the guest list could not be saved, once: it may be tried every second.
func (h *house) tell(err error) {
	if g := h.lobby.guests; err != nil && err.Error() != g.failed {
		g.failed = err.Error()
		h.log.Error("the guest list has changed", "error", err)
	}
}

// run serves until the context is canceled, and then for the time that draining takes, or until nobody is left.
func (h *house) run(ctx context.Context, drain time.Duration) {
	start := time.Now()
	var last, until time.Duration
	draining := false
	for {
		now := time.Since(start)
		if quit := h.obey(h.console); !draining && (quit || ctx.Err() != nil) {
			draining, until = true, now+drain
			h.announce(drain)
		}
		if draining && (now >= until || h.match.Server().Stats().Players == 0) {
			return
		}
		h.update(now - last)
		last = now
		h.publish(draining)
		t := h.match.Engine().Time()
		time.Sleep(t.Fixed - t.Normal - time.Since(start) + now)
	}
}

// announce tells players that the end is near, and lets nobody in any more.
func (h *house) announce(drain time.Duration) {
	h.log.Info("draining", "time", drain, "players", h.match.Server().Stats().Players)
	h.match.Server().Drain("the server is going down")
	h.match.Server().Broadcast(arena.Notice(fmt.Sprintf("the server goes down in %v", drain.Round(time.Second))))
}

// update advances the match and notes what it cost.
func (h *house) update(real time.Duration) {
	begin := time.Now()
	h.match.Update(real)
	if steps := h.match.Engine().Time().Steps; steps > 0 {
		h.costs.add(time.Since(begin) / time.Duration(steps))
		h.steps += uint64(steps)
	}
	h.keep(real)
}

func (h *house) publish(draining bool) {
	if h.metrics == nil {
		return
	}
	t := h.match.Engine().Time()
	h.metrics.publish(figures{
		server: h.match.Server().Stats(), ways: h.lobby.Stats(), costs: &h.costs, steps: h.steps, shots: h.shots, pushes: h.pushes, dropped: t.Dropped, draining: draining,
	})
}

// summary is what is worth saying at the end.
func (h *house) summary() []any {
	st := h.match.Server().Stats()
	p50, p99, most := h.costs.percentiles()
	return []any{
		"steps", h.steps, "joined", st.Joined, "resumed", st.Resumed, "refused", st.Refused, "malformed", st.Malformed,
		"tick-p50", p50.Round(time.Microsecond), "tick-p99", p99.Round(time.Microsecond), "tick-max", most.Round(time.Microsecond),
		"sent-MB", float64(st.SentBytes/1e4) / 100, "dropped", h.match.Engine().Time().Dropped,
	}
}

func (h *house) close() {
	if h.match != nil {
		h.match.Close()
	}
	h.lobby.leave(shutdown)
	h.keepLast()
	if h.metrics != nil {
		h.metrics.close()
	}
}
