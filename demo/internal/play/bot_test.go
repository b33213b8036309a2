package play

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// person plays about as well as a beginner with a mouse. It looks for the other player, keeps at a
// distance and strafes there. It reacts after a quarter of a second, adds most of the way that the
// target has run since, and misses the point by 4 degrees in the mean of squares. It shoots three
// times a second.
type person struct {
	random *rand.Rand
	other  mgl32.Vec3 // the other player's place in the newest picture; zero: none
	places []mgl32.Vec3
	error  [2]float64
	side   mgl32.Vec3
}

func (p *person) Input(s *view.Client, t netcode.Tick) (in arena.Input, push bool) {
	const late = 15 // ticks of a quarter of a second
	me, ok := s.Net().State()
	if !ok {
		return in, false
	}
	at, muzzle := p.other, me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0})
	if at != (mgl32.Vec3{}) {
		if p.places = append(p.places, at); len(p.places) > late+2 {
			p.places = p.places[1:]
		}
		target := p.places[0].Add(mgl32.Vec3{0, arena.Height / 2, 0})
		if len(p.places) == late+2 {
			target = target.Add(p.places[1].Sub(p.places[0]).Mul(late * 0.8))
		}
		if t%24 == 0 {
			p.error = [2]float64{p.random.NormFloat64() * 4, p.random.NormFloat64() * 4}
			angle := p.random.Float64() * 2 * math.Pi
			p.side = mgl32.Vec3{float32(math.Cos(angle)), 0, float32(math.Sin(angle))}
		}
		in.Yaw, in.Pitch = arena.Toward(muzzle, target)
		in.Yaw += uint16(int(p.error[0]/360*4096)) & 4095
		in.Yaw &= 4095
		in.Pitch = int8(min(max(float64(in.Pitch)+p.error[1]/180*256, -100), 100))
		way := target.Sub(muzzle)
		distance := way.Len()
		seen := s.Rules().Reach(arena.Shot{From: muzzle, Direction: way.Normalize()}, t) > distance-0.5
		in.Fire = seen && distance < 16 && t%20 < 2
		run := p.side
		if !seen || distance > 10 {
			run = way.Normalize().Add(p.side)
		}
		in.X, in.Z = int8(mgl32.Clamp(run[0], -1, 1)*7), int8(mgl32.Clamp(run[2], -1, 1)*7)
		in.Jump = t%97 == 0
	}
	return in, false
}

// A person beats a fair bot, which scores all the same, and loses to a hard one.
func TestAPersonCanBeatTheBot(t *testing.T) {
	play := func(skill settings.Skill, n uint64) (points, shots, hits [2]int) {
		v := newVirtual(t, func(c *rules.Config) {
			c.Seed = n + 1
			c.Shot = func(p *rules.Player, hit bool) {
				i := p.Number() - 1
				if shots[i]++; hit {
					hits[i]++
				}
			}
		})
		link := settings.Link{Latency: 60 * time.Millisecond, Jitter: 6 * time.Millisecond, Loss: 0.01, Seed: 10 * n}
		me := &person{random: rand.New(rand.NewPCG(n, 3))}
		v.join(link, me)
		v.run(time.Second, nil) // so the person is player 1
		bot := view.NewBot(n)
		bot.Skill = skill
		v.join(link, bot)
		v.run(20*time.Second, func() { me.other = places(v.clients[0])["player-2"] })
		pawns := generic.NewMap1[arena.Pawn](v.match.Engine().World())
		v.match.Server().Players(func(p *rules.Player) { points[p.Number()-1] = int(pawns.Get(p.Entity).Score) })
		return points, shots, hits
	}
	for _, test := range []struct {
		skill settings.Skill
		least float64 // the person's part of all points, beaten or not
		most  float64
	}{{settings.Fair, 0.5, 0.95}, {settings.Hard, 0, 0.45}} {
		var points, shots, hits [2]int
		for n := range uint64(2) {
			p, s, h := play(test.skill, n)
			for i := range 2 {
				points[i], shots[i], hits[i] = points[i]+p[i], shots[i]+s[i], hits[i]+h[i]
			}
		}
		name, _ := test.skill.MarshalText()
		t.Logf("%s bot: %d of %d of its shots hit, %d of %d of the person's; the person has %d points, the bot %d",
			name, hits[1], shots[1], hits[0], shots[0], points[0], points[1])
		if part := float64(points[0]) / float64(points[0]+points[1]); !(part >= test.least && part <= test.most) {
			t.Errorf("the person gets %.2f of the points against the %s bot, want %.2f to %.2f", part, name, test.least, test.most)
		}
	}
}
