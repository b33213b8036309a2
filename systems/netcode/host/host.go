// Package host provides a dedicated server for any game. It listens on UDP and WebSocket, makes
// join links, keeps the certificate, the token, bans and invitations across restarts, runs the
// commands of an operator's console, serves metrics, and drains before it shuts down.
//
// A server takes four calls. [Open] opens sockets and files. [NewServer] makes the game's server
// behind them. [Host.Run] runs it until its context is canceled. [Host.Close] ends it. [Host.Links]
// are for players, [Host.Console] is for the operator. A program with a loop of its own, such as
// one with a window in which the host plays, calls [Host.Update] in every frame instead of Run.
//
// All calls are made from one goroutine. The package's own goroutines read the console, write the
// access list and serve metrics. None of them touches the game.
package host

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Host is the environment of a game's server: listeners, access list, console and metrics. Make it
// with [Open]; the zero value is of no use.
type Host struct {
	settings  settings
	log       *slog.Logger
	token     string
	access    *accessList
	listeners []transport.Listener
	links     []joinlink.Link

	engine *ecs.Engine
	server server // nil: NewServer has not been called

	console  *console // nil: there is none
	metrics  *metrics // nil: there is no handler
	start    time.Time
	ticks    ticks
	steps    uint64
	quit     bool // the operator wants the server to end
	draining bool
	closed   bool
}

// Open opens the listeners, and reads or makes the files of the configuration. It returns a
// [*ConfigError] if a field is invalid or names an address or a file that cannot be used, or
// another error for a damaged file in State. It logs warnings for the operator, such as secrets
// that others on the machine can read.
func Open(c Config) (*Host, error) {
	s, err := c.complete()
	if err != nil {
		return nil, err
	}
	h := &Host{settings: s, log: c.Log, start: time.Now()}
	if h.log == nil {
		h.log = slog.Default()
	}
	if err := h.open(); err != nil {
		for _, l := range h.listeners {
			l.Close(transport.Reason{Code: transport.Failed})
		}
		return nil, err
	}
	return h, nil
}

func (h *Host) open() (err error) {
	s := &h.settings
	if s.State != "" {
		if err := os.MkdirAll(s.State, 0o700); err != nil {
			return invalid("State", "", "%w: give a folder that you may make and write to", err)
		}
	}
	if h.token, err = s.sharedToken(); err != nil {
		return err
	}
	if h.access, err = s.openAccess(h.token, h.log); err != nil {
		return err
	}
	if err := h.listen(); err != nil || s.Metrics == "" {
		return err
	}
	m := h.newMetrics()
	if err := m.listen(s.Metrics, metricsPatience); err != nil {
		return invalid("Metrics", s.Metrics, "%w", err)
	}
	h.metrics = m
	addr := m.listener.Addr().String()
	h.log.Info("metrics", "url", "http://"+addr+"/debug/vars")
	if !onlyHere(addr) {
		h.log.Warn("all who can reach this address can read the metrics", "addr", addr, "remedy", "listen on 127.0.0.1:PORT")
	}
	return nil
}

// Links returns the join links of the listeners, that of UDP first. They hold the token: a player
// with a link may join. The caller owns the slice.
func (h *Host) Links() []joinlink.Link { return slices.Clone(h.links) }

// Token returns the server's own token, which the links hold. It admits any number of players.
func (h *Host) Token() string { return h.token }

// Run serves until the context is canceled or the operator quits. It then announces the shutdown,
// refuses further players, and returns when all have left or Config.Drain is over. It needs a
// server (see [NewServer]), and panics without one.
//
// Run waits for no signals itself. Take the context from signal.NotifyContext, so that Ctrl+C and
// the SIGTERM of a supervisor end the server in this way:
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	h.Run(ctx)
func (h *Host) Run(ctx context.Context) {
	h.mustServe()
	start := time.Now()
	var last, until time.Duration
	for {
		now := time.Since(start)
		h.obey()
		if !h.draining && (h.quit || ctx.Err() != nil) {
			until = now + h.drain()
		}
		if h.draining && (now >= until || h.server.Stats().Players == 0) {
			h.log.Info("done", h.summary()...)
			return
		}
		h.Update(now - last)
		last = now
		t := h.engine.Time()
		time.Sleep(t.Fixed - t.Normal - time.Since(start) + now) // nothing is due before
	}
}

// drain announces the shutdown, and returns the time until then.
func (h *Host) drain() time.Duration {
	left := h.settings.Drain
	switch {
	case left == 0:
		left = 3 * time.Second
	case left < 0:
		left = 0
	}
	h.draining = true
	h.log.Info("draining", "time", left, "players", h.server.Stats().Players)
	h.server.Drain(shutdown.Text)
	if h.metrics != nil {
		h.metrics.renew(h.figures)
	}
	if h.settings.OnDrain != nil {
		h.settings.OnDrain(left)
	}
	return left
}

// Update advances the game by real time, saves the access list when a save is due, and publishes
// the metrics. It panics without a server (see [NewServer]). [Host.Run] calls it.
func (h *Host) Update(real time.Duration) {
	h.mustServe()
	begin := time.Now()
	h.engine.Update(real)
	if steps := h.engine.Time().Steps; steps > 0 {
		h.ticks.add(time.Since(h.start), time.Since(begin)/time.Duration(steps), steps)
		h.steps += uint64(steps)
	}
	h.access.update(real)
	h.publish()
}

func (h *Host) mustServe() {
	if h.server == nil {
		panic("host: there is no server yet; call NewServer first")
	}
}

// summary returns the attributes that are logged at the end.
func (h *Host) summary() []any {
	st := h.server.Stats()
	recent := h.ticks.recent(time.Since(h.start))
	return []any{
		"steps", h.steps, "joined", st.Joined, "resumed", st.Resumed, "refused", st.Refused, "malformed", st.Malformed,
		"tick-p50", recent.p50.Round(time.Microsecond), "tick-p99", recent.p99.Round(time.Microsecond), "tick-max", recent.most.Round(time.Microsecond),
		"sent-MB", float64(st.SentBytes/1e4) / 100, "dropped", h.engine.Time().Dropped,
	}
}

// shutdown is the reason that clients receive at the end.
var shutdown = transport.Reason{Code: transport.Shutdown, Text: "the server is going down"}

// Close closes the engine of [NewServer] and all listeners, waits at most 2 s until the clients
// have received the reason, and saves the access list. A second call does nothing.
func (h *Host) Close() {
	if h.closed {
		return
	}
	h.closed = true
	if h.engine != nil {
		h.engine.Close()
	}
	h.closeListeners(shutdown)
	h.access.close()
	if h.metrics != nil {
		_ = h.metrics.server.Close()
	}
}

// Console runs commands from now on, one per line, between two steps of [Host.Run]: players, kick,
// ban, invite, quit and others, and those of Config.Commands; help lists them. Answers are written
// to out, in the goroutine of Run. A goroutine reads the lines. It ends with the input, and
// outlives the host if the input does not end.
func (h *Host) Console(in io.Reader, out io.Writer) { h.console = readConsole(in, out) }

// Execute runs one line as the console does, for a program with another interface for its
// operators. Answers are written to out. After quit, Run ends as it does when its context is
// canceled. The error names the remedy. Execute panics without a server.
func (h *Host) Execute(line string, out io.Writer) error {
	h.mustServe()
	return h.execute(line, out)
}
