package host

import (
	"cmp"
	"encoding/json"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// metrics serves a server's figures over HTTP. The game publishes copies, so that no request delays
// it.
type metrics struct {
	listener net.Listener // nil: the program serves the handler itself
	server   http.Server

	ticks *ticks
	start time.Time // of the times of the ticks

	mu    sync.Mutex
	taken bool    // there are figures
	last  figures // but for those of the ticks
	seen  time.Time
}

// publishEvery is the number of steps after which the figures are taken anew. A server that is
// late runs several steps at once.
const publishEvery = 15

// Metrics returns a handler of the server's figures, for a program with its own http.Server;
// Config.Metrics serves it without one. GET /healthz answers 200 while steps run, and 503 if none
// has run for 2 s or the server drains. GET /debug/vars is JSON like that of package expvar,
// without the command line, which may hold tokens. The figures are under "tandem". GET /metrics is
// the same in the text format of Prometheus, with a histogram of the durations of the steps.
// docs/hosting.md lists the figures. The handler may be used by any goroutine, also while the game
// runs. It does not authenticate its clients: do not make it public.
//
// [MetricsOf] is the same for a server that no Host has made.
func (h *Host) Metrics() http.Handler {
	if h.metrics == nil {
		h.metrics = h.newMetrics()
	}
	return h.metrics.handler()
}

func (h *Host) newMetrics() *metrics {
	return &metrics{ticks: &h.ticks, start: h.start, seen: time.Now()}
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
	mux.HandleFunc("GET /debug/vars", m.showJSON)
	mux.HandleFunc("GET /metrics", m.showPrometheus)
	return mux
}

// metricsPatience is how long a client may take to read its answer, or say nothing after it. It has
// half of that for its request.
const metricsPatience = 10 * time.Second

// listen serves the figures at an address, and closes connections that clients hold open.
func (m *metrics) listen(addr string, patience time.Duration) (err error) {
	if m.listener, err = net.Listen("tcp", addr); err != nil {
		return err
	}
	m.server = http.Server{Handler: m.handler(), ReadTimeout: patience / 2, IdleTimeout: patience, WriteTimeout: patience, MaxHeaderBytes: 16 << 10}
	go func() { _ = m.server.Serve(m.listener) }()
	return nil
}

// publish takes new figures a few times a second. On other calls it only notes that the game runs.
func (m *metrics) publish(steps uint64, take func() figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = time.Now()
	if !m.taken || steps/publishEvery != m.last.steps/publishEvery {
		m.taken, m.last = true, take()
	}
}

// renew takes new figures now.
func (m *metrics) renew(take func() figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken, m.last = true, take()
}

// publish publishes the host's figures, if there is a handler of them.
func (h *Host) publish() {
	if h.metrics != nil {
		h.metrics.publish(h.steps, h.figures)
	}
}

func (h *Host) figures() figures {
	f := figures{server: h.server.Stats(), listeners: h.listenerStats(), steps: h.steps, dropped: h.engine.Time().Dropped}
	if h.settings.Vars != nil {
		f.game = map[string]any{}
		h.settings.Vars(f.game)
	}
	return f
}

// figures returns the newest figures. The map of the game's does not change any more.
func (m *metrics) figures() figures {
	m.mu.Lock()
	f := m.last
	m.mu.Unlock()
	f.recent, f.all = m.ticks.recent(time.Since(m.start)), m.ticks.all()
	return f
}

// health reports whether the game runs, for load balancers and supervisors.
func (m *metrics) health(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	idle, draining := time.Since(m.seen), m.last.server.Draining
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

// showPrometheus writes the figures as Prometheus reads them.
func (m *metrics) showPrometheus(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	f := m.figures()
	_, _ = w.Write(f.prometheus())
}

// showJSON writes the process's variables and the game's as package expvar does, without the
// command line.
func (m *metrics) showJSON(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	all := map[string]json.RawMessage{}
	expvar.Do(func(kv expvar.KeyValue) {
		if kv.Key != "cmdline" {
			all[kv.Key] = json.RawMessage(kv.Value.String())
		}
	})
	f := m.figures()
	text, err := json.Marshal(f.vars())
	if err != nil { // the error is that of a value of the game
		text, _ = json.Marshal(map[string]any{"error": err.Error()})
	}
	all["tandem"] = text
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(all)
}
