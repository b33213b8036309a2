package linksim

import (
	"math"
	"testing"
	"time"
)

// The sender does not react, and sends twice as much as the line can carry. CoDel drops by its
// control law: the first packet an interval after the wait has exceeded the target, the others at
// distances of an interval over the root of their number.
func TestCoDelControlLaw(t *testing.T) {
	// The line passes 1000 bytes per millisecond, and two packets of 1000 bytes arrive in each.
	l := mustLink(t, "rate=1000000 queue=100000p codel")
	var drops []time.Duration
	crossed := time.Duration(0) // when the wait first exceeded the target
	for _, p := range offer(l, 1000, ms/2, 5*time.Second) {
		if p.Lost {
			drops = append(drops, p.Left)
		} else if begun := p.Left - ms; crossed == 0 && begun-p.Sent >= codelTarget {
			crossed = begun
		}
	}
	if len(drops) < 50 {
		t.Fatalf("%d drops", len(drops))
	}
	next := crossed + codelInterval
	for i, at := range drops[:50] {
		if late := at - next; late < 0 || late > ms {
			t.Fatalf("drop %d at %v, want it at %v or when the packet in front has left", i+1, at, next)
		}
		if i == 0 {
			next = at
		}
		next += time.Duration(float64(codelInterval) / math.Sqrt(float64(i+1)))
	}
}

// Dropping that begins again within 16 intervals continues with the rate that it had reached.
func TestCoDelRemembersItsRate(t *testing.T) {
	l := mustLink(t, "rate=1000000 queue=100000p codel")
	var drops []time.Duration
	l.Observe(func(p Passage) {
		if p.Lost {
			drops = append(drops, p.Left)
		}
	})
	now := time.Duration(0)
	load := func(until time.Duration, per int) {
		for ; now < until; now += ms {
			for range per {
				l.Push(now, make([]byte, 1000))
			}
			for {
				if _, _, ok := l.Pop(now); !ok {
					break
				}
			}
		}
	}
	load(2*time.Second, 2)
	for l.Len() > 0 { // no packet arrives until the queue is empty, which ends the dropping
		load(now+ms, 0)
	}
	before, count, pause := len(drops), l.queue.codel.count, now-drops[len(drops)-1]
	if count < 10 || pause > 16*codelInterval-codelInterval-20*ms {
		t.Fatalf("a series of %d drops and a pause of %v show too little", count, pause)
	}
	again := now
	load(again+200*ms, 2)
	if got := drops[before]; got < again+codelInterval {
		t.Errorf("the first drop after the pause at %v, less than an interval after %v", got, again)
	}
	if gap, want := drops[before+2]-drops[before+1], codelInterval.Seconds()/math.Sqrt(float64(count)); gap.Seconds() > want+0.001 {
		t.Errorf("after the pause drops are %v apart, before it %.1f ms; the rate was forgotten", gap, want*1000)
	}
}

func TestCoDelLeavesShortQueuesAlone(t *testing.T) {
	for _, p := range offer(mustLink(t, "rate=1000000 codel"), 1000, ms, time.Minute) {
		if p.Lost {
			t.Fatalf("%+v was dropped from a queue in which nothing waits", p)
		}
	}
	// CoDel never drops if at most one full packet waits, however long that takes: here 1000 bytes
	// at 1000 bytes per second.
	for _, p := range offer(mustLink(t, "rate=1000 codel"), 700, 700*ms, 30*time.Second) {
		if p.Lost {
			t.Fatalf("%+v was dropped from a queue of one packet", p)
		}
	}
}
