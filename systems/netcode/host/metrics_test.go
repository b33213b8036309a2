package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// An address without a host listens on this machine alone, and an address that others reach causes
// a warning. Text that is no address is an error. The variables do not contain the command line.
func TestMetricsStayHere(t *testing.T) {
	for addr, want := range map[string]string{":0": "127.0.0.1", "127.0.0.1:0": "127.0.0.1", "localhost:0": "127.0.0.1", "0.0.0.0:0": "all who can reach"} {
		var log bytes.Buffer
		h := open(t, Config{Metrics: addr, Log: slog.New(slog.NewTextHandler(&log, nil)), Vars: func(vars map[string]any) { vars["laps"] = 7 }})
		serve(t, h, nil)
		if out := log.String(); !strings.Contains(out, want) || strings.Contains(out, "all who can reach") != strings.HasPrefix(addr, "0") {
			t.Errorf("%s: listens at %s and says\n%s", addr, h.metrics.listener.Addr().String(), out)
		}
		_, port, _ := net.SplitHostPort(h.metrics.listener.Addr().String())
		answer, err := http.Get("http://127.0.0.1:" + port + "/debug/vars")
		if err != nil {
			t.Fatal(err)
		}
		var vars map[string]json.RawMessage
		err = json.NewDecoder(answer.Body).Decode(&vars)
		answer.Body.Close()
		if _, some := vars["cmdline"]; err != nil || some || vars["memstats"] == nil || !strings.Contains(string(vars["tandem"]), `"laps": 7`) {
			t.Errorf("%s: the variables are %v, %v", addr, vars, err)
		}
		h.Close()
	}
	for _, addr := range []string{"7780", "127.0.0.1", "[::1", "http://127.0.0.1:7780/"} {
		var wrong *ConfigError
		if err := (Config{Metrics: addr}).Validate(); !errors.As(err, &wrong) || wrong.Field != "Metrics" {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// A program's own HTTP server can serve the figures. They report whether steps run and whether the
// server drains. A figure of the game that cannot be written is reported and does not affect the
// others.
func TestMetricsInAnotherServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, Config{Drain: -1, Vars: func(vars map[string]any) { vars["broken"] = func() {} }})
		handler := h.Metrics()
		ask := func(path string) (int, string) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w.Code, w.Body.String()
		}
		if code, text := ask("/healthz"); code != http.StatusOK {
			t.Errorf("before the first step: %d %s", code, text)
		}
		serve(t, h, nil)
		h.Update(time.Second / rate)
		if code, text := ask("/healthz"); code != http.StatusOK {
			t.Errorf("while steps run: %d %s", code, text)
		}
		if _, text := ask("/debug/vars"); !strings.Contains(text, "unsupported type") || !strings.Contains(text, "memstats") {
			t.Errorf("with a figure that cannot be written:\n%s", text)
		}
		time.Sleep(time.Hour)
		if code, text := ask("/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "no step for 1h") {
			t.Errorf("without steps: %d %s", code, text)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		h.Run(ctx)
		h.Update(time.Second / rate)
		if code, text := ask("/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "draining") {
			t.Errorf("at the end: %d %s", code, text)
		}
	})
}

// A client that requests the metrics and then holds the connection open is disconnected. Otherwise
// the process runs out of file descriptors, with the players in it.
func TestMetricsLetGo(t *testing.T) {
	m := open(t, Config{}).newMetrics()
	if err := m.listen("127.0.0.1:0", 400*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	defer m.server.Close()
	requests := map[string]string{
		"says nothing":                 "",
		"announces a body":             "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"has got an answer":            "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"asks for what there is not":   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"does not end what it asks":    "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ",
		"sends a part of its own body": "GET /debug/vars HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
	}
	all := map[string]net.Conn{}
	for who, request := range requests {
		c, err := net.Dial("tcp", m.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprint(c, request); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		all[who] = c
	}
	for who, c := range all {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("who %s is still connected", who)
		}
	}
}

func TestMetricsSayWhatSetsTheRates(t *testing.T) {
	stats := netcode.ServerStats{LeastRate: 4321, MostQueue: 87 * time.Millisecond}
	stats.Causes[netcode.RateShared] = 2
	vars := (&figures{server: stats}).vars()
	for name, want := range map[string]string{"least_rate": "4321", "most_queue_ms": "87", "rate_shared": "2", "rate_free": "0", "rate_silence": "0"} {
		if got := fmt.Sprint(vars[name]); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Requests are answered while the game runs. The race detector looks on.
func TestMetricsWhileTheGameRuns(t *testing.T) {
	h := open(t, Config{Vars: func(vars map[string]any) { vars["laps"], vars["map"] = 7, "harbour" }})
	handler := h.Metrics()
	v := serve(t, h, nil)
	v.join(h.Token())
	done := make(chan string)
	go func() {
		text := ""
		for i := range 60 {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", []string{"/metrics", "/debug/vars"}[i%2], nil))
			if text += w.Body.String(); w.Code != http.StatusOK {
				text = w.Result().Status
				break
			}
		}
		done <- text
	}()
	for {
		v.run(time.Second / 10)
		select {
		case text := <-done:
			for _, want := range []string{"\ntandem_players 1\n", `"players": 1,`, `"map": "harbour"`, `tandem_game{name="laps"} 7`} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			return
		default:
		}
	}
}
