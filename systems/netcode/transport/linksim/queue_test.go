package linksim

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// offer pushes datagrams of one size at the interval until a time, lets the link run empty, and
// returns all passages in the order in which they left the queue.
func offer(l *Link, size int, interval, until time.Duration) []Passage {
	var all []Passage
	l.Observe(func(p Passage) { all = append(all, p) })
	datagram := make([]byte, size)
	now := time.Duration(0)
	empty := func() {
		for {
			if _, _, ok := l.Pop(now); !ok {
				return
			}
		}
	}
	for ; now < until; now += interval {
		empty()
		l.Push(now, datagram)
	}
	for at, ok := l.Next(); ok; at, ok = l.Next() {
		now = at
		empty()
	}
	return all
}

// Whatever the sizes and times, a datagram waits for the bytes in front of it at the rate, and is
// dropped if it and they exceed the queue.
func TestDelayIsBytesOverRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]int{1000, 16_000, 250_000}).Draw(t, "rate")
		c := Condition{
			Rate: rate, Delay: 20 * ms, Header: rapid.SampledFrom([]int{0, 66}).Draw(t, "header"),
			Queue: rapid.SampledFrom([]int{0, 5000}).Draw(t, "bytes"), Packets: rapid.SampledFrom([]int{0, 5}).Draw(t, "packets"),
		}
		l, err := NewLink(c)
		if err != nil {
			t.Fatal(err)
		}
		var got []Passage
		l.Observe(func(p Passage) { got = append(got, p) })
		type packet struct {
			size int
			left time.Duration
		}
		var inside []packet
		var want []Passage
		bytes, packets := c.bounds()
		now, busy := time.Duration(0), time.Duration(0)
		for i := range rapid.Uint64Range(1, 100).Draw(t, "datagrams") {
			now += time.Duration(rapid.IntRange(0, int(30*ms)).Draw(t, "gap"))
			size := rapid.IntRange(1, 1200).Draw(t, "size")
			l.Push(now, make([]byte, size))
			inside = slices.DeleteFunc(inside, func(p packet) bool { return p.left <= now })
			size += c.Header
			sum := size
			for _, p := range inside {
				sum += p.size
			}
			if len(inside) > 0 && (sum > bytes || len(inside) >= packets) {
				want = append(want, Passage{Number: i, Sent: now, Begun: now, Left: now, Bytes: size, Lost: true})
				continue
			}
			begun := max(busy, now)
			busy = begun + time.Duration(size)*time.Second/time.Duration(rate)
			inside = append(inside, packet{size, busy})
			want = append(want, Passage{Number: i, Sent: now, Begun: begun, Left: busy, At: busy + 20*ms, Bytes: size})
		}
		l.Pop(now + time.Hour)
		slices.SortStableFunc(want, func(a, b Passage) int { return int(a.Left - b.Left) })
		lost := func(p Passage) bool { return p.Lost }
		kept := func(p Passage) bool { return !p.Lost }
		for _, gone := range []func(Passage) bool{lost, kept} {
			// At one instant their order does not matter.
			if a, b := slices.DeleteFunc(slices.Clone(got), gone), slices.DeleteFunc(slices.Clone(want), gone); !slices.Equal(a, b) {
				t.Fatalf("%s:\ngot  %+v\nwant %+v", c, a, b)
			}
		}
	})
}

func TestCapacityChanges(t *testing.T) {
	// 1000 bytes are sent at 1000 bytes per second, of which 500 have passed when the rate doubles.
	// Then there is an outage, in which datagrams wait, and after which they leave at the rate.
	l := mustLink(t, "rate=1000 queue=9000 rate=500ms:2000 rate=1s:0 rate=3s:4000")
	var got []Passage
	l.Observe(func(p Passage) { got = append(got, p) })
	l.Push(0, make([]byte, 1000))
	for _, at := range []time.Duration{1500 * ms, 2 * time.Second, 2500 * ms} {
		l.Push(at, make([]byte, 400))
	}
	if _, at, ok := l.Pop(2500 * ms); !ok || at != 750*ms {
		t.Errorf("the first one came at %v, %v; want 750 ms", at, ok)
	}
	if at, ok := l.Next(); !ok || at != 3*time.Second {
		t.Errorf("Next is %v, %v; want the end of the outage", at, ok)
	}
	l.Pop(10 * time.Second)
	for i, want := range []time.Duration{750 * ms, 3100 * ms, 3200 * ms, 3300 * ms} {
		if i >= len(got) || got[i].Left != want {
			t.Fatalf("got %+v, want the number %d at %v", got, i, want)
		}
	}
	// If the outage does not end, nothing arrives.
	l = mustLink(t, "rate=1000 rate=1s:0")
	l.Push(2*time.Second, []byte{1})
	if at, ok := l.Next(); ok || l.Len() != 1 {
		t.Errorf("Next is %v with %d in flight", at, l.Len())
	}
}

func TestOutageDeliversInOneBurst(t *testing.T) {
	// For 2 s there is no capacity: sixty datagrams of 100 bytes wait, and pass within
	// 60*100/500000 s.
	out := offer(mustLink(t, "rate=500000 delay=30ms rate=1s:0 rate=3s:500000"), 100, 33*ms, 5*time.Second)
	waited, last := 0, time.Duration(0)
	for i, p := range out {
		if p.Lost || p.At < last || i > 0 && p.Sent < out[i-1].Sent {
			t.Fatalf("passage %d is %+v after %v: all are to arrive in order", i, p, last)
		}
		last = p.At
		if p.Sent >= time.Second && p.Sent < 3*time.Second {
			waited++
			if want := 3*time.Second + time.Duration(waited)*200*time.Microsecond; p.Left != want {
				t.Errorf("number %d of those that waited left at %v, want %v", waited, p.Left, want)
			}
		}
	}
	if waited < 60 || len(out) != 152 {
		t.Errorf("%d waited of %d, want 60 or 61 of 152", waited, len(out))
	}
}

func TestTrace(t *testing.T) {
	// The moments are at 10, 20, 20 and 50 ms, then at 60, 70, 70 and 100 ms.
	for _, test := range []struct {
		size int
		at   []time.Duration // of pushes
		want []time.Duration // when they leave
	}{
		{1500, []time.Duration{0, 0, 0, 0}, []time.Duration{10 * ms, 20 * ms, 20 * ms, 50 * ms}},
		// Two packets share a moment.
		{750, []time.Duration{0, 0, 0}, []time.Duration{10 * ms, 10 * ms, 20 * ms}},
		// The second packet needs two moments.
		{1000, []time.Duration{0, 0, 0}, []time.Duration{10 * ms, 20 * ms, 20 * ms}},
		// One packet needs three moments.
		{4000, []time.Duration{0}, []time.Duration{20 * ms}},
		// A moment can only be used by packets that arrive before it.
		{700, []time.Duration{10 * ms, 11 * ms, 25 * ms}, []time.Duration{20 * ms, 20 * ms, 50 * ms}},
		// The unused bytes of a moment are lost.
		{700, []time.Duration{0, 12 * ms}, []time.Duration{10 * ms, 20 * ms}},
		// The trace begins anew.
		{1500, []time.Duration{55 * ms, 55 * ms, 1010 * ms}, []time.Duration{60 * ms, 70 * ms, 1020 * ms}},
		// It begins anew any number of times.
		{1500, []time.Duration{time.Hour, time.Hour}, []time.Duration{time.Hour + 10*ms, time.Hour + 20*ms}},
		// No moment is used twice.
		{1500, []time.Duration{time.Hour + 20*ms, time.Hour + 50*ms}, []time.Duration{time.Hour + 50*ms, time.Hour + 60*ms}},
	} {
		l := mustLink(t, "trace=10ms*2,0s,30ms queue=100p")
		var left []time.Duration
		l.Observe(func(p Passage) { left = append(left, p.Left) })
		for _, at := range test.at {
			l.Push(at, make([]byte, test.size))
		}
		l.Pop(2 * time.Hour)
		if !slices.Equal(left, test.want) {
			t.Errorf("%d bytes at %v left at %v, want %v", test.size, test.at, left, test.want)
		}
	}
}

// A trace with a moment every 6 ms equals a rate of 250 kB/s, to a packet.
func TestTraceIsARate(t *testing.T) {
	for _, text := range []string{"queue=20p", "queue=40000 codel", "queue=100p reno=1s:4s"} {
		traced := offer(mustLink(t, "trace=6ms delay=20ms "+text), 1500, 5*ms, 6*time.Second)
		rated := offer(mustLink(t, "rate=250000 delay=20ms "+text), 1500, 5*ms, 6*time.Second)
		lost := [2]int{}
		for i, all := range [][]Passage{traced, rated} {
			for _, p := range all {
				if p.Lost {
					lost[i]++
				}
			}
		}
		if d := lost[0] - lost[1]; d < -3 || d > 3 || lost[1] == 0 {
			t.Errorf("%s: by the trace %d are lost, by the rate %d", text, lost[0], lost[1])
		}
	}
}

func TestQueueIsShared(t *testing.T) {
	a, b := mustLink(t, "rate=1000 delay=10ms queue=5p"), mustLink(t, "delay=50ms header=50")
	b.ShareQueue(a)
	for i := range 3 {
		a.Push(0, make([]byte, 100))
		if b.Push(0, make([]byte, 50)); i == 2 && b.Stats().Dropped != 1 {
			t.Errorf("five packets wait, and b has lost %d", b.Stats().Dropped)
		}
	}
	if n, bytes := b.Waiting(); n != 2 || bytes != 200 {
		t.Errorf("b waits with %d of %d bytes, want 2 of 200", n, bytes)
	}
	for i, want := range []struct {
		link *Link
		at   time.Duration
		size int
	}{{a, 110 * ms, 100}, {b, 250 * ms, 50}, {a, 310 * ms, 100}, {b, 450 * ms, 50}, {a, 510 * ms, 100}} {
		d, at, ok := want.link.Pop(time.Second)
		if !ok || at != want.at || len(d) != want.size {
			t.Errorf("number %d: %d bytes at %v, %v; want %d at %v", i, len(d), at, ok, want.size, want.at)
		}
	}
	// When one link's datagrams are taken back, their room stays taken, so the other link's times
	// do not change.
	a.Push(time.Second, make([]byte, 100))
	b.Push(time.Second, make([]byte, 50))
	a.discard()
	if d, at, ok := b.Pop(2 * time.Second); !ok || len(d) != 50 || at != 1250*ms || a.Len() != 0 {
		t.Errorf("b got %d bytes at %v, %v, with %d of a's left", len(d), at, ok, a.Len())
	}
	defer func() {
		if recover() == nil {
			t.Error("a queue that is not there was shared")
		}
	}()
	a.ShareQueue(mustLink(t, "delay=1ms"))
}

func TestConditionOfTheQueueChangesLive(t *testing.T) {
	l := mustLink(t, "rate=1000 queue=100p")
	for range 4 {
		l.Push(0, make([]byte, 1000))
	}
	set := func(text string) {
		c, err := Parse(text)
		if err == nil {
			err = l.SetCondition(c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pop := func(now, want time.Duration) {
		t.Helper()
		if _, at, ok := l.Pop(now); !ok || at != want {
			t.Errorf("at %v one came at %v, %v; want %v", now, at, ok, want)
		}
	}
	pop(time.Second, time.Second)
	set("rate=2000 queue=100p")
	pop(1700*ms, 1500*ms)
	set("trace=600ms queue=100p") // the sending of the first packet begins anew
	pop(2*time.Second, 1800*ms)
	set("delay=1ms")
	pop(3*time.Second, 2001*ms)
	set("rate=1000 reno=0s:100s")
	l.Push(5*time.Second, make([]byte, 1000))
	if _, ok := l.Next(); !ok {
		t.Error("with the new bottleneck nothing waits")
	}
}
