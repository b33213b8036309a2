package capacity

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// The flags that the benchmark gives to the second process.
var (
	loadAddress = flag.String("load", "", "address of the server whose players this process plays")
	loadPin     = flag.String("load.pin", "", "fingerprint of the server's certificate")
	loadEpoch   = flag.Int64("load.epoch", 0, "Unix time in ns of the tick -load.tick")
	loadTick    = flag.Uint("load.tick", 0, "a tick of the server")
)

var dtlsScene = setting{players: 500, entities: 2000, sight: 100}

// dtlsConfig lets all players come from one address.
func dtlsConfig() dtls.Config {
	all := dtls.Rate{PerSecond: 5000, Burst: 5000}
	return dtls.Config{
		Handshakes: all, NetworkHandshakes: all, Cookies: all, NetworkCookies: all, HalfOpen: 1024, Backlog: 2048,
		HandshakeTimeout: 10 * time.Second, DialTimeout: 20 * time.Second,
	}
}

// BenchmarkServerDTLS measures Engine.Update of a server in real time over encrypted UDP. A second
// process on the same machine plays the ghosts.
func BenchmarkServerDTLS(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("%dx%d,workers=%d", dtlsScene.players, dtlsScene.entities, workers), func(b *testing.B) {
			for range b.N {
				overDTLS(b, workers)
			}
		})
	}
}

func overDTLS(b *testing.B, workers int) {
	l, err := dtls.Listen("127.0.0.1:0", dtlsConfig())
	if err != nil {
		b.Fatal(err)
	}
	s := newScene(b, dtlsScene, func(_ *scene, c *serverConfig) { c.Listener, c.Workers = l, workers })
	defer s.engine.Close()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	last := time.Now()
	load := exec.Command(self, "-test.run", "^TestLoad$", "-load", l.Addr(), "-load.pin", l.Fingerprint().String(),
		"-load.epoch", fmt.Sprint(last.UnixNano()), "-load.tick", fmt.Sprint(uint32(s.server.Tick())))
	load.Stdout, load.Stderr = os.Stderr, os.Stderr
	life, err := load.StdinPipe() // it ends when this process does
	if err != nil {
		b.Fatal(err)
	}
	if err := load.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = life.Close()
		_ = load.Wait()
	}()
	next := last
	tick := func() time.Duration {
		next = next.Add(frame)
		time.Sleep(time.Until(next))
		now := time.Now()
		s.engine.Update(now.Sub(last))
		last = now
		return time.Since(now)
	}
	for joined := time.Now(); s.server.Stats().Players < s.players; tick() {
		if time.Since(joined) > time.Minute {
			b.Fatalf("only %d ghosts play", s.server.Stats().Players)
		}
	}
	for range warming {
		tick()
	}
	dropped, used, before := s.engine.Time().Dropped, processorTime(), s.server.Stats()
	ticks := make([]time.Duration, 20*tickRate)
	for i := range ticks {
		ticks[i] = tick()
	}
	used, after := processorTime()-used, s.server.Stats()
	if after.Players != s.players {
		b.Fatalf("%d ghosts play at the end", after.Players)
	}
	slices.Sort(ticks)
	b.ReportMetric(0, "ns/op") // of the whole scene, which tells nothing
	b.ReportMetric(float64(ticks[len(ticks)/2])/1e6, "ms/tick")
	b.ReportMetric(float64(ticks[len(ticks)*99/100])/1e6, "ms-p99")
	b.ReportMetric(float64(used)/1e6/float64(len(ticks)), "cpu-ms/tick") // of the whole process
	b.ReportMetric(float64(s.engine.Time().Dropped-dropped)/1e6, "ms-dropped")
	b.ReportMetric(float64(after.SentBytes-before.SentBytes)/1e3/float64(s.players)/20, "kB/s")
}

// TestLoad is the second process: it plays the ghosts until its standard input ends.
func TestLoad(t *testing.T) {
	if *loadAddress == "" {
		t.Skip("BenchmarkServerDTLS starts it")
	}
	pin, err := joinlink.ParseFingerprint(*loadPin)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := snapshot.NewSchema(dtlsScene.config())
	if err != nil {
		t.Fatal(err)
	}
	hello := captureHello(t, dtlsScene.protocol(t))
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	var ghosts []*ghost
	epoch := time.Unix(0, *loadEpoch)
	for next := time.Now(); ; next = next.Add(frame) {
		select {
		case <-ended:
			for _, g := range ghosts {
				if g.broken > 0 {
					t.Errorf("%d packets could not be decoded", g.broken)
				}
			}
			return
		default:
			time.Sleep(time.Until(next))
		}
		for i := 0; i < 8 && len(ghosts) < dtlsScene.players; i++ {
			ghosts = append(ghosts, newGhost(len(ghosts), dtls.Dial(*loadAddress, pin, dtlsConfig()), hello, schema))
		}
		now := time.Since(epoch)
		for _, g := range ghosts {
			g.tick(now, netcode.Tick(*loadTick).Add(int(now/frame)))
		}
	}
}
