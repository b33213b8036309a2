package host

import (
	"cmp"
	"encoding/json"
	"expvar"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// costs holds the durations of the newest steps.
type costs struct {
	ring [8192]time.Duration
	n    uint64
}

func (c *costs) add(d time.Duration) {
	c.ring[c.n%uint64(len(c.ring))] = d
	c.n++
}

// percentiles returns the median, the 99th percentile and the maximum.
func (c *costs) percentiles() (p50, p99, most time.Duration) {
	n := int(min(c.n, uint64(len(c.ring))))
	if n == 0 {
		return 0, 0, 0
	}
	sorted := slices.Clone(c.ring[:n])
	slices.Sort(sorted)
	return sorted[n/2], sorted[n*99/100], sorted[n-1]
}

// metrics serves a server's figures over HTTP. The game publishes copies, so that no request delays
// it.
type metrics struct {
	listener net.Listener // nil: the program serves the handler itself
	server   http.Server

	mu       sync.Mutex
	vars     map[string]any
	costs    costs
	seen     time.Time
	steps    uint64 // the step at which the variables were taken
	draining bool
}

// publishEvery is the number of steps after which the variables are taken anew. A server that is
// late runs several steps at once.
const publishEvery = 15

// Metrics returns a handler of the server's figures, for a program with its own http.Server;
// Config.Metrics serves it without one. GET /healthz answers 200 while steps run, and 503 if none
// has run for 2 s or the server drains. GET /debug/vars is JSON like that of package expvar,
// without the command line, which may hold tokens. The figures are under "tandem"; docs/hosting.md
// lists them. The handler does not authenticate its clients: do not make it public.
func (h *Host) Metrics() http.Handler {
	if h.metrics == nil {
		h.metrics = &metrics{seen: time.Now()}
	}
	return h.metrics.handler()
}

// metricsAddress completes an address for the metrics. An address without a host becomes one of
// this machine alone, since the figures are not public.
func metricsAddress(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", invalid("Metrics", strconv.Quote(addr), "it takes HOST:PORT, or :PORT for this machine alone, such as 127.0.0.1:7780")
	}
	return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), nil
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", m.health)
	mux.HandleFunc("GET /debug/vars", m.show)
	return mux
}

// listen serves the figures at an address, and closes connections that clients hold open.
func (m *metrics) listen(addr string) (err error) {
	if m.listener, err = net.Listen("tcp", addr); err != nil {
		return err
	}
	m.server = http.Server{Handler: m.handler(), ReadTimeout: 5 * time.Second, IdleTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = m.server.Serve(m.listener) }()
	return nil
}

// publish takes new figures a few times a second. On other calls it only notes that the game runs.
func (h *Host) publish() {
	m := h.metrics
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := m.vars == nil || h.steps/publishEvery != m.steps/publishEvery || h.draining != m.draining
	m.seen, m.draining = time.Now(), h.draining
	if !fresh {
		return
	}
	m.steps, m.costs = h.steps, h.costs
	m.vars = serverVars(h.server.Stats(), h.listenerStats())
	m.vars["steps"], m.vars["dropped_ms"], m.vars["draining"] = h.steps, h.engine.Time().Dropped.Milliseconds(), h.draining
	if h.settings.Vars != nil {
		h.settings.Vars(m.vars)
	}
}

// serverVars returns the figures of a server and of its listeners by their names.
func serverVars(s netcode.ServerStats, l transport.ListenerStats) map[string]any {
	vars := map[string]any{
		"players": s.Players, "away": s.Away, "waiting": s.Waiting, "entities": s.Entities, "joined": s.Joined, "resumed": s.Resumed, "left": s.Left,
		"refused": s.Refused, "kicked": s.Kicked, "malformed": s.Malformed, "sent_bytes": s.SentBytes, "sent_packets": s.Sent, "received_bytes": s.ReceivedBytes,
		"snapshots": s.Snapshots, "least_rate": int(s.LeastRate), "most_queue_ms": s.MostQueue.Milliseconds(),
		"handshakes_accepted": l.Accepted, "handshakes_refused": l.Refused, "handshakes_failed": l.Failed, "handshakes_pending": l.Pending,
	}
	for cause, players := range s.Causes {
		vars["rate_"+netcode.RateCause(cause).String()] = players
	}
	return vars
}

// health reports whether the game runs, for load balancers and supervisors.
func (m *metrics) health(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	idle, draining := time.Since(m.seen), m.draining
	m.mu.Unlock()
	switch {
	case draining:
		http.Error(w, "draining", http.StatusServiceUnavailable)
	case idle > 2*time.Second:
		http.Error(w, fmt.Sprintf("no step for %v", idle.Round(time.Millisecond)), http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ok")
	}
}

// show writes the process's variables and the game's as package expvar does, without the command
// line.
func (m *metrics) show(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	all := map[string]json.RawMessage{}
	expvar.Do(func(kv expvar.KeyValue) {
		if kv.Key != "cmdline" {
			all[kv.Key] = json.RawMessage(kv.Value.String())
		}
	})
	m.mu.Lock()
	p50, p99, most := m.costs.percentiles()
	game := map[string]any{"tick_p50_us": p50.Microseconds(), "tick_p99_us": p99.Microseconds(), "tick_max_us": most.Microseconds()}
	maps.Copy(game, m.vars)
	m.mu.Unlock()
	text, err := json.Marshal(game)
	if err != nil { // the error is that of a value of the game
		text, _ = json.Marshal(map[string]any{"error": err.Error()})
	}
	all["tandem"] = text
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(all)
}
