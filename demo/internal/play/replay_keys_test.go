package play

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
)

// testKeysOfAReplay presses the keys of a paused replay: ticks, 5 seconds, the next mark, the next
// player and the view. The recording is longer than 6 s, with two players, the second of which is
// in it from the first second on.
func testKeysOfAReplay(t *testing.T, name string) {
	tape, set := paused(t, name)
	m := played(t, tape, set, 3*time.Second)
	net := m.Clients()[0].Net()
	tick := func() int { return int(tape.Tick(net.Replay().At()).Sub(tape.First())) }
	press := func(all ...keys.Action) {
		t.Helper()
		for _, a := range all {
			if err := m.Act(a); err != nil {
				t.Fatal(err)
			}
		}
		m.Advance(frame)
	}
	must := func(what string, want int) {
		t.Helper()
		if got := tick(); got != want {
			t.Errorf("%s: it shows tick %d, want %d", what, got, want)
		}
	}
	rate := tape.Info().Rate
	must("at the begin", 3*rate)
	m.Advance(time.Second)
	must("in a pause", 3*rate)
	press(keys.Step)
	must("a tick on", 3*rate+1)
	press(keys.StepBack, keys.StepBack, keys.StepBack)
	must("three ticks back", 3*rate-2)
	press(keys.Later)
	press(keys.Earlier)
	must("5 seconds on and back", min(8*rate-2, int(tape.Last().Sub(tape.First())))-5*rate)
	press(keys.Earlier)
	must("5 seconds back from the first ones", 0)
	marks := 0
	for _, mark := range tape.Marks() {
		// A mark is shown from 2 s before it on, so one press can lead to several marks.
		if want := int(mark.Tick.Sub(tape.First())) - 2*rate; want > tick() {
			press(keys.NextMark)
			must("at a mark", want)
			marks++
		}
	}
	if now := tick(); marks == 0 {
		t.Errorf("the recording has no mark that a key leads to: %v", tape.Marks())
	} else if press(keys.NextMark); tick() != now {
		t.Errorf("without a mark left it shows tick %d, want %d", tick(), now)
	}
	before := net.Number()
	press(keys.NextPlayer)
	after := net.Number()
	if press(keys.NextPlayer); before == after || net.Number() != before || before == 0 || after == 0 {
		t.Errorf("of two players it follows %d, then %d, then %d", before, after, net.Number())
	}
	// The eyes of a player see the others as they were some time ago.
	now := net.View()
	for i, past := range []bool{true, false, false} { // eyes, free, above
		if press(keys.NextView); net.View() < now != past || net.View() > now || net.Number() != before {
			t.Errorf("after %d changes of the view others are shown at %v and not at %v, with player %d", i+1, net.View(), now, net.Number())
		}
	}
}
