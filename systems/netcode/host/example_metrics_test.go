package host_test

import (
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A program with an HTTP server of its own shows the metrics there. This one is asked once.
func ExampleHost_Metrics() {
	laps := 0
	h, err := host.Open(host.Config{
		Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
		Vars: func(vars map[string]any) { vars["laps"] = laps },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	mux := http.NewServeMux()
	mux.Handle("/metrics", h.Metrics())
	mux.Handle("/healthz", h.Metrics())
	// go http.ListenAndServe("127.0.0.1:7780", mux)

	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	laps = 7
	if _, err = host.NewServer(h, engine, newProtocol(), netcode.ServerConfig[walker, walk]{
		Joined: func(*netcode.Player[walker, walk]) (walker, arche.Entity) { return walker{}, arche.Entity{} },
	}); err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "tandem_players ") || strings.HasPrefix(line, "tandem_game{") {
			fmt.Print(line)
		}
	}
	// Output:
	// tandem_players 0
	// tandem_game{name="laps"} 7
}

// A server that no Host has made has the same metrics by one more line.
func ExampleMetricsOf() {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	listener := loopback.Listen(loopback.Config{})
	server, err := netcode.NewServer(newProtocol(), netcode.ServerConfig[walker, walk]{
		Listener: listener,
		Joined:   func(*netcode.Player[walker, walk]) (walker, arche.Entity) { return walker{}, arche.Entity{} },
	})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(server)
	mux := http.NewServeMux()
	mux.Handle("/", host.MetricsOf(engine, server, listener))
	// go http.ListenAndServe("127.0.0.1:7780", mux)

	for range 30 {
		engine.Update(time.Second / 60)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "tandem_players ") || strings.HasPrefix(line, "tandem_tick_seconds_count ") {
			fmt.Print(line)
		}
	}
	// Output:
	// tandem_players 0
	// tandem_tick_seconds_count 30
}
