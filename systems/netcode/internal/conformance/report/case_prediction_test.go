package report

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const player = "own player"

// predictionCases returns the cases of prediction on the client and of inputs on the server.
func predictionCases() []special {
	lossy := duplex("base, 15 % loss", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15})
	cut := base
	cut.Up.Script = []linksim.Event{{Kind: linksim.Cut, At: 10 * time.Second, By: 500 * ms}}
	return []special{
		{
			number: "22", condition: base.Name + ", own player strafes",
			bounds: []bound{
				{Lane: player, What: "ticks whose input is not in the state of the same tick", Unit: conformance.Counts},
				{Lane: player, What: "rollbacks", Unit: conformance.Counts},
				{Lane: player, What: "inputs missed by the server", Unit: conformance.Percents},
			},
			run: func(seed uint64) []float64 {
				m := newPlayerMatch(base, seed, 1, strafing)
				m.run(60)
				return []float64{float64(m.slow), float64(m.corrections), m.buffer.Stats().Missed()}
			},
		},
		{
			number: "23", condition: base.Name + ", the server pushes 0.5 m each 2 s",
			bounds: []bound{
				{Lane: player, What: "error offset left after 0.7 s", Unit: conformance.Percents, Limit: 0.10},
				{Lane: player, What: "ticks in which it grows without a correction", Unit: conformance.Counts},
				{Lane: player, What: "corrections beyond one for each push", Unit: conformance.Counts},
			},
			run: pushed,
		},
		{
			number: "24", condition: lossy.Name + " of inputs, redundancy until acknowledged",
			bounds: []bound{
				{Lane: player, What: "inputs missed, with 3 ticks of slack", Unit: conformance.Unit{Format: "%.3f %%", Factor: 100}, Limit: 0.001},
				{Lane: player, What: "presses lost", Unit: conformance.Counts},
				{Lane: player, What: "presses run twice", Unit: conformance.Counts},
				{Lane: player, What: "inputs missed, with 2 ticks of slack", Unit: conformance.Unit{Format: "%.3f %%", Factor: 100}, Compare: true},
			},
			run: func(seed uint64) []float64 {
				m := newPlayerMatch(lossy, seed, 3, quietly(strafing, 297))
				m.run(300)
				lost, doubled := m.presses()
				less := newPlayerMatch(lossy, seed, 2, strafing)
				less.run(300)
				return []float64{m.buffer.Stats().Missed(), float64(lost), float64(doubled), less.buffer.Stats().Missed()}
			},
		},
		{
			number: "25", condition: base.Name + ", 500 ms of inputs lost",
			bounds: []bound{
				{Lane: player, What: "ticks for which the last input is repeated", Unit: conformance.Counts, Limit: 12},
				{Lane: player, What: "until the prediction is right again", Unit: conformance.Millis, Limit: 0.5},
				{Lane: player, What: "presses lost", Unit: conformance.Counts},
			},
			run: func(seed uint64) []float64 {
				m := newPlayerMatch(cut, seed, 3, quietly(func(t tick.Tick) control { return control{1, strafing(t).Press} }, 17))
				m.run(20)
				lost, _ := m.presses()
				return []float64{float64(m.longest), float64(m.lastWrong)/tickRate - 10.5, float64(lost)}
			},
		},
		{
			number: "26", condition: "inputs at 2, 10 and 1000 times the rate", once: true,
			bounds: []bound{
				{Lane: player, What: "speed, inputs on ticks", Unit: conformance.Unit{Format: "%.1f %%", Factor: 100}, Limit: 1.01},
				{Lane: player, What: "speed, inputs on arrival", Unit: conformance.Unit{Format: "%.1f %%", Factor: 100}, Limit: 1.01},
				{Lane: player, What: "inputs that wait at most", Unit: conformance.Counts, Limit: 6},
			},
			run: func(uint64) []float64 {
				var ticks, arrival, waiting float64
				for _, times := range []int{2, 10, 1000} {
					ticks = max(ticks, speedOnTicks(times))
					a, w := speedOnArrival(times)
					arrival, waiting = max(arrival, a), max(waiting, w)
				}
				return []float64{ticks, arrival, waiting}
			},
		},
		{
			number: "27", condition: "10 s of silence, then 306 inputs, on arrival", once: true,
			bounds: []bound{
				{Lane: player, What: "moved in the tick that processes them", Unit: conformance.Metres, Limit: 0.6},
				{Lane: "Seed: Log #5's rule", What: "moved in the tick that processes them", Unit: conformance.Metres, Limit: 0.6, Control: true},
			},
			run: func(uint64) []float64 {
				return []float64{banked(prediction.ArrivalConfig[control]{Rules: controlRules}, tickLength),
					banked(prediction.ArrivalConfig[control]{Step: 33 * ms, Bank: prediction.Unlimited}, 33*ms)}
			},
		},
	}
}

// speedOnTicks returns the speed, relative to an honest client, of a client that sends a number of
// inputs per tick. The newest of them is Window-1 ticks ahead of the server.
func speedOnTicks(times int) float64 {
	b := prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: controlRules})
	var state runner
	const seconds = 10
	for k := range tick.Tick(seconds * tickRate) {
		for i := range times {
			if b.Admit() {
				b.Put(b.Tick().Add(prediction.Window-times+i), control{Move: 1})
			}
		}
		in, _ := b.Next()
		state = state.step(in, k)
	}
	return state.X / (seconds * runSpeed)
}

// speedOnArrival returns the same with inputs on arrival, and the greatest number of inputs that
// waited.
func speedOnArrival(times int) (speed, waiting float64) {
	a := prediction.NewArrivals(prediction.ArrivalConfig[control]{Rules: controlRules})
	var state runner
	var id tick.Tick
	const seconds = 10
	for k := range int64(seconds * tickRate) {
		for range times {
			a.Put(id, control{Move: 1})
			id++
		}
		now := time.Duration(k) * time.Second / tickRate
		a.Advance(now, time.Duration(k/3*3+3)*time.Second/tickRate)
		for in, ok := a.Next(); ok; in, ok = a.Next() {
			state = state.step(in, 0)
		}
		waiting = max(waiting, float64(a.Waiting()))
	}
	return state.X / (seconds * runSpeed), waiting
}

// banked returns how far a player moves in one tick of the server after ten seconds of silence,
// when 306 inputs of the given length arrive at once.
func banked(c prediction.ArrivalConfig[control], length time.Duration) (moved float64) {
	c.Step = length
	a := prediction.NewArrivals(c)
	a.Put(0, control{})
	run := func(now, horizon time.Duration) (x float64) {
		a.Advance(now, horizon)
		for in, ok := a.Next(); ok; in, ok = a.Next() {
			x += float64(in.Move) * length.Seconds() * runSpeed
		}
		return x
	}
	for k := range int64(10 * tickRate) {
		run(time.Duration(k)*time.Second/tickRate, time.Duration(k/6*6+6)*time.Second/tickRate)
	}
	for i := range 306 {
		a.Put(tick.Tick(1+i), control{Move: 1})
	}
	now := length + 10*time.Second
	return run(now, now+100*ms)
}
