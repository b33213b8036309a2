package zones_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// process is a process that the test has begun.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.Closer
	mu    sync.Mutex
	lines []line
	ended chan struct{}
}

// start begins a helper. The end of the test ends it.
func start(t *testing.T, kind, name string, env ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{name: name, cmd: exec.Command(self), ended: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), helper+"="+kind, "NAME="+name), env...)
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for d := json.NewDecoder(out); ; {
			var l line
			if d.Decode(&l) != nil {
				break
			}
			p.mu.Lock()
			p.lines = append(p.lines, l)
			p.mu.Unlock()
		}
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

// end ends a process by a signal.
func (p *process) end(s syscall.Signal) {
	_ = p.cmd.Process.Signal(s)
	<-p.ended
}

// newest returns what a zone has written last.
func (p *process) newest() (l line, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) == 0 {
		return l, false
	}
	return p.lines[len(p.lines)-1], true
}

// fleet is a world of processes with three nodes of NATS, and bots in this process.
type fleet struct {
	t       *testing.T
	dir     string
	url     string
	nodes   []*process
	node    [][]string // their environments
	zones   map[string]*process
	bots    []*bot
	mu      sync.Mutex
	address map[string]string // of the zones, as in their records
	last    time.Time
	longest time.Duration // frame of the bots
}

func newFleet(t *testing.T, perZone int) *fleet {
	f := &fleet{t: t, dir: t.TempDir(), zones: map[string]*process{}, address: map[string]string{}}
	var ports []int
	var held []net.Listener
	for range 6 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held, ports = append(held, l), append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	for _, l := range held {
		_ = l.Close()
	}
	routes, urls := []string{}, []string{}
	for i := range 3 {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
	}
	f.url = strings.Join(urls, ",")
	for i := range 3 {
		f.node = append(f.node, []string{
			fmt.Sprintf("PORT=%d", ports[i]), fmt.Sprintf("ROUTE=%d", ports[3+i]), "ROUTES=" + strings.Join(routes, ","),
			"DIR=" + filepath.Join(f.dir, fmt.Sprint("node", i)),
		})
		f.nodes = append(f.nodes, start(t, "nats", fmt.Sprint("node", i), f.node[i]...))
	}
	data := quadrants().JSON()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for ; ; time.Sleep(200 * time.Millisecond) {
		attempt, stop := context.WithTimeout(ctx, 10*time.Second)
		err := zones.WriteMap(attempt, f.url, "", "vale", data)
		stop()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("NATS does not begin: %v", err)
		}
	}
	for _, name := range all {
		f.begin(name, name)
	}
	go f.follow(t.Context())
	f.wait(60*time.Second, "the zones begin", func() bool { return f.active(all...) })
	random := rand.New(rand.NewPCG(*seeds, 9))
	for i := range 4 * perZone {
		f.join(i, perZone, random)
	}
	return f
}

// begin begins a process of a zone, in a folder.
func (f *fleet) begin(name, dir string) *process {
	folder := filepath.Join(f.dir, dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		f.t.Fatal(err)
	}
	p := start(f.t, "zone", name, "NATS="+f.url, "DIR="+folder, "RECORD="+filepath.Join(f.dir, "record-"+name+"-"+dir))
	f.zones[name] = p
	return p
}

func (f *fleet) active(names ...string) bool {
	for _, name := range names {
		if l, ok := f.zones[name].newest(); !ok || !l.Stats.Active {
			return false
		}
	}
	return true
}

// follow keeps the addresses of the zones.
func (f *fleet) follow(ctx context.Context) {
	conn, err := store.Connect(f.url, "")
	if err != nil {
		return
	}
	defer conn.Close()
	st, err := store.Open(ctx, conn, "vale")
	for ; err == nil && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		records, err := st.Records(ctx)
		if err != nil {
			continue
		}
		f.mu.Lock()
		for _, r := range records {
			f.address[r.Zone] = r.Record.Address
		}
		f.mu.Unlock()
	}
}

// dialAt is a client's way to the address of a zone.
func dialAt(at string) (transport.Conn, error) {
	l, err := joinlink.Parse(at)
	if err != nil {
		return nil, err
	}
	return dtls.Dial(l.Address(), l.Fingerprint, dtls.Config{Log: quiet()}), nil
}

// join adds a bot. The clients have the tick rate of the zones.
func (f *fleet) join(i, perZone int, random *rand.Rand) {
	along := 8 + float32(i/4)*240/float32(max(perZone, 24))
	b := &bot{
		turn: float32(1 - 2*(i%2)), draws: i < 24, last: map[arche.Entity][2]mgl32.Vec3{}, seen: map[arche.Entity]int{},
		center: []runner{{along, 0}, {-along, 0}, {0, along}, {0, -along}}[i%4],
	}
	zone := []string{"se", "nw", "se", "nw"}[i%4]
	protocol, err := gameProtocol(processRate)
	if err != nil {
		f.t.Fatal(err)
	}
	b.Client, err = netcode.NewClient(protocol, netcode.ClientConfig[runner, input]{
		Token: fmt.Append(nil, b.center.X, " ", b.center.Z), Log: quiet(), Retry: 250 * time.Millisecond, Timeout: 1500 * time.Millisecond,
		Dial: func() (transport.Conn, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			return dialAt(f.address[zone])
		},
		DialAt: dialAt,
		Input:  func(netcode.Tick) input { return b.think() },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	if b.engine, err = ecs.New(ecs.Config{FixedRate: processRate, Log: quiet()}); err != nil {
		f.t.Fatal(err)
	}
	b.engine.Install(interpolation.New3D(), b.Client)
	b.visuals = generic.NewMap[components.Visual3D](b.engine.World())
	b.replicated = generic.NewMap[netcode.Replicated](b.engine.World())
	f.bots = append(f.bots, b)
}

// run lets the bots play for a while.
func (f *fleet) run(d time.Duration) {
	f.until(d, func() bool { return false })
}

// until lets the bots play, at 60 frames a second, until something holds, for at most a time. It
// reports whether it holds.
func (f *fleet) until(most time.Duration, holds func() bool) bool {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(time.Until(f.last.Add(time.Second / 60))) {
		now := time.Now()
		if passed := now.Sub(f.last); !f.last.IsZero() {
			f.longest = max(f.longest, passed)
			for _, b := range f.bots {
				b.engine.Update(passed)
			}
		}
		f.last = now
		if holds() {
			return true
		}
	}
	return false
}

func (f *fleet) wait(most time.Duration, what string, holds func() bool) {
	f.t.Helper()
	if !f.until(most, holds) {
		f.t.Fatalf("not within %v: %s", most, what)
	}
}

// late returns how many steps of all zones were late until now, and the latest one.
func (f *fleet) late() (n int, most time.Duration) {
	for _, p := range f.zones {
		l, _ := p.newest()
		n, most = n+l.Late, max(most, l.Latest)
	}
	return n, most
}

// playing reports whether all bots play.
func (f *fleet) playing() (n int) {
	for _, b := range f.bots {
		if s, _ := b.Status(); s == netcode.Playing {
			n++
		}
	}
	return n
}

// simulated reads what all processes have written: the zones that simulated each entity in a tick.
func (f *fleet) simulated() map[uint64]map[uint64]int {
	files, err := filepath.Glob(filepath.Join(f.dir, "record-*"))
	if err != nil {
		f.t.Fatal(err)
	}
	all := map[uint64]map[uint64]int{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.t.Fatal(err)
		}
		for text := range strings.Lines(string(data)) {
			if !strings.HasSuffix(text, "\n") {
				break // the process was killed while it wrote
			}
			fields := strings.Fields(text)
			tick, err := strconv.ParseUint(fields[0], 10, 64)
			if err != nil {
				continue
			}
			for _, field := range fields[1:] {
				if n, err := strconv.ParseUint(field, 10, 64); err == nil {
					if all[n] == nil {
						all[n] = map[uint64]int{}
					}
					all[n][tick]++
				}
			}
		}
	}
	return all
}
