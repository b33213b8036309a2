package agones_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode/agones"
)

// TestLocalSidecar plays against Agones' own sidecar in its mode for developers. It is built from
// the sources of Agones by go build ./cmd/sdk-server.
func TestLocalSidecar(t *testing.T) {
	program := os.Getenv("AGONES_SDK_SERVER")
	if program == "" {
		t.Skip("AGONES_SDK_SERVER does not name Agones' program sdk-server")
	}
	ports := freePorts(t, 3)
	cmd := exec.Command(program, "--local", fmt.Sprint("--http-port=", ports[0]), fmt.Sprint("--grpc-port=", ports[1]), fmt.Sprint("--health-port=", ports[2]))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	t.Setenv("AGONES_SDK_HTTP_PORT", fmt.Sprint(ports[0]))
	var seen agones.GameServer
	s := agones.Start(agones.Config{Period: 50 * time.Millisecond, Watch: func(g agones.GameServer) { seen = g }})
	defer s.Close()
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(s)
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !done(); {
			if time.Now().After(end) {
				t.Fatalf("not within 20 s: %s; the server was seen as %+v", what, seen)
			}
			e.Update(20 * time.Millisecond)
			time.Sleep(20 * time.Millisecond)
		}
	}
	until("the first sight", func() bool { return seen.Name == "local" })
	if len(seen.Ports) != 1 || seen.Ports[0].Port != 7777 || seen.Labels["islocal"] != "true" {
		t.Errorf("the server is seen as %+v", seen)
	}
	s.Ready()
	until("Ready", func() bool { return seen.State == "Ready" })
	s.Allocate()
	until("Allocated", func() bool { return seen.State == "Allocated" })
	s.Joined("anna")
	s.Joined("test1") // it is in the list from the start
	until("both players", func() bool {
		l := players(t, ports[0])
		return slices.Contains(l, "anna") && slices.Contains(l, "test1")
	})
	s.Left("anna")
	s.Left("test1")
	until("none of them", func() bool { l := players(t, ports[0]); return slices.Equal(l, []string{"test0", "test2"}) })
	s.Shutdown()
	until("Shutdown", func() bool { return seen.State == "Shutdown" })
}

// players returns what the sidecar has in its list.
func players(t *testing.T, port int) []string {
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v1beta1/lists/players", port))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list struct{ Values []string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list.Values
}

// freePorts returns ports that nothing listens on at this moment.
func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
