package custody

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// One fault after the other, with loss, repetition and reordering: no entity is lost, none has two
// owners, none that was removed comes back, and in the end nothing is remembered that is over.
// Longer with -rapid.checks.
func TestOneFaultAtATime(t *testing.T) {
	t.Parallel()
	sum := model(t, rules{})
	if testing.Short() {
		return
	}
	if sum.handOvers == 0 || sum.refusals == 0 || sum.crashes == 0 || sum.takeOvers == 0 || sum.removals == 0 {
		t.Errorf("the model does not do all that it should: %v", sum)
	}
}

// Two zones crash at a time, and one of them goes on while the other one is down for longer than
// its lease: what that one did since the checkpoint of the first is undone, but none has two
// owners.
func TestTwoCrashesAtATime(t *testing.T) {
	t.Parallel()
	sum := model(t, rules{pairs: true})
	if !testing.Short() && sum.leaps == 0 {
		t.Errorf("no zone has gone on without another: %v", sum)
	}
}

// Faults at any time, and zones wait for those that are down: entities may be lost, but none has
// two owners, and all zones come back.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	model(t, rules{many: true})
}

func model(t *testing.T, r rules) (sum figures) {
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"), r)
		if err := w.run(600); err != nil {
			t.Fatal(err)
		}
		sum.add(w.figures)
		runs++
	})
	t.Logf("%d runs: %v", runs, sum)
	return sum
}

// Without one of the rules the checker must find a fault.
func TestWithoutARule(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules rules
		want  error
		runs  uint64
	}{
		{"hops", rules{omit: omitHops}, errTwice, 5},
		{"epochs", rules{omit: omitEpochs}, errTwice, 60},
		{"leases", rules{noLeases: true}, errTwice, 60},
		{"questions after a restore", rules{omit: omitAsking}, errTwice, 20},
		{"receipts until done", rules{omit: omitReceipts}, errRemoved, 20},
		{"stamps", rules{omit: omitStamps}, errRemoved, 20},
		{"copies until saved", rules{omit: omitCopies}, errLost, 30},
		{"h-1 for what is in flight", rules{omit: omitArrival}, errLost, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range c.runs {
				if err := newWorld(seed, c.rules).run(3000); errors.Is(err, c.want) {
					t.Logf("run %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d runs without this rule have not failed by %v", c.runs, c.want)
		})
	}
}
