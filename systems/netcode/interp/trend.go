package interp

import "time"

// trend is the least transit time of the last few seconds, the transit of a packet without delays.
// Transit is the arrival on this machine's clock less the stamp on the sender's clock. So it
// contains the difference of the clocks and the drift of that difference. A window of 5 s follows
// 2000 ppm within 10 ms. The ages contain these 10 ms, so the sum of both is correct.
type trend struct {
	least [11]time.Duration // of half a second each
	valid [11]bool
	slot  time.Duration // number of the newest half second
	begun bool
}

const trendSlot = 500 * time.Millisecond

func (t *trend) add(at, transit time.Duration) {
	t.advance(at)
	i := t.index()
	if !t.valid[i] || transit < t.least[i] {
		t.least[i], t.valid[i] = transit, true
	}
}

// advance drops the values that are too old at the given time.
func (t *trend) advance(at time.Duration) {
	slot := at / trendSlot
	if at < 0 {
		slot-- // rounds down for negative times too, too, so the second around zero is two slots
	}
	if !t.begun {
		t.slot, t.begun = slot, true
	}
	for n := 0; t.slot < slot; n++ {
		if n == len(t.least) { // all forgotten
			t.slot = slot
			break
		}
		t.slot++
		t.valid[t.index()] = false
	}
}

func (t *trend) index() int {
	n := time.Duration(len(t.least))
	return int((t.slot%n + n) % n)
}

// base returns the least transit in the window; false while there is none.
func (t *trend) base() (time.Duration, bool) {
	var m time.Duration
	ok := false
	for i, v := range t.least {
		if t.valid[i] && (!ok || v < m) {
			m, ok = v, true
		}
	}
	return m, ok
}
