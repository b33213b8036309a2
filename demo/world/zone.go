package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// figures is what a zone's process prints, as a line of JSON.
type figures struct {
	Link                              string // clients join by it
	Figures                           zones.Stats
	Players                           int
	LatencyP99, FrozenP99, FrozenMost int // ticks
}

// process is a zone's process: the arena's match on one side, the zone on the other. It is the
// match's rules.Border.
type process struct {
	*zone
	config  rules.Config
	nats    string
	dir     string
	players *dtls.Listener
	match   *rules.Match
	zones   *zones.Zone[arena.State, arena.Input]
	world   *arche.World
	ghost   arche.ID
	bare    []arche.Entity // scratch
}

// runZone runs the process of a zone until its standard input or the context ends.
func runZone(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	p, name := &process{}, ""
	set := flags.New("zone")
	set.StringVar(&name, "name", "", "`name` of the zone")
	set.StringVar(&p.nats, "nats", "", "`address` of NATS")
	set.StringVar(&p.dir, "dir", "", "`folder` of the zone's process on this machine")
	set.IntVar(&p.config.Rate, "hz", 30, "ticks per second")
	set.IntVar(&p.config.Crates, "crates", 20, "crates of the zone when the world begins")
	if err := set.Read(args, stdout, "A zone of the world, which the command without a name begins.\n\n", ""); err != nil {
		return err
	}
	for i := range allZones {
		if allZones[i].name == name {
			p.zone = &allZones[i]
		}
	}
	if p.zone == nil {
		return flags.Badf("-name %q: there is no such zone", name)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // the parent's end of the pipe is closed when the parent ends, however it does
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	p.config.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := p.open(ctx); err != nil {
		return err
	}
	defer p.zones.Close()
	defer p.match.Engine().Close()
	return p.run(ctx, bufio.NewWriter(stdout))
}

// open opens the sockets and takes the zone.
func (p *process) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	// Clients return to the address and the certificate that they know.
	certificate, err := dtls.LoadOrCreateCertificate(filepath.Join(p.dir, "certificate.pem"), nil)
	if err != nil {
		return err
	}
	file, address := filepath.Join(p.dir, "address"), "127.0.0.1:0"
	if known, err := os.ReadFile(file); err == nil {
		address = string(known)
	}
	crowd := dtls.Rate{PerSecond: 200, Burst: 400} // all bots are of one network
	if p.players, err = dtls.Listen(address, dtls.Config{Certificate: certificate, NetworkHandshakes: crowd, NetworkCookies: crowd}); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(p.players.Addr()), 0o600); err != nil {
		return err
	}
	level := arena.NewWorld()
	level.Spawns = level.Spawns[:0]
	for _, at := range arena.NewWorld().Spawns {
		if p.inside(at) {
			level.Spawns = append(level.Spawns, at)
		}
	}
	c := &p.config
	c.Level, c.Extend, c.Border, c.Serve, c.Listener = level, extend, p, p.serve(ctx), p.players
	c.MaxPlayers, c.PerAddress, c.Seed = 200, -1, uint64(p.number)
	p.match, err = rules.New(*c)
	return err
}

// serve returns the function that makes the match's server: that of the zone.
func (p *process) serve(ctx context.Context) func(*ecs.Engine, *arena.Protocol, rules.ServerConfig) (*rules.Server, error) {
	return func(e *ecs.Engine, protocol *arena.Protocol, c rules.ServerConfig) (*rules.Server, error) {
		links, err := zones.DTLS("127.0.0.1:0", "", nil)
		if err != nil {
			return nil, err
		}
		p.zones, err = zones.New(ctx, protocol, zones.Config[arena.State, arena.Input]{
			NATS: p.nats, World: worldName, Zone: p.name, Dir: p.dir, Address: p.players.Link("127.0.0.1", "").String(),
			Links: links, Server: c, Band: 24, Log: p.config.Log,
			Spawn: func(a *zones.Arrival[arena.State, arena.Input]) arche.Entity {
				return p.match.Spawn(a.Archetype, a.Pose)
			},
			Arrived: func(a *zones.Arrival[arena.State, arena.Input]) {
				if a.Player != nil {
					p.match.Arrived(a.Player)
				}
			},
			Departed: func(_ arche.Entity, player *rules.Player) {
				if player != nil {
					p.match.Departed(player)
				}
			},
			Populate: func(*arche.World) { p.match.Populate(p.inside) },
			Receive:  func(e arche.Entity, event []byte) { p.match.Receive(e, event) },
		})
		if err != nil {
			return nil, err
		}
		zones.Carry(p.zones, "crate", netcode.StructState[arena.Crate]()) // exactly
		e.Install(p.zones)
		p.world = e.World()
		p.ghost = arche.ComponentID[zones.Ghost](p.world)
		e.AddAt(ecs.FixedEnd, netcode.OrderReplicate-1, ecs.SystemFunc(p.mark))
		return p.zones.Server(), nil
	}
}

// Mine implements rules.Border.
func (p *process) Mine(e arche.Entity) bool { return !p.world.Has(e, p.ghost) }

// Inside implements rules.Border.
func (p *process) Inside(at mgl32.Vec3) bool { return p.inside(at) }

// Send implements rules.Border.
func (p *process) Send(to arche.Entity, event []byte) { p.zones.Send(to, event) }

// Claim implements rules.Border.
func (p *process) Claim(e arche.Entity, distance float32) { p.zones.Claim(e, distance) }

// mark keeps platforms and doors in their zone, and gives all entities badges.
func (p *process) mark(w *arche.World) {
	id, mark, resident := arche.ComponentID[names.ID](w), arche.ComponentID[badge](w), arche.ComponentID[zones.Resident](w)
	replicated := arche.ComponentID[netcode.Replicated](w)
	fixed := func(e arche.Entity) bool {
		return (*netcode.Replicated)(w.Get(e, replicated)).Archetype >= arena.ArchetypePlatform
	}
	p.bare = p.bare[:0]
	q := w.Query(arche.All(id, replicated, arche.ComponentID[components.Transform3D](w)))
	for q.Next() {
		if e := q.Entity(); !q.Has(mark) || !q.Has(resident) && fixed(e) {
			p.bare = append(p.bare, e)
		} else if zone, ok := p.zones.Owner(e); ok {
			*(*badge)(q.Get(mark)) = badge{uint16(zone), uint64((*names.ID)(q.Get(id)).Name)}
		}
	}
	for _, e := range p.bare {
		if !w.Has(e, mark) {
			w.Add(e, mark)
			zone, _ := p.zones.Owner(e)
			*(*badge)(w.Get(e, mark)) = badge{uint16(zone), uint64((*names.ID)(w.Get(e, id)).Name)}
		}
		if fixed(e) && !w.Has(e, resident) {
			w.Add(e, resident)
		}
	}
}

// run runs the zone in real time, and prints its figures four times a second.
func (p *process) run(ctx context.Context, out *bufio.Writer) error {
	engine := p.match.Engine()
	start := time.Now()
	var last, told time.Duration
	for ctx.Err() == nil {
		now := time.Since(start)
		engine.Update(now - last)
		last = now
		if told == 0 || now-told >= time.Second/4 {
			told = now
			if err := p.tell(out); err != nil {
				return fmt.Errorf("the window's process does not read: %w", err)
			}
		}
		select {
		case <-p.zones.Done():
			return p.zones.Err()
		default:
		}
		t := engine.Time()
		time.Sleep(min(t.Fixed-t.Normal-time.Since(start)+now, 10*time.Millisecond))
	}
	return nil
}

// tell prints the figures.
func (p *process) tell(out *bufio.Writer) error {
	s := p.zones.Stats()
	f := figures{
		Link: p.players.Link("127.0.0.1", "").String(), Figures: s,
		LatencyP99: s.Latency.Quantile(0.99), FrozenP99: s.Frozen.Quantile(0.99), FrozenMost: s.Frozen.Quantile(1),
	}
	p.match.Server().Players(func(player *rules.Player) {
		if !player.Entity.IsZero() { // no spectator
			f.Players++
		}
	})
	f.Figures.Latency, f.Figures.Frozen = zones.Ticks{}, zones.Ticks{}
	if err := json.NewEncoder(out).Encode(f); err != nil {
		return err
	}
	return out.Flush()
}
