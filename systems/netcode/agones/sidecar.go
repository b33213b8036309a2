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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// DefaultAddr is the address at which a sidecar listens unless its fleet says another port.
const DefaultAddr = "127.0.0.1:9358"

// Config configures a [Sidecar]. The zero value suits a server in a fleet.
type Config struct {
	// Addr is host and port of the sidecar. Empty: 127.0.0.1 and the port in the environment
	// variable AGONES_SDK_HTTP_PORT, which Agones sets. Without both there is no Agones.
	Addr string

	// List is the list of the fleet that holds the players' keys. Empty: "players". A fleet that
	// does not define it gets no players, and the log says so once.
	List string

	// Watch, if it is set, is called with the server as Agones sees it: at the start, and after
	// each change. It is called on the engine's goroutine, in a fixed step. Of several changes
	// between two steps it gets the last.
	Watch func(GameServer)

	// Period is the time between two reports of health. It is also how long a failed request waits
	// before it is made again. Zero: 1 s. The fleet's health.periodSeconds must be longer.
	Period time.Duration

	Log       *slog.Logger      // nil: slog.Default()
	Transport http.RoundTripper // makes the requests; nil: a transport without a proxy
}

const (
	requestTime = 5 * time.Second // for the answer to a request
	closeTime   = 2 * time.Second // for requests that wait at the end
	maxAnswer   = 64 << 10
)

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

// refusal is an answer of the sidecar that is not a success.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.text) }

// post makes a request, and returns a [*refusal] for an answer that is not a success.
func (s *Sidecar) post(ctx context.Context, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 == 2 {
		return err
	}
	var r struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &r) != nil {
		r.Message = string(answer[:min(len(answer), 200)])
	}
	return &refusal{res.StatusCode, r.Message}
}

// trouble logs the begin and the end of a trouble.
type trouble struct {
	log  *slog.Logger
	what string
	on   bool
}

func (t *trouble) note(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return // by Close
	case err != nil && !t.on:
		t.log.Warn("agones", "trouble", t.what, "err", err)
	case err == nil && t.on:
		t.log.Info("agones", "well again", t.what)
	}
	t.on = err != nil
}
