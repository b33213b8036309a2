package play

import (
	"encoding/json"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// shutdown is what clients are told at the end.
var shutdown = transport.Reason{Code: transport.Shutdown, Text: "the server is going down"}

// costs keeps what the newest ticks have cost.
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

// figures are what a server shows to its operators.
type figures struct {
	server   netcode.ServerStats
	ways     transport.ListenerStats
	costs    *costs
	steps    uint64
	shots    [2]uint64
	pushes   uint64
	dropped  time.Duration
	draining bool
}

// metrics serves figures over HTTP. The game publishes copies, so that no request can hold it up.
type metrics struct {
	listener net.Listener
	server   http.Server

	mu     sync.Mutex
	vars   map[string]any
	costs  costs
	seen   time.Time
	steps  uint64 // when the variables were taken
	ending bool
}

// publishEvery is after how many steps the variables are taken anew. A server that is late runs several at once.
const publishEvery = 15

func newMetrics(addr string) (*metrics, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	m := &metrics{listener: listener}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", m.health)
	mux.HandleFunc("GET /debug/vars", m.show)
	m.server = http.Server{Handler: mux, ReadTimeout: 5 * time.Second, IdleTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = m.server.Serve(listener) }()
	return m, nil
}

func (m *metrics) addr() string { return m.listener.Addr().String() }

func (m *metrics) close() { _ = m.server.Close() }

// publish takes new figures, a few times a second; more often it only notes that the game lives.
func (m *metrics) publish(f figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	fresh := m.vars == nil || f.steps/publishEvery != m.steps/publishEvery || f.draining != m.ending
	m.seen, m.ending = now, f.draining
	if !fresh {
		return
	}
	m.steps = f.steps
	m.costs = *f.costs
	s := f.server
	m.vars = map[string]any{
		"players": s.Players, "away": s.Away, "waiting": s.Waiting, "entities": s.Entities, "joined": s.Joined, "resumed": s.Resumed, "left": s.Left,
		"refused": s.Refused, "kicked": s.Kicked, "malformed": s.Malformed, "sent_bytes": s.SentBytes, "sent_packets": s.Sent, "received_bytes": s.ReceivedBytes,
		"snapshots": s.Snapshots, "steps": f.steps, "shots": f.shots[0], "hits": f.shots[1], "pushes": f.pushes, "dropped_ms": f.dropped.Milliseconds(), "draining": f.draining,
		"handshakes_accepted": f.ways.Accepted, "handshakes_refused": f.ways.Refused, "handshakes_failed": f.ways.Failed, "handshakes_pending": f.ways.Pending,
	}
}

// health says whether the game goes on: for load balancers and supervisors.
func (m *metrics) health(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	idle, ending := time.Since(m.seen), m.ending
	m.mu.Unlock()
	switch {
	case ending:
		http.Error(w, "draining", http.StatusServiceUnavailable)
	case idle > 2*time.Second:
		http.Error(w, fmt.Sprintf("no step for %v", idle.Round(time.Millisecond)), http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ok")
	}
}

// show writes the variables of the process and the game's as package expvar does.
func (m *metrics) show(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	all := map[string]json.RawMessage{}
	expvar.Do(func(kv expvar.KeyValue) { all[kv.Key] = json.RawMessage(kv.Value.String()) })
	m.mu.Lock()
	p50, p99, most := m.costs.percentiles()
	game := map[string]any{"tick_p50_us": p50.Microseconds(), "tick_p99_us": p99.Microseconds(), "tick_max_us": most.Microseconds()}
	for name, value := range m.vars {
		game[name] = value
	}
	m.mu.Unlock()
	if text, err := json.Marshal(game); err == nil {
		all["tandem"] = text
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(all)
}
