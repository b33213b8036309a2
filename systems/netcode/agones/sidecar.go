// Package agones connects a match with Agones, which starts, counts and replaces servers of matches
// on Kubernetes. It talks to the sidecar that Agones puts beside each of them, by HTTP and JSON on
// the local machine.
//
// Where there is no Agones, all calls do nothing. A sidecar that fails or restarts never stops or
// delays the game: calls return at once, goroutines of the package make the requests, and failed
// ones are made again. The log names a failure once, and its end.
//
// The requests are those of https://agones.dev/site/docs/guides/client-sdks/rest/.
package agones

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// closeTime is the time for requests that wait at the end.
const closeTime = 2 * time.Second

// Sidecar is the connection with Agones. Make it with [Start], and install it on the engine of the
// match. Its methods never block, but for Close. Any goroutine may call them.
type Sidecar struct {
	config Config
	log    *slog.Logger
	http   *http.Client
	url    string // without an end; empty: there is no Agones
	steps  atomic.Uint64

	mu      sync.Mutex
	wanted  string // the newest request about the state, such as "ready"; empty: none waits
	list    playerList
	seen    GameServer
	unseen  bool // the game has not got seen
	ended   bool
	wake    chan struct{} // wanted has changed
	closing chan struct{}

	flushed chan struct{} // closed when the last requests have been made
	cancel  func()
	running sync.WaitGroup
}

// Start begins to talk to the sidecar. The caller ends it with [Sidecar.Close]. It panics for a
// negative Period.
func Start(c Config) *Sidecar {
	if c.Period < 0 {
		panic(fmt.Sprintf("agones: Period is %v; give a time above 0, or 0 for 1 s", c.Period))
	}
	c.Period = cmp.Or(c.Period, time.Second)
	c.List = cmp.Or(c.List, "players")
	s := &Sidecar{config: c, log: c.Log, list: newPlayerList(), wake: make(chan struct{}, 1), closing: make(chan struct{}), flushed: make(chan struct{})}
	if s.log == nil {
		s.log = slog.Default()
	}
	if port := os.Getenv("AGONES_SDK_HTTP_PORT"); c.Addr == "" && port != "" {
		c.Addr = net.JoinHostPort("127.0.0.1", port)
	}
	if c.Addr == "" {
		return s
	}
	if c.Transport == nil {
		c.Transport = &http.Transport{MaxIdleConnsPerHost: 3}
	}
	s.http = &http.Client{Transport: c.Transport}
	s.url = "http://" + c.Addr
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.running.Go(func() { s.reportHealth(ctx) })
	s.running.Go(func() { s.makeRequests(ctx) })
	s.running.Go(func() { s.watch(ctx) })
	return s
}

// Install lets the engine's fixed steps prove that the match is alive: health is reported while
// there are steps, and only then. So Agones replaces a server that hangs, and one that is paused.
func (s *Sidecar) Install(e *ecs.Engine) {
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { s.step() }))
}

func (s *Sidecar) step() {
	s.steps.Add(1)
	if s.config.Watch == nil {
		return
	}
	s.mu.Lock()
	seen, news := s.seen, s.unseen
	s.unseen = false
	s.mu.Unlock()
	if news {
		s.config.Watch(seen)
	}
}

// Ready tells Agones that players can be sent here. Call it when the server listens, and again
// after a match, if the same process plays the next one.
func (s *Sidecar) Ready() { s.want("ready") }

// Allocate tells Agones that a match is under way: the server is not stopped when the fleet
// shrinks. A server that the game's own matchmaker allocates need not call it.
func (s *Sidecar) Allocate() { s.want("allocate") }

// Shutdown asks Agones to stop this server and to start another. Call it when all players have
// left, thus after [host.Host.Run] has returned.
//
// [host.Host.Run]: https://pkg.go.dev/github.com/tandem-ecs/tandem/systems/netcode/host#Host.Run
func (s *Sidecar) Shutdown() { s.want("shutdown") }

func (s *Sidecar) want(state string) {
	s.mu.Lock()
	s.wanted = state
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close makes the requests that wait, for at most 2 s, and ends the connection. A second call does
// nothing.
func (s *Sidecar) Close() {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if ended || s.url == "" {
		return
	}
	close(s.closing)
	select {
	case <-s.flushed:
	case <-time.After(closeTime):
	}
	s.cancel()
	s.running.Wait()
	s.http.CloseIdleConnections()
}

// reportHealth reports health in each period with a step.
func (s *Sidecar) reportHealth(ctx context.Context) {
	health, steps := trouble{log: s.log, what: "health"}, trouble{log: s.log, what: "steps"}
	var last uint64
	for s.sleep(ctx) {
		now := s.steps.Load()
		if now == last {
			if now > 0 {
				steps.note(errors.New("the engine makes no steps, so no health is reported"))
			}
			continue
		}
		last = now
		steps.note(nil)
		health.note(s.post(ctx, "/health", struct{}{}))
	}
}

// sleep waits for a period, and reports whether the sidecar is still in use.
func (s *Sidecar) sleep(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.closing:
		return false
	case <-time.After(s.config.Period):
		return true
	}
}

// makeRequests makes those about the state at once, and those about players once in a period.
func (s *Sidecar) makeRequests(ctx context.Context) {
	state, players := trouble{log: s.log, what: "state"}, trouble{log: s.log, what: "players"}
	tick := time.NewTicker(s.config.Period)
	defer tick.Stop()
	for {
		last := false
		select {
		case <-s.wake:
			state.note(s.sendState(ctx))
			continue
		case <-tick.C:
		case <-s.closing:
			last = true
		}
		players.note(s.sendPlayers(ctx))
		state.note(s.sendState(ctx))
		if last {
			close(s.flushed)
			return
		}
	}
}

// sendState makes the newest request about the state, if it waits.
func (s *Sidecar) sendState(ctx context.Context) error {
	s.mu.Lock()
	wanted := s.wanted
	s.mu.Unlock()
	if wanted == "" {
		return nil
	}
	if err := s.post(ctx, "/"+wanted, struct{}{}); err != nil {
		return fmt.Errorf("%s: %w", wanted, err)
	}
	s.mu.Lock()
	if s.wanted == wanted {
		s.wanted = ""
	}
	s.mu.Unlock()
	return nil
}
