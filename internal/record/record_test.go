package record

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// logical writes a record as a components.Logical does.
type logical struct{ Record[int] }

func (l *logical) Set(v int)                         { l.Write(v, Moved, 0) }
func (l *logical) Teleport(v int)                    { l.Write(v, Teleported, 0) }
func (l *logical) SetOver(v int, over time.Duration) { l.Write(v, Arrives, over) }
func (l *logical) Correct(v int)                     { l.Write(v, Corrected, 0) }

// A record that was put back, or taken from another entity by chance under the same tag, counts as
// exchanged if its revision is farther from the one seen than a step's writes can be.
func TestPendingOfAnExchangedRecord(t *testing.T) {
	owner := Owner{7, 10_000}
	for _, test := range []struct {
		name     string
		revision uint32
		write    func(l *logical)
		want     Kind
	}{
		{"the same", 10_000, func(l *logical) {}, Moved},
		{"written a million times", 1_010_000, func(l *logical) {}, Moved},
		{"an older copy", 9_000, func(l *logical) {}, Teleported},
		{"written over a time", 10_000, func(l *logical) { l.SetOver(1, 5) }, Arrives},
		{"another one, written over a time", 20_000, func(l *logical) { l.SetOver(1, 5) }, Teleported},
		{"another one, written over a time and moved", 20_000, func(l *logical) { l.SetOver(1, 5); l.Set(2) }, Teleported},
	} {
		l := &logical{New(1)}
		l.Begin(Owner{owner.tag, test.revision})
		test.write(l)
		if kind, _ := l.Pending(owner, 10_000); kind != test.want {
			t.Errorf("%s: pending %v, want %v", test.name, kind, test.want)
		}
		if kind, _ := l.Settle(owner, 10_000); kind != test.want {
			t.Errorf("%s: settled %v, want %v", test.name, kind, test.want)
		}
		if exchanged := test.want == Teleported; exchanged && l.Revision() != 10_001 {
			t.Errorf("%s: revision %d after it was settled, want 10001", test.name, l.Revision())
		}
	}
}

func TestWriteKinds(t *testing.T) {
	owner, other := Owner{7, 100}, Owner{8, 100}
	fresh := func() *logical { l := logical{New(1)}; return &l }
	owned := func() *logical {
		l := fresh()
		l.Begin(owner)
		return l
	}
	moving := func() *logical { l := logical{NewInMotion(1)}; return &l }
	foreign := func() *logical {
		l := fresh()
		l.Begin(other)
		return l
	}
	for _, test := range []struct {
		name  string
		start func() *logical
		do    func(l *logical)
		want  Kind
		over  time.Duration
	}{
		{"fresh", fresh, func(l *logical) {}, Teleported, 0},
		{"fresh, then moved", fresh, func(l *logical) { l.Set(2) }, Teleported, 0},
		{"fresh, then slowly moved", fresh, func(l *logical) { l.SetOver(2, time.Second) }, Teleported, 0},
		{"fresh, then corrected", fresh, func(l *logical) { l.Correct(2) }, Teleported, 0},
		{"zero value", func() *logical { return &logical{} }, func(l *logical) { l.Set(2) }, Teleported, 0},
		{"untouched", owned, func(l *logical) {}, Moved, 0},
		{"moved", owned, func(l *logical) { l.Set(2) }, Moved, 0},
		{"jumped", owned, func(l *logical) { l.Teleport(2) }, Teleported, 0},
		{"jumped, then moved", owned, func(l *logical) { l.Teleport(2); l.Set(3) }, Teleported, 0},
		{"moved, then jumped", owned, func(l *logical) { l.Set(2); l.Teleport(3) }, Teleported, 0},
		{"slowly moved, then jumped, then moved", owned, func(l *logical) { l.SetOver(2, 5); l.Teleport(3); l.Set(4) }, Teleported, 0},
		{"slowly moved", owned, func(l *logical) { l.SetOver(2, 50*time.Millisecond) }, Arrives, 50 * time.Millisecond},
		{"slowly moved, twice", owned, func(l *logical) { l.SetOver(2, 50); l.SetOver(2, 60) }, Arrives, 60},
		{"at once", owned, func(l *logical) { l.SetOver(2, -1) }, Arrives, 0},
		{"the longest to the nanosecond", owned, func(l *logical) { l.SetOver(2, 1<<29-1) }, Arrives, 1<<29 - 1},
		{"not to the nanosecond any more", owned, func(l *logical) { l.SetOver(2, 1<<30+129) }, Arrives, 1<<30 + 256},
		{"rounded up to a power of two", owned, func(l *logical) { l.SetOver(2, 1<<40-1) }, Arrives, 1 << 40},
		{"longer than it can say", owned, func(l *logical) { l.SetOver(2, math.MaxInt64) }, Arrives, 1 << 62},
		{"slowly moved, then moved", owned, func(l *logical) { l.SetOver(2, 50); l.Set(3) }, Moved, 0},
		{"slowly moved to the microsecond, then moved", owned, func(l *logical) { l.SetOver(2, time.Second); l.Set(3) }, Moved, 0},
		{"corrected", owned, func(l *logical) { l.Correct(2) }, Corrected, 0},
		{"corrected, then moved", owned, func(l *logical) { l.Correct(2); l.Set(3) }, Corrected, 0},
		{"moved, then corrected", owned, func(l *logical) { l.Set(2); l.Correct(3) }, Corrected, 0},
		{"slowly moved, then corrected", owned, func(l *logical) { l.SetOver(2, 50); l.Correct(3) }, Corrected, 0},
		{"corrected, then slowly moved", owned, func(l *logical) { l.Correct(2); l.SetOver(3, 50) }, Corrected, 0},
		{"corrected, then jumped", owned, func(l *logical) { l.Correct(2); l.Teleport(3) }, Teleported, 0},
		{"in motion", moving, func(l *logical) {}, Teleported, 0},
		{"in motion, then moved", moving, func(l *logical) { l.Set(2) }, Teleported, 0},
		{"in motion, then slowly moved", moving, func(l *logical) { l.SetOver(2, time.Second) }, Teleported, 0},
		{"another entity's", foreign, func(l *logical) {}, Teleported, 0},
		{"another entity's, then moved", foreign, func(l *logical) { l.Set(2) }, Teleported, 0},
	} {
		l := test.start()
		test.do(l)
		if kind, over := l.Pending(owner, 0); kind != test.want || over != test.over {
			t.Errorf("%s: pending %v over %v, want %v over %v", test.name, kind, over, test.want, test.over)
		}
		if kind, _ := l.Pending(owner, 0); l.Plain() && kind != Moved && l.Revision()-100 < 50 && test.name != "another entity's" && test.name != "another entity's, then moved" {
			t.Errorf("%s: plain, but pending %v", test.name, kind)
		}
		l.Settle(owner, l.Revision())
		if kind, _ := l.Pending(owner, 0); kind != Moved || !l.Plain() || !l.SettledBy(owner) || l.SettledBy(other) {
			t.Errorf("%s: pending %v after it was captured", test.name, kind)
		}
	}
}

// The writes to a record that begins in motion are pending when it gets its owner, as if they had
// been made then. No duration makes it belong to an owner before.
func TestRecordsInMotion(t *testing.T) {
	owner := Owner{7, 100}
	for _, test := range []struct {
		name string
		do   func(l *logical)
		want Kind
		over time.Duration
	}{
		{"untouched", func(l *logical) {}, Moved, 0},
		{"moved", func(l *logical) { l.Set(2) }, Moved, 0},
		{"corrected", func(l *logical) { l.Correct(2) }, Moved, 0},
		{"slowly moved", func(l *logical) { l.SetOver(2, 50*time.Millisecond) }, Arrives, 50 * time.Millisecond},
		{"the longest to the nanosecond", func(l *logical) { l.SetOver(2, 1<<29-1) }, Arrives, 1<<29 - 1},
		{"slowly moved, twice", func(l *logical) { l.SetOver(2, time.Second); l.SetOver(2, 60) }, Arrives, 60},
		{"slowly moved, then moved", func(l *logical) { l.SetOver(2, time.Second); l.Set(3) }, Moved, 0},
		{"at once", func(l *logical) { l.SetOver(2, -1) }, Arrives, 0},
		{"not to the nanosecond any more", func(l *logical) { l.SetOver(2, 1<<30+129) }, Arrives, 1<<30 + 256},
		{"longer than it can say", func(l *logical) { l.SetOver(2, math.MaxInt64) }, Arrives, 1 << 62},
	} {
		l := &logical{NewInMotion(1)}
		test.do(l)
		if !l.InMotion() || l.Plain() || l.SettledBy(owner) {
			t.Errorf("%s: does not begin in motion", test.name)
		}
		seen, moves := l.Begin(owner)
		kind, over := l.Pending(owner, seen)
		if !moves || kind != test.want || over != test.over || l.Revision() == seen || l.InMotion() {
			t.Errorf("%s: pending %v over %v at revision %d after %d, want %v over %v", test.name, kind, over, l.Revision(), seen, test.want, test.over)
		}
	}
	for name, do := range map[string]func(l *logical){
		"jumped": func(l *logical) { l.Teleport(2) }, "jumped after a slow move": func(l *logical) { l.SetOver(2, time.Second); l.Teleport(3) },
		"settled without samples": func(l *logical) { l.Settle(owner, 0) }, "settled in a slow move": func(l *logical) { l.SetOver(2, 9); l.Settle(owner, 0) },
	} {
		l := &logical{NewInMotion(1)}
		do(l)
		if seen, moves := l.Begin(owner); moves || seen != l.Revision() {
			t.Errorf("%s: begins in motion", name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		l := logical{NewInMotion(1)}
		l.SetOver(1, time.Duration(rapid.Int64().Draw(t, "over")>>rapid.IntRange(0, 62).Draw(t, "shift")))
		tag := rapid.SampledFrom([]uint32{l.state >> payloadShift, 1, 7}).Draw(t, "tag")
		if kind, _ := l.Pending(Owner{tag, 100}, 0); kind != Teleported || !l.InMotion() {
			t.Fatalf("pending %v for the owner %d, want a fresh one's", kind, tag)
		}
	})
}

func TestEveryWriteRaisesTheRevision(t *testing.T) {
	var l logical
	for _, fresh := range []logical{{New(0)}, {NewInMotion(0)}} {
		l = fresh
		for i, write := range []func(){func() { l.Set(1) }, func() { l.Set(1) }, func() { l.SetOver(1, 1) }, func() { l.Teleport(1) }, func() { l.Correct(1) }} {
			before := l.Revision()
			if write(); l.Revision() == before {
				t.Errorf("write %d left the revision at %d", i, before)
			}
		}
	}
	l.Begin(Owner{7, math.MaxUint32})
	if l.Set(2); l.Revision() == 0 || l.Revision() == math.MaxUint32 {
		t.Errorf("revision %d after the wrap, want neither zero (fresh) nor the old one", l.Revision())
	}
}

func TestOwnerTagsDiffer(t *testing.T) {
	type mark struct{ tag, revision uint32 }
	seen := map[mark]bool{}
	for id := range uint32(50_000) {
		o := ownerOf(id, id%3)
		tag, revision := o.tag, o.first
		if tag == 0 || tag >= 1<<29-1 || revision == 0 {
			t.Fatalf("ownerOf(%d) = %d, %d: reserved", id, tag, revision)
		}
		if seen[mark{tag, revision}] {
			t.Fatalf("ownerOf(%d) is another entity's", id)
		}
		seen[mark{tag, revision}] = true
	}
}

// The error of a kept duration is no larger than that of a float32, and durations keep their order.
func TestDurationsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(1, math.MaxInt64).Draw(t, "a") >> rapid.IntRange(0, 62).Draw(t, "shift")
		b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "b") >> rapid.IntRange(0, 62).Draw(t, "shift")
		kept := func(d int64) time.Duration {
			l := logical{New(0)}
			l.Begin(Owner{7, 7})
			l.SetOver(1, time.Duration(d))
			kind, over := l.Pending(Owner{7, 7}, 0)
			if kind != Arrives {
				t.Fatalf("%d ns: kind %d", d, kind)
			}
			return over
		}
		want := math.Min(float64(a), 1<<62)
		if off := math.Abs(float64(kept(a)) - want); off > want/(1<<23) {
			t.Fatalf("%d ns is kept as %d", a, kept(a))
		}
		if (a < b) && kept(a) > kept(b) {
			t.Fatalf("%d ns is kept as %d, %d as %d", a, kept(a), b, kept(b))
		}
	})
}
