package zones_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

var (
	bots     = flag.Int("bots", 3, "players of each zone in TestCrowdCrossesBorders, at most 250")
	duration = flag.Duration("duration", 12*time.Second, "how long they cross, in their own time")
)

// Bots run in circles over the borders of four zones, and cross one about once a second. The
// checker looks at all ticks.
func TestCrowdCrossesBorders(t *testing.T) {
	t.Parallel()
	still := newCrowd(t, *bots, 30)
	still.play(6*time.Second, false)
	still.play(min(*duration, 20*time.Second), true)
	t.Log("without borders:", still.report())
	c := newCrowd(t, *bots, 0)
	c.allowed, c.usual = 2*still.leap, float64(still.leapt)/float64(max(still.drawn, 1))
	c.play(6*time.Second, false)
	c.play(*duration, true)
	t.Log(c.report())
	for _, complaint := range c.complaints() {
		t.Error(complaint)
	}
}

// The checker complains of zones whose clocks are a few ticks apart, and of clients that cannot
// visit a zone before they cross.
func TestCrowdCheckerComplains(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(c *crowd){
		"clocks": func(c *crowd) {
			p := c.zones["se"]
			p.engine.Update(4 * time.Second / tickRate)
		},
		"visits": func(c *crowd) { c.noVisits = true },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, 2, 0)
			c.play(5*time.Second, false)
			spoil(c)
			c.play(4*time.Second, true)
			if len(c.complaints()) == 0 {
				t.Errorf("the checker does not complain: %s", c.report())
			}
		})
	}
}

// crowd is a world with bots, and what its checker has seen.
type crowd struct {
	*world
	bots     []*bot
	drift    map[string]float64 // how much faster a zone's engine runs
	noVisits bool

	known         map[custody.Name]int // the tick in which it had an owner last
	tick          int
	doubled       int
	frozen        zones.Ticks // ticks without an owner, as the checker sees them
	clocks        time.Duration
	corrections   uint64
	correction    float64
	leap, allowed float32
	drawn, leapt  int     // entities in frames, and those of them with a leap of more than 5 cm
	usual         float64 // the share of such leaps without borders
	where         string
	vanished      int
	crossings     uint64
	reconnects    uint64
	base          map[string]zones.Stats
	measured      time.Duration
}

// bot is a client that runs around a point on a border. Only some draw what they see.
type bot struct {
	*netcode.Client[runner, input]
	engine     *ecs.Engine
	center     runner
	turn       float32 // 1 or -1
	draws      bool
	last       map[arche.Entity][2]mgl32.Vec3
	seen       map[arche.Entity]int
	visuals    generic.Map[components.Visual3D]
	replicated generic.Map[netcode.Replicated]
	before     netcode.ClientStats
	start      netcode.ClientStats
}

// mostLeap is how far, in metres, an entity may leave its straight way in a frame. On lines with
// jitter one of ten thousand does so by more, and by twice as much at most. In a crowd that a
// snapshot cannot hold more do so, with or without borders.
const mostLeap = 0.05

// around is the radius of the circles: 2 m beyond the border an entity is handed over, so a bot
// crosses every 1.25 s. A visit to the zone that was just left takes up to a second: the client
// leaves that zone half a second after it has moved, and dials it anew.
const around = 3.2

// newCrowd makes the zones and the bots, which run so many metres beside the border.
func newCrowd(t testing.TB, perZone int, beside float32) *crowd {
	c := &crowd{
		world: newWorld(t, quadrants()), known: map[custody.Name]int{}, base: map[string]zones.Stats{},
		drift: map[string]float64{"nw": 20e-6, "ne": -30e-6, "sw": 50e-6, "se": 0},
	}
	random := rand.New(rand.NewPCG(*seeds, 5))
	c.tune = func(name string, config *zones.Config[runner, input]) {
		// Both ends delay what they receive: sent by a frame later, a message would shift
		// the clocks.
		config.Links.Listener = must(linksim.WrapListener(config.Links.Listener, linksim.Path{Receive: c.between}))
		config.Links.Dial = func(at string, _ joinlink.Fingerprint) (transport.Conn, error) {
			l := c.listens[at]
			if l == nil {
				return nil, errors.New("nothing is there")
			}
			return linksim.Wrap(l.Dial(), linksim.Path{Receive: c.between})
		}
		config.Server.Interest.Radius = 20
		config.Log = quiet()
		config.Server.Log = quiet()
		config.Server.Joined = func(player *netcode.Player[runner, input]) (runner, arche.Entity) {
			i, _ := strconv.Atoi(string(player.Token()))
			at := c.bots[i].center
			return at, c.zones[name].spawn(kindRun, components.At3D(at.X, 0, at.Z))
		}
	}
	for _, name := range all {
		c.begin(name, 0)
	}
	for range 11 * tickRate { // until the clocks are together, at 0.2 %
		c.frame()
	}
	for i := range 4 * perZone {
		along := 8 + float32(i/4)*240/float32(max(perZone, 24)) // from the corner
		b := &bot{
			turn: float32(1 - 2*(i%2)), draws: i%8 < 2 || perZone < 10, last: map[arche.Entity][2]mgl32.Vec3{}, seen: map[arche.Entity]int{},
			center: []runner{{along, beside}, {-along, -beside}, {beside, along}, {-beside, -along}}[i%4],
		}
		zone := []string{"se", "nw", "se", "nw"}[i%4]
		line := linksim.Condition{Delay: time.Duration(10+random.IntN(40)) * time.Millisecond, Jitter: time.Duration(1+random.IntN(4)) * time.Millisecond}
		config := netcode.ClientConfig[runner, input]{
			Token: []byte(strconv.Itoa(i)), Log: quiet(), Interpolation: interp.Naive,
			Dial: func() (transport.Conn, error) { return c.dial(zone, line) },
			DialAt: func(at string) (transport.Conn, error) {
				if c.noVisits {
					line.Loss = 1
				}
				return c.dial(at, line)
			},
			Input: func(netcode.Tick) input { return b.think() },
		}
		if b.draws {
			config.Interpolation = interp.Default
		}
		var err error
		if b.Client, err = netcode.NewClient(newProtocol(t), config); err != nil {
			t.Fatal(err)
		}
		if b.engine, err = ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()}); err != nil {
			t.Fatal(err)
		}
		if b.draws {
			b.engine.Install(interpolation.New3D())
		}
		b.engine.Install(b.Client)
		b.replicated = generic.NewMap[netcode.Replicated](b.engine.World())
		b.visuals = generic.NewMap[components.Visual3D](b.engine.World())
		c.bots = append(c.bots, b)
	}
	return c
}

// think runs around the center.
func (b *bot) think() input {
	at, ok := b.State()
	if !ok {
		return input{}
	}
	out := mgl32.Vec2{at.X - b.center.X, at.Z - b.center.Z}
	r := out.Len()
	if r < 0.01 {
		return input{X: 100, Fine: true}
	}
	out = out.Mul(1 / r)
	way := mgl32.Vec2{-out[1], out[0]}.Mul(b.turn).Add(out.Mul(max(-1, min(around-r, 1))))
	way = way.Normalize().Mul(100)
	return input{X: int8(math.Round(float64(way[0]))), Z: int8(math.Round(float64(way[1]))), Fine: true}
}

// play lets time pass, and checks it.
func (c *crowd) play(d time.Duration, check bool) {
	if check {
		for name, p := range c.zones {
			c.base[name] = p.Stats()
		}
		for _, b := range c.bots {
			b.start, b.before = b.Stats(), b.Stats()
		}
	}
	for end := c.now + d; c.now < end; {
		c.frame()
		for _, b := range c.bots {
			b.engine.Update(time.Second / tickRate)
		}
		if check {
			c.measured += time.Second / tickRate
			c.check()
		}
	}
}

// frame lets the zones run for a tick, each by its own clock.
func (c *crowd) frame() {
	const tick = time.Second / tickRate
	c.pass(tick)
	c.frames++
	for _, name := range all {
		c.zones[name].engine.Update(tick + time.Duration(float64(c.now)*c.drift[name]) - time.Duration(float64(c.now-tick)*c.drift[name]))
	}
	if c.frames%12 == 0 {
		c.wait()
	}
}

// check looks at all zones and clients after a frame.
func (c *crowd) check() {
	c.tick++
	for n, k := range c.owners() {
		if k > 1 {
			c.doubled++
		}
		if last, old := c.known[n]; old && c.tick > last+1 {
			c.frozen[min(c.tick-last-1, len(c.frozen)-1)]++
		}
		c.known[n] = c.tick
	}
	var least, most time.Duration
	for i, name := range all {
		t := c.zones[name].engine.Time().Normal
		if i == 0 {
			least, most = t, t
		}
		least, most = min(least, t), max(most, t)
	}
	c.clocks = max(c.clocks, most-least)
	for i, b := range c.bots {
		s := b.Stats()
		if s.Corrections != b.before.Corrections {
			c.corrections += s.Corrections - b.before.Corrections
			c.correction = max(c.correction, s.CorrectionError)
		}
		c.crossings += s.Moves - b.before.Moves
		c.reconnects += s.Reconnects - b.before.Reconnects
		b.before = s
		if b.draws {
			c.look(i, b)
		}
	}
}

// look measures by how much what a bot sees leaves its straight way, and whether what is near
// vanishes.
func (c *crowd) look(i int, b *bot) {
	w := b.engine.World()
	now := map[arche.Entity]bool{}
	self := b.Entity()
	own, _ := b.State()
	q := w.Query(arche.All(arche.ComponentID[components.Visual3D](w), arche.ComponentID[netcode.Replicated](w)))
	for q.Next() {
		e := q.Entity()
		now[e] = true
		at, before := b.visuals.Get(e).Get().Position, b.last[e]
		// Farther away entities come and go with the radius of interest, at which they may stop.
		near := at.Sub(mgl32.Vec3{own.X, 0, own.Z}).Len() < 12
		if b.seen[e]++; b.seen[e] > 2 && e != self && near {
			leap := at.Sub(before[0]).Sub(before[0].Sub(before[1])).Len()
			if c.drawn++; leap > mostLeap {
				c.leapt++
			}
			if leap > c.leap {
				c.leap, c.where = leap, fmt.Sprintf("bot %d at %v sees %v, owned by %d, at %v after %v and %v, %v; it has %+v",
					i, b.center, e, b.replicated.Get(e).Owner, at, before[0], before[1], c.now, b.Stats())
			}
		}
		b.last[e] = [2]mgl32.Vec3{at, before[0]}
	}
	for e, at := range b.last {
		if !now[e] {
			if d := at[0].Sub(mgl32.Vec3{own.X, 0, own.Z}).Len(); d < 10 && b.seen[e] > 2 {
				c.vanished++
			}
			delete(b.last, e)
			delete(b.seen, e)
		}
	}
}

// sum adds the histograms of all zones, since the check began.
func (c *crowd) sum(of func(*zones.Stats) *zones.Ticks) (sum zones.Ticks) {
	for name, p := range c.zones {
		now, base := p.Stats(), c.base[name]
		for i, n := range of(&now) {
			sum[i] += n - of(&base)[i]
		}
	}
	return sum
}

// complaints are what is beyond the bounds.
func (c *crowd) complaints() (all []string) {
	bound := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	frozen, latency := c.sum(func(s *zones.Stats) *zones.Ticks { return &s.Frozen }), c.sum(func(s *zones.Stats) *zones.Ticks { return &s.Latency })
	bound(c.doubled == 0, "%d times an entity had two owners in a tick", c.doubled)
	bound(c.correction <= 0.05, "a correction of %.3f m", c.correction)
	bound(float64(c.leapt) <= max(1e-4, c.usual)*float64(c.drawn), "%d leaps of more than %.2f m in %d frames of entities", c.leapt, mostLeap, c.drawn)
	bound(c.leap <= max(2*mostLeap, c.allowed), "a leap of %.3f m: %s", c.leap, c.where)
	bound(c.vanished == 0, "%d entities vanished before players' eyes", c.vanished)
	bound(latency.Quantile(0.99) <= 6, "%d ticks from the offer to the first tick at the new owner", latency.Quantile(0.99))
	bound(frozen.Quantile(0.99) == 0 && frozen.Quantile(1) <= 3, "frozen for p99 %d, at most %d ticks", frozen.Quantile(0.99), frozen.Quantile(1))
	// One is the way of the message.
	bound(c.frozen.Quantile(1) <= 4, "without an owner for up to %d ticks", c.frozen.Quantile(1))
	bound(c.clocks <= time.Millisecond, "clocks %v apart", c.clocks)
	bound(c.reconnects == 0, "%d reconnects", c.reconnects)
	each := c.measured.Seconds() * float64(len(c.bots)) / float64(max(c.crossings, 1))
	bound(each < 2.5, "each bot crosses a border every %.1f s", each)
	for _, b := range c.bots {
		if s, why := b.Status(); s != netcode.Playing {
			bound(false, "a bot is %v: %v", s, why)
		}
	}
	for name, p := range c.zones {
		s := p.Stats()
		bound(s.Malformed+s.Unsent+s.Undelivered == 0, "%s: %d malformed, %d unsent, %d undelivered", name, s.Malformed, s.Unsent, s.Undelivered)
	}
	return all
}

func (c *crowd) report() string {
	frozen, latency := c.sum(func(s *zones.Stats) *zones.Ticks { return &s.Frozen }), c.sum(func(s *zones.Stats) *zones.Ticks { return &s.Latency })
	return fmt.Sprintf("%d bots, %v: %d crossings, one every %.2f s for each; %d corrections (largest %.4f m), leaps at most %.4f m, %d of %d beyond 5 cm, %d vanished; "+
		"from offer to first tick p50 %d p90 %d p95 %d p99 %d max %d, frozen p99 %d max %d, without an owner p99 %d max %d; clocks %v apart; %d reconnects",
		len(c.bots), c.measured, c.crossings, c.measured.Seconds()*float64(len(c.bots))/float64(max(c.crossings, 1)), c.corrections, c.correction, c.leap, c.leapt, c.drawn, c.vanished,
		latency.Quantile(0.5), latency.Quantile(0.9), latency.Quantile(0.95), latency.Quantile(0.99), latency.Quantile(1), frozen.Quantile(0.99), frozen.Quantile(1), c.frozen.Quantile(0.99), c.frozen.Quantile(1), c.clocks, c.reconnects)
}
