package host

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// ownServer is a server that no host has made, and its metrics.
func ownServer(t *testing.T) (*ecs.Engine, *netcode.Server[testgame.State, testgame.Input], *loopback.Listener, http.Handler) {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	listener := loopback.Listen(loopback.Config{})
	server, err := netcode.NewServer(protocol(t), testgame.ServerConfig{
		Listener: listener,
		Joined:   func(*testgame.Player) (testgame.State, arche.Entity) { return testgame.State{}, arche.Entity{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := MetricsOf(engine, server, listener) // before or after the installation
	engine.Install(server)
	t.Cleanup(engine.Close)
	return engine, server, listener, handler
}

// A server that no host has made has the same figures. The duration of a step is that of its
// systems, also if several steps run in a frame.
func TestMetricsOfAServerOfOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, server, listener, handler := ownServer(t)
		listener.Dial()
		ask := func(path string) (int, string) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w.Code, w.Body.String()
		}
		if code, text := ask("/healthz"); code != http.StatusOK {
			t.Errorf("before the first step: %d %s", code, text)
		}
		engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { time.Sleep(3 * ms) }))
		engine.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { time.Sleep(time.Second) }))
		for range publishEvery {
			engine.Update(2 * time.Second / rate)
		}
		code, text := ask("/metrics")
		samples := checkExposition(t, text)
		for name, want := range map[string]float64{
			"tandem_tick_seconds_count":                  2 * publishEvery,
			"tandem_tick_seconds_sum":                    2 * publishEvery * 0.003,
			`tandem_tick_recent_seconds{quantile="1"}`:   0.003,
			"tandem_connections_waiting":                 1,
			`tandem_handshakes_total{result="accepted"}`: 1,
			"tandem_draining":                            0,
		} {
			if got, ok := samples[name]; code != http.StatusOK || !ok || got-want > 1e-9 || want-got > 1e-9 {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if _, text := ask("/debug/vars"); !strings.Contains(text, `"steps": 30`) || !strings.Contains(text, "memstats") {
			t.Errorf("the variables are\n%s", text)
		}
		if code, text := ask("/healthz"); code != http.StatusOK {
			t.Errorf("while steps run: %d %s", code, text)
		}
		time.Sleep(time.Minute)
		if code, text := ask("/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "no step for 1m1s") {
			t.Errorf("without steps: %d %s", code, text)
		}
		server.Drain("to a new version")
		for range publishEvery {
			engine.Update(time.Second / rate)
		}
		if code, text := ask("/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "draining") {
			t.Errorf("after Drain: %d %s", code, text)
		}
		if _, text := ask("/metrics"); checkExposition(t, text)["tandem_draining"] != 1 {
			t.Errorf("after Drain: %s", text)
		}
	})
}

func TestMetricsOfAllocateNothing(t *testing.T) {
	engine, _, _, _ := ownServer(t)
	step := func() {
		for range 2 * publishEvery {
			engine.Update(time.Second / rate)
		}
	}
	for range 5 { // the engine's advice takes memory in its first frames
		step()
	}
	if allocs := testing.AllocsPerRun(20, step); allocs != 0 {
		t.Errorf("%v allocations in %d steps", allocs, 2*publishEvery)
	}
}
