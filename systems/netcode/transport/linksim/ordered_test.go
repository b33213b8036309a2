package linksim

import (
	"math"
	"testing"
	"time"
)

func TestOrderedTurnsLossIntoStalls(t *testing.T) {
	const n = 20_000
	l := mustLink(t, "delay=100ms jitter=10ms loss=15% dup=50% reorder=20% ordered seed=4")
	out := stream(l, n, 33*ms)
	if len(out) != n {
		t.Fatalf("%d of %d arrived, want all, once", len(out), n)
	}
	stalled := 0
	for i, a := range out {
		if a.id != i || i > 0 && a.at < out[i-1].at {
			t.Fatalf("arrival %d is %+v: a stream keeps its order", i, a)
		}
		if i > 0 && a.at-out[i-1].at > 150*ms {
			// A jitter of 20 ms and an interval of 33 ms do not explain it.
			stalled++
		}
	}
	// Each datagram is sent until it arrives: 0.15/0.85 retransmissions on average, with variance
	// 0.15/0.85^2.
	mean := n * 0.15 / 0.85
	if d := math.Abs(float64(l.Stats().Retransmitted) - mean); d > 5*math.Sqrt(n*0.15)/0.85 {
		t.Errorf("%d retransmissions, want %.0f", l.Stats().Retransmitted, mean)
	}
	if stalled < n/50 {
		t.Errorf("%d stalls, want many", stalled)
	}
}

func TestOrderedRetransmissionTimeout(t *testing.T) {
	// Everything sent in the cut is lost. The retransmissions follow after max(200 ms, 2*delay).
	for _, test := range []struct {
		condition string
		want      time.Duration
	}{
		{"delay=50ms cut=0s:1ms ordered", 250 * ms},
		{"delay=150ms cut=0s:1ms ordered", 450 * ms},
		{"delay=50ms cut=0s:500ms ordered", 650 * ms}, // sent at 0, 200, 400 and 600 ms
	} {
		if got := stream(mustLink(t, test.condition), 1, ms)[0].at; got != test.want {
			t.Errorf("%s: arrived after %v, want %v", test.condition, got, test.want)
		}
	}
}

func TestOrderedEndsWhenEverythingIsLost(t *testing.T) {
	out := stream(mustLink(t, "loss=100% ordered"), 3, ms)
	if len(out) != 3 || out[0].at != maxRetries*200*ms {
		t.Errorf("got %+v, want three arrivals after %d time-outs", out, maxRetries)
	}
}

func TestOrderedQueueRefuses(t *testing.T) {
	l := mustLink(t, "rate=1000 queue=100 ordered")
	taken := 0
	for range 50 {
		if l.Push(0, make([]byte, 10)) {
			taken++
		}
	}
	if datagrams, bytes := l.Waiting(); taken != 10 || datagrams != 10 || bytes != 100 {
		t.Errorf("took %d, waiting %d of %d bytes, want 10 of 100 bytes", taken, datagrams, bytes)
	}
	l.Pop(45 * ms)
	if datagrams, _ := l.Waiting(); datagrams != 6 {
		t.Errorf("after 45 ms %d wait, want 6", datagrams)
	}
}

func TestScriptedRouteChange(t *testing.T) {
	for _, a := range stream(mustLink(t, "delay=50ms route=1s:+100ms route=2s:-120ms"), 300, 10*ms) {
		want := 50 * ms
		if a.sent >= 2*time.Second {
			want = 30 * ms
		} else if a.sent >= time.Second {
			want = 150 * ms
		}
		if got := a.at - a.sent; got != want {
			t.Errorf("sent at %v it took %v, want %v", a.sent, got, want)
		}
	}
}

func TestScriptedStallEndsInABurst(t *testing.T) {
	out := stream(mustLink(t, "delay=50ms stall=1s:500ms stall=1500ms:100ms"), 300, 10*ms)
	burst := 0
	for i, a := range out {
		if a.id != i {
			t.Fatalf("arrival %d is number %d: a stall keeps the order", i, a.id)
		}
		want := a.sent + 50*ms
		if want >= time.Second && want < 1600*ms { // the second stall follows the first
			want = 1600 * ms
			burst++
		}
		if a.at != want {
			t.Errorf("sent at %v, arrived at %v, want %v", a.sent, a.at, want)
		}
	}
	if burst != 60 || len(out) != 300 {
		t.Errorf("%d came in the burst and %d in all, want 60 and 300", burst, len(out))
	}
}

func TestScriptedCutLosesAll(t *testing.T) {
	out := stream(mustLink(t, "delay=50ms cut=1s:500ms"), 300, 10*ms)
	for _, a := range out {
		if a.sent >= time.Second && a.sent < 1500*ms {
			t.Errorf("%+v was sent in the cut", a)
		}
	}
	if len(out) != 250 {
		t.Errorf("%d arrived, want 250", len(out))
	}
}

func TestInOrderNothingOvertakes(t *testing.T) {
	const n = 20_000
	l := mustLink(t, "delay=20ms jitter=15ms loss=10% reorder=5% inorder seed=3")
	out := stream(l, n, 5*ms)
	within(t, l, "lost", n-len(out), n, 0.10) // lost datagrams stay lost, and delay nothing
	same := 0
	for i, a := range out {
		if i > 0 && (a.id <= out[i-1].id || a.at < out[i-1].at) {
			t.Fatalf("arrival %d is %+v behind %+v", i, a, out[i-1])
		}
		if d := a.at - a.sent; i > 0 && a.at == out[i-1].at {
			same++
		} else if d < 5*ms || d > 85*ms {
			t.Fatalf("%+v took %v", a, d)
		}
	}
	if same < n/20 {
		t.Errorf("%d waited for the one in front, want many", same)
	}
}
