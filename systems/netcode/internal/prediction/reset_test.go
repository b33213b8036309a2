package prediction_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// For any inputs at any times, and any number of resets, the player must not run faster than the
// clock, except for the inputs that the bank or an interval between two network ticks holds.
func TestResetsGiveNoTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bank, interval := rapid.IntRange(1, 20).Draw(t, "bank"), rapid.IntRange(0, 40).Draw(t, "interval")
		c := prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: bank, Rules: rules, Kick: prediction.Policy{Excess: -1}}
		a := prediction.NewArrivals(c)
		a.SetInterval(interval)
		every := max(time.Duration(interval), 5) * c.Step
		most := max(bank, interval)
		now, horizon := time.Duration(0), time.Duration(0)
		id := tick.Tick(rapid.Uint32().Draw(t, "first id"))
		put, admitted, steps := 0, 0, 0
		var times []time.Duration // when inputs ran
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					a.Put(id, control{Move: 1})
					id++
					put++
				}
			},
			"packets": func(t *rapid.T) {
				for range rapid.IntRange(1, 200).Draw(t, "n") {
					if a.Admit() {
						admitted++
					}
				}
			},
			"reset": func(t *rapid.T) {
				a.Reset()
				id = tick.Tick(rapid.Uint32().Draw(t, "next id"))
				if _, ok := a.Last(); ok || a.Waiting() > 0 {
					t.Fatalf("after a reset there is a last id, or %d wait", a.Waiting())
				}
			},
			"advance": func(t *rapid.T) {
				n := rapid.IntRange(0, 30).Draw(t, "steps")
				steps += n
				now += time.Duration(n) * c.Step
				for horizon < now {
					horizon += every
				}
				a.Advance(now, horizon)
				for range count(a) {
					times = append(times, horizon)
				}
			},
			"": func(t *rapid.T) {
				for i := range times {
					if n, limit := len(times)-i, int((horizon-times[i])/c.Step)+most; n > limit {
						t.Fatalf("%d ran in %v, want at most %d", n, horizon-times[i], limit)
					}
				}
				s := a.Stats()
				if int(s.Run+s.Dropped+s.Shed)+a.Waiting() != put || int(s.Run) != len(times) {
					t.Fatalf("%+v and %d waiting of %d sent", s, a.Waiting(), put)
				}
				if admitted > 128+2*steps {
					t.Fatalf("%d packets were admitted in %d steps", admitted, steps)
				}
			},
		})
	})
}

// A player whose inputs arrive one in each step must run all of them, however rare network ticks
// are.
func TestInputCreditCoversAnInterval(t *testing.T) {
	for _, interval := range []int{1, 3, 6, 7, 12, 60, 240} {
		a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms})
		a.SetInterval(interval)
		every := time.Duration(interval) * 10 * ms
		const steps = 1200
		ran := 0
		for k := range time.Duration(steps) {
			a.Put(tick.Tick(k), control{Move: 1})
			now := k * 10 * ms
			a.Advance(now, now/every*every+every)
			ran += count(a)
		}
		if s := a.Stats(); ran != steps || s.Forfeited > 0 || s.Dropped+s.Shed > 0 {
			t.Errorf("network ticks each %v: %d of %d ran; %+v", every, ran, steps, s)
		}
	}
}

// A reset must not let either kind of input queue accept more packets.
func TestResetOpensNoGate(t *testing.T) {
	b := prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: rules})
	admitted := 0
	for range 1000 {
		if b.Admit() {
			admitted++
		}
		b.Reset(0)
	}
	if s := b.Stats(); admitted != 128 || s.Refused != 872 || !b.Kick() {
		t.Errorf("%d of 1000 packets were admitted without a tick, kick %v, %+v", admitted, b.Kick(), s)
	}
}
