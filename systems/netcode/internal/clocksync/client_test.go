package clocksync

import (
	"testing"
	"time"
)

func TestClientPingsFastAtFirstAndAfterAStall(t *testing.T) {
	c := NewClient(Config{})
	now := 7 * time.Hour
	pings := func(d time.Duration) int {
		n := 0
		for end := now + d; now < end; now += frame {
			if c.PingDue(now) {
				n++
			}
			c.Update(now, EngineTime{})
		}
		return n
	}
	within := func(what string, got, want int) {
		if got < want-1 || got > want+2 {
			t.Errorf("%s: %d pings, want about %d", what, got, want)
		}
	}
	within("the first ten seconds", pings(10*time.Second), 100)
	within("the next minute", pings(time.Minute), 240)
	now += 20 * time.Second
	within("ten seconds after a stall", pings(10*time.Second), 100)
	within("later", pings(10*time.Second), 40)
}

func TestClientBeforeItIsSynced(t *testing.T) {
	c := NewClient(Config{})
	if c.Synced() {
		t.Error("a new client is synced")
	}
	stretch, jump := c.Update(time.Second, EngineTime{Normal: time.Second, Fixed: time.Second, Tick: 60})
	if stretch != 1 || jump != (ClockJump{}) || c.Synced() {
		t.Errorf("without answers: stretch %v, %+v", stretch, jump)
	}
	c.Sent(5, time.Second)                             // does nothing
	c.Reported(time.Second, Report{Newest: 5, Age: 3}) // does not count: nothing was sent
	if s := c.Stats(); s.Age != NoAge || s.RTT != 0 {
		t.Errorf("%+v", s)
	}
}

func TestClientStats(t *testing.T) {
	w := newWorld(t, 1)
	w.start()
	w.Run(30 * time.Second)
	w.up.Delay += 50 * ms
	w.down.Delay += 50 * ms
	w.Run(60 * time.Second)
	w.lost = 3 * time.Second
	w.Run(90 * time.Second)
	s := w.client.Stats()
	reference, lead, simulation := w.client.reference, w.client.lead, w.client.simulation
	if least := reference.MinRTT(); (s.RTT-300*ms).Abs() > 15*ms || least < 278*ms || least > 295*ms || s.Jitter < 5*ms || s.Jitter > 15*ms {
		t.Errorf("round trip %v, least %v, jitter %v", s.RTT, least, s.Jitter)
	}
	if got, want := reference.Offset(w.local(w.Now)), w.server(w.Now)-w.local(w.Now); (got - want).Abs() > 8*ms {
		t.Errorf("offset %v, want %v", got, want)
	}
	routes, steps := 0, 0
	for _, change := range w.changes {
		if change.RTT != 0 {
			routes++
		}
		if change.Step != 0 {
			steps++
		}
	}
	if routes != 1 || steps != 1 || len(w.jumps) != 3 {
		t.Errorf("%d routes, %d steps, %d jumps; want 1, 1, 3 (at the start, for late inputs, for the step)", routes, steps, len(w.jumps))
	}
	if (lead.Way()-150*ms).Abs() > 15*ms || s.Lead != lead.Way()+lead.TargetAge() || s.Age < 8 || reference.samples.n < 100 {
		t.Errorf("way %v, target age %v, %d samples, %+v", lead.Way(), lead.TargetAge(), reference.samples.n, s)
	}
	if drift := reference.Drift(); simulation.stretch < 0.99 || simulation.stretch > 1.01 || simulation.err.Abs() > 3*ms || drift > 200e-6 || drift < -200e-6 {
		t.Errorf("stretch %v, error %v, drift %v", simulation.stretch, simulation.err, drift)
	}
}

// A client allocates nothing in a frame.
func TestClientAllocatesNothing(t *testing.T) {
	c := NewClient(Config{})
	meter := NewAgeMeter(Grid{})
	view := NewView()
	engine := newTestEngine(Grid{})
	now := time.Duration(0)
	if n := testing.AllocsPerRun(2000, func() {
		now += frame
		if c.PingDue(now) {
			if _, err := c.Answered(Sample{now - 40*ms, now - 20*ms, now - 20*ms, now}); err != nil {
				t.Error(err)
			}
		}
		engine.update(frame)
		stretch, _ := c.Update(now, engine.time())
		engine.stretch = int64(stretch * 1e6)
		tick := c.Tick(engine.tick)
		c.Sent(tick, now)
		meter.Arrived(tick, now+20*ms)
		c.Reported(now, meter.Report())
		view.Advance(now, c.Reference().At(now), 100*ms)
		if stretch == 0 || c.Stats().Lead == 0 && c.Synced() {
			t.Error("no stretch or no lead")
		}
	}); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

// A ping during which the machine did not run gives no sample, whether its answer is read at once
// or later. The next ping gives one.
func TestClientRefusesSamplesSentDuringAStall(t *testing.T) {
	c := NewClient(Config{})
	now := time.Second
	run := func(length time.Duration) {
		now += length
		c.Update(now, EngineTime{Normal: now})
	}
	answer := func(sent time.Duration) error {
		_, err := c.Answered(Sample{sent, sent + 20*ms, sent + 20*ms, now})
		return err
	}
	for range 60 {
		run(frame)
	}
	before := now
	run(frame)
	if err := answer(before); err != nil {
		t.Errorf("a ping without a stall: %v", err)
	}
	before = now
	now += 2 * time.Second
	if err := answer(before); err != ErrStalled {
		t.Errorf("read on waking, before the clocks know: %v, want ErrStalled", err)
	}
	c.Update(now, EngineTime{Normal: now})
	woke := now
	for range 3 {
		run(frame)
	}
	if err := answer(before + ms); err != ErrStalled {
		t.Errorf("read later: %v, want ErrStalled", err)
	}
	if err := answer(woke); err != nil {
		t.Errorf("a ping from after the stall: %v", err)
	}
	if rtt := c.Stats().RTT; rtt > 60*ms {
		t.Errorf("a round trip of %v", rtt)
	}
}

// For a client that draws three frames a second from some time on, these frames do not all count as
// stalls.
func TestClientTakesLastingLongFramesForFrames(t *testing.T) {
	c := NewClient(Config{})
	now, answered := time.Duration(0), time.Duration(0)
	for now < 30*time.Second {
		before := now
		now += 330 * ms
		c.Update(now, EngineTime{Normal: now})
		if _, err := c.Answered(Sample{before + ms, before + 20*ms, before + 20*ms, now + ms}); err == nil && answered == 0 {
			answered = now
		}
	}
	if answered == 0 || answered > 10*time.Second {
		t.Errorf("the first sample at %v, want one within 10 s", answered)
	}
}

func BenchmarkReferenceAdd(b *testing.B) {
	p := newPinged(b, 1)
	p.start()
	p.Run(2 * time.Minute)
	now := p.local(p.Now)
	b.ReportAllocs()
	for b.Loop() {
		now += 250 * ms
		if _, err := p.reference.Add(Sample{now - 200*ms, p.server(p.Now), p.server(p.Now), now}); err != nil && err != ErrOrder {
			b.Fatal(err)
		}
	}
}

func BenchmarkClientFrame(b *testing.B) {
	w := newWorld(b, 1)
	w.start()
	w.Run(time.Minute)
	now := w.local(w.Now)
	engine := w.engine.time()
	b.ReportAllocs()
	for b.Loop() {
		now += frame
		engine.Normal += frame
		w.client.Update(now, engine)
		real, reference := w.client.Playback(engine.Normal + frame)
		w.view.Advance(real, reference, 150*ms)
	}
}
