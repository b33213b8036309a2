package custody

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"
)

// samples are messages of each kind, and a checkpoint with all tables.
func samples() (messages [][]byte, checkpoint []byte) {
	from, to := Process{1, 2}, Process{MaxZone, MaxEpoch}
	s, n := stamp{2, 9}, newName(from, 7)
	for _, m := range []Message{
		{kind: commit, name: n, hop: 3, stamp: s, state: []byte("state")},
		{kind: refuse, name: n, hop: 4, stamp: s},
		{kind: taken, name: n, hop: 3},
		{kind: saved, name: n, hop: 3},
		{kind: done, stamp: s},
		{kind: ask, round: 1, after: n, gone: []Process{to}},
		{kind: answer, round: 1, after: n, stamp: s, more: true, claims: []claim{{n + 1, 3, owns}, {n + 2, 1, sent}, {n + 3, 9, knows}}},
	} {
		m.From, m.To = from, to
		messages = append(messages, m.Append(nil))
	}
	l := newLedger(from)
	l.peers[MaxZone] = &peer{3, s}
	l.owned[n] = 3
	l.copies[n+1] = kept{hop: 4, to: MaxZone, stamp: s, state: []byte("copy"), back: true}
	l.receipts[n] = []receipt{{from: MaxZone, stamp: s, hop: 3}}
	l.heard[n+2], l.marks[MaxZone] = 8, s
	return messages, l.appendCheckpoint(nil, func(Name) []byte { return []byte("owned") })
}

func FuzzParse(f *testing.F) {
	messages, _ := samples()
	for _, b := range messages {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		if again := m.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x is written as %x", b, again)
		}
		// No message makes a ledger fail, whatever it says.
		for _, begin := range []bool{false, true} {
			l := newLedger(Process{m.To.Zone, max(m.To.Epoch, 1)})
			l.peers[m.From.Zone] = &peer{}
			if begin {
				l.ask()
			}
			l.Receive(m)
			l.Repeat()
			if l.Active() {
				n, _ := l.Checkpoint(func(Name) []byte { return nil })
				l.Written(n)
			}
			for _, m := range l.Outbox() {
				if _, err := Parse(m.Append(nil)); err != nil {
					t.Fatalf("an answer is malformed: %v", err)
				}
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	_, checkpoint := samples()
	f.Add(checkpoint)
	f.Add(checkpoint[:len(checkpoint)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		// The checksum is made right, so that what is behind it is tried, too.
		for _, b := range [][]byte{b, checksummed(b)} {
			l, err := Open(Process{1, 3}, []Zone{0, MaxZone}, b)
			if err != nil {
				continue
			}
			l.Repeat()
			for _, m := range l.Outbox() {
				m.Append(nil)
			}
		}
	})
}

// A checkpoint gives back all that was in it, and a damaged one nothing.
func TestCheckpoint(t *testing.T) {
	_, b := samples()
	l := newLedger(Process{1, 3})
	l.peers[MaxZone] = &peer{}
	if err := l.restore(b); err != nil {
		t.Fatal(err)
	}
	states := l.restored
	l.self.Epoch = 2
	if again := l.appendCheckpoint(nil, func(n Name) []byte { return states[n] }); !bytes.Equal(again, b) {
		t.Errorf("%x is written as %x", b, again)
	}
	for i := range b {
		damaged := bytes.Clone(b)
		damaged[i] ^= 1
		if _, err := Open(Process{1, 3}, []Zone{MaxZone}, damaged); err == nil {
			t.Errorf("a wrong byte %d is not seen", i)
		}
	}
	for _, p := range []Process{{1, 2}, {2, 3}} {
		if _, err := Open(p, []Zone{MaxZone}, b); err == nil {
			t.Errorf("%v begins with the checkpoint of zone 1 in epoch 2", p)
		}
	}
}

// An answer has at most maxClaims lines. More come with the next questions, and all are taken.
func TestLongAnswer(t *testing.T) {
	const n = 2*maxClaims + 1
	a := newLedger(Process{1, 1})
	a.peers[2] = &peer{}
	for i := range n {
		a.owned[Name(i+1)] = 2
	}
	b, err := Open(Process{2, 1}, []Zone{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for ; !b.Active() && rounds < 10; rounds++ {
		for _, m := range b.Outbox() {
			a.Receive(m)
		}
		for _, m := range a.Outbox() {
			m, err := Parse(m.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			b.Receive(m)
			b.Receive(m) // a repetition
		}
	}
	want := map[Name]hop{}
	for i := range n {
		want[Name(i+1)] = 1
	}
	if rounds != 3 || !reflect.DeepEqual(b.heard, want) {
		t.Errorf("%d questions have brought %d claims; want 3 and %d", rounds, len(b.heard), n)
	}
}

// checksummed returns the bytes with the checksum that they should have.
func checksummed(b []byte) []byte {
	if len(b) < 4 {
		return b
	}
	b = b[: len(b)-4 : len(b)-4]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}
