package match

import "testing"

func TestImpossibleSettings(t *testing.T) {
	for _, s := range []Setting{{TickRate: 30, SnapshotRate: 60}, {TickRate: 60, SnapshotRate: 30, ActionRate: 61}, {TickRate: 0, SnapshotRate: 30}, {TickRate: 60, SnapshotRate: 30, Bodies: 2}} {
		if _, err := New(s); err == nil {
			t.Errorf("%+v can be played", s)
		}
	}
}
