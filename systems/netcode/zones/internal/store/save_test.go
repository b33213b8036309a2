package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// noise returns bytes that differ for each number.
func noise(number uint64, size int) []byte {
	r := rand.NewChaCha8([32]byte{byte(number), byte(number >> 8)})
	data := make([]byte, size)
	_, _ = r.Read(data)
	return data
}

// save writes a checkpoint and waits for it.
func save(t *testing.T, h *Hold, number uint64, data []byte) {
	t.Helper()
	if !h.Save(number, data) {
		t.Fatal("a save is under way")
	}
	if got := one[Saved](t, poll(t, h)).Number; got != number {
		t.Fatalf("saved number %d, want %d", got, number)
	}
}

// keys returns the keys of the checkpoints' bucket.
func keys(t *testing.T, s *Store) (all []string) {
	t.Helper()
	err := each(patient(t), s.saves, ">", func(e jetstream.KeyValueEntry) { all = append(all, e.Key()) })
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestCheckpointsComeBack(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	h := take(t, s, "north", record(1, "a"), c)
	// Parts of the size that NATS takes, one just full, and nothing.
	for n, size := range []int{2*partSize + 17, partSize, 0, 1} {
		data := noise(uint64(n), size)
		save(t, h, uint64(n+1), data)
		h.Close()
		h = take(t, s, "north", record(1, "a"), c)
		if !bytes.Equal(h.Checkpoint(), data) || h.Checkpoint() == nil {
			t.Fatalf("%d bytes came back as %d", len(data), len(h.Checkpoint()))
		}
	}
	other := take(t, s, "south", record(2, "a"), c)
	if other.Checkpoint() != nil {
		t.Error("another zone's checkpoint")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a checkpoint may be too large")
			}
		}()
		h.Save(9, make([]byte, MaxCheckpoint+1))
	}()
	s.part = 10 // many parts
	save(t, h, 5, noise(5, 155))
	h.Close()
	if h = take(t, s, "north", record(1, "a"), c); !bytes.Equal(h.Checkpoint(), noise(5, 155)) {
		t.Error("16 parts did not come back")
	}
}

// A zone keeps two checkpoints and one that is written, whatever it saves, and only those of its
// own epoch in the end.
func TestOldCheckpointsGo(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	s.part = 100
	for epoch := range 3 {
		h := take(t, s, "north", record(1, "a"), c)
		for n := range uint64(7) {
			save(t, h, n, noise(n, 250))
		}
		if err := h.Settle(patient(t)); err != nil {
			t.Fatal(err)
		}
		h.Close()
		want := []string{"north.head"}
		for slot := range slots {
			for part := range 3 {
				want = append(want, fmt.Sprintf("north.%d.%d.%d", epoch+1, slot, part))
			}
		}
		slices.Sort(want)
		if got := keys(t, s); !slices.Equal(got, want) {
			t.Fatalf("epoch %d: keys %v, want %v", epoch+1, got, want)
		}
	}
}

// Wherever a process stops while it saves, the next one has the newest checkpoint whose head was
// written.
func TestCrashBetweenParts(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	s.part = 10
	want := []byte(nil)
	number := uint64(0)
	rapid.Check(t, func(rt *rapid.T) {
		h := take(t, s, "north", record(1, "a"), c)
		defer h.Close()
		if !bytes.Equal(h.Checkpoint(), want) {
			rt.Fatalf("checkpoint %q, want %q", h.Checkpoint(), want)
		}
		for range rapid.IntRange(0, 3).Draw(rt, "whole ones") {
			number++
			want = noise(number, rapid.IntRange(1, 45).Draw(rt, "bytes"))
			save(t, h, number, want)
		}
		// The next one is cut off after some of its parts, or before its head.
		number++
		data := noise(number, rapid.IntRange(1, 45).Draw(rt, "bytes of the last"))
		top, err := s.head(patient(t), "north")
		if err != nil {
			rt.Fatal(err)
		}
		slot := saved{Epoch: h.Record().Epoch}
		for slices.ContainsFunc(top.Saves, func(s saved) bool { return s.Epoch == slot.Epoch && s.Slot == slot.Slot }) {
			slot.Slot++
		}
		parts := slices.Collect(slices.Chunk(data, s.part))
		for i, part := range parts[:rapid.IntRange(0, len(parts)).Draw(rt, "parts written")] {
			if _, err := s.saves.Put(patient(t), keyPart("north", slot, i), part); err != nil {
				rt.Fatal(err)
			}
		}
	})
	if number < 20 {
		t.Error("too few checkpoints were written")
	}
}

// A checkpoint whose parts are gone or changed gives way to the one before, with a warning.
func TestDamagedCheckpoint(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	s.part = 10
	one1, two := noise(1, 25), noise(2, 35)
	harm := map[string]func(of saved) error{
		"part gone": func(of saved) error { return s.saves.Purge(patient(t), keyPart("north", of, 1)) },
		"part of another": func(of saved) error {
			_, err := s.saves.Put(patient(t), keyPart("north", of, 2), noise(3, 10))
			return err
		},
	}
	for name, harm := range harm {
		h := take(t, s, "north", record(1, "a"), c)
		save(t, h, 1, one1)
		save(t, h, 2, two)
		h.Close()
		top, err := s.head(patient(t), "north")
		if err != nil || len(top.Saves) != 2 {
			t.Fatalf("head %+v, error %v", top, err)
		}
		if err := harm(top.Saves[0]); err != nil {
			t.Fatal(err)
		}
		h = take(t, s, "north", record(1, "a"), c)
		if !bytes.Equal(h.Checkpoint(), one1) {
			t.Errorf("%s: %d bytes, want those of the one before", name, len(h.Checkpoint()))
		}
		failed := one[Failed](t, poll(t, h))
		if failed.Op != OpRestore {
			t.Errorf("%s: %+v", name, failed)
		}
		wants(t, failed.Err, "checkpoint 2 of epoch")
		h.Close()
		if err := harm(top.Saves[1]); err != nil {
			t.Fatal(err)
		}
		_, err = s.Take(patient(t), "north", record(1, "a"), true, c.now)
		wants(t, err, "all checkpoints of zone north in world vale are damaged")
		if err := s.saves.Delete(patient(t), "north.head"); err != nil { // as the error says
			t.Fatal(err)
		}
		h = take(t, s, "north", record(1, "a"), c)
		if h.Checkpoint() != nil {
			t.Error("a checkpoint without a head")
		}
		h.Close()
	}
	// The sum finds what the revisions do not.
	h := take(t, s, "north", record(1, "a"), c)
	save(t, h, 1, one1)
	top, err := s.head(patient(t), "north")
	if err != nil {
		t.Fatal(err)
	}
	top.Saves[0].Sum++
	_, err = s.load(patient(t), "north", top.Saves[0])
	wants(t, err, "checksum")
}

// A process that was stopped while it saved, and wakes after another one has taken the zone, can
// finish no checkpoint, and knows that it has lost the zone. It needs no clock for that.
func TestFormerProcessCannotSave(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	s.part = 10
	a := take(t, s, "north", record(1, "a"), c)
	save(t, a, 1, noise(1, 25))
	b := take(t, s, "north", record(1, "a"), c)
	if !bytes.Equal(b.Checkpoint(), noise(1, 25)) {
		t.Fatal("the checkpoint did not come")
	}
	// The former one does not look at the watch or at its renewals here: the head alone stops it.
	top, err := s.head(patient(t), "north")
	if err != nil {
		t.Fatal(err)
	}
	stale := head{Epoch: 1, Process: a.own, Saves: top.Saves, revision: top.revision - 1}
	if err := a.saveOne(saving{2, noise(2, 25)}, &stale); err == nil {
		t.Fatal("a former process has finished a checkpoint")
	} else {
		wants(t, err, "epoch 2")
	}
	save(t, b, 1, noise(3, 25))
	one[Lost](t, poll(t, a))
	b.Close()
	if b = take(t, s, "north", record(1, "a"), c); !bytes.Equal(b.Checkpoint(), noise(3, 25)) {
		t.Error("the checkpoint of the former process came back")
	}
}

// While one checkpoint is written, another is refused.
func TestSaveOneAtATime(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	h := take(t, open(t, nc), "north", record(1, "a"), &clock{})
	if !h.Save(1, noise(1, 3*partSize)) {
		t.Fatal("the first is refused")
	}
	if h.Save(2, nil) {
		t.Error("the second is taken")
	}
	one[Saved](t, poll(t, h))
	if !h.Save(2, nil) {
		t.Error("a later one is refused")
	}
}

func FuzzParseHead(f *testing.F) {
	h := head{Epoch: 2, Process: "p", Saves: []saved{{Epoch: 2, Number: 7, Slot: 1, Size: 11, Sum: 5, Parts: []uint64{8, 9}}, {Epoch: 1}}}
	f.Add(h.marshal())
	f.Add([]byte(`{"epoch":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := parseHead(data)
		if err != nil {
			return
		}
		if h.Epoch < 1 || h.Epoch > custody.MaxEpoch || len(h.Saves) > maxSaves {
			t.Errorf("took %+v", h)
		}
		again, err := parseHead(h.marshal())
		if err != nil || !bytes.Equal(again.marshal(), h.marshal()) {
			t.Errorf("%+v came back as %+v, error %v", h, again, err)
		}
	})
}

// A list of checkpoints that does not fit what is stored is damage, not a crash.
func TestImpossibleHeads(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s := open(t, nc)
	for _, text := range []string{
		"", "[]", `{"epoch":0}`, `{"epoch":1048575}`, `{"epoch":1,"saves":[{"epoch":1},{"epoch":1},{"epoch":1}]}`,
		`{"epoch":1,"saves":[{"epoch":2}]}`, `{"epoch":1,"saves":[{"epoch":1,"slot":3}]}`, `{"epoch":1,"saves":[{"epoch":1,"size":-1}]}`,
		`{"epoch":1,"saves":[{"epoch":1,"size":67108865}]}`, `{"epoch":-1}`,
	} {
		if h, err := parseHead([]byte(text)); err == nil {
			t.Errorf("%s gave %+v", text, h)
		}
	}
	long := saved{Epoch: 1, Size: 5}
	for range 3 {
		n, err := s.saves.Put(context.Background(), keyPart("north", long, len(long.Parts)), noise(1, 100))
		if err != nil {
			t.Fatal(err)
		}
		long.Parts = append(long.Parts, n)
	}
	_, err := s.load(patient(t), "north", long)
	wants(t, err, "damaged")
}
