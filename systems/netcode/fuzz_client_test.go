package netcode_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// spoken returns the datagrams of testdata/wire that one end has sent.
func spoken(t testing.TB, end string) (all [][]byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "wire", "v*.txt"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if head, digits, _ := strings.Cut(line, ": "); strings.HasPrefix(head, end) {
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
	}
	return all
}

// script is a connection on which a server sends the given datagrams, one in every step.
type script struct {
	words [][]byte
	state transport.State
	fresh bool
}

func (s *script) MTU() int                      { return transport.MaxMTU }
func (s *script) RemoteAddr() string            { return "script" }
func (s *script) State() transport.State        { return s.state }
func (s *script) CloseReason() transport.Reason { return transport.Reason{Code: transport.Left} }
func (s *script) Close(transport.Reason)        { s.state = transport.Closed }
func (s *script) Send([]byte) error             { return nil }
func (s *script) Poll(time.Duration)            { s.fresh = true }
func (s *script) Stats() transport.Stats        { return transport.Stats{} }
func (s *script) Recv(b []byte) (int, bool) {
	if !s.fresh || len(s.words) == 0 || s.state == transport.Closed {
		return 0, false
	}
	n := copy(b, s.words[0])
	s.words, s.fresh = s.words[1:], false
	return n, true
}

// FuzzServer sends a server's datagrams to a client that has just joined. Each is sent twice, since
// the first may change what the client accepts. The client records what it receives.
func FuzzServer(f *testing.F) {
	words := spoken(f, "server")
	for _, w := range words {
		f.Add(w, []byte{})
		f.Add(words[1], w)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if max(len(a), len(b)) > transport.MaxMTU {
			return
		}
		e, err := ecs.New(ecs.Config{FixedRate: 60})
		if err != nil {
			t.Fatal(err)
		}
		conn := &script{words: append(append([][]byte{}, words[:3]...), a, b), state: transport.Open}
		client, err := netcode.NewClient(wireProtocol(t), netcode.ClientConfig[wirePlayer, wireInput]{
			Log: quiet(), Input: func(netcode.Tick) wireInput { return wireInput{X: 1} }, Dial: func() (transport.Conn, error) { return conn, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(interpolation.New3D(), quietHierarchy(false), client)
		for i := range 12 {
			e.Update(time.Second / 60)
			if status, _ := client.Status(); status == netcode.Playing && i < 4 {
				_ = client.Record(replay.NewRing(time.Second)) // panics if ticks go back
			}
		}
		if client.Stats().Snapshots < 2 && conn.state == transport.Open {
			t.Fatalf("the client did not come in: %+v", client.Stats())
		}
		e.Close()
	})
}
