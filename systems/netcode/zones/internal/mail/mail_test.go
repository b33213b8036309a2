package mail

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// zone is a process of the model and its store. The entity is in one zone at a time; custody sees
// to that, and to its state being that of the newest checkpoint or hand-over.
type zone struct {
	self   custody.Process
	out    *Outbox
	number uint64
	// what a crash undoes
	spent int // letters that the zone has caused
	// the store
	stored      []byte
	storedSpent int
}

// entity is the state that goes along: the sum of what it has received, and the receipts.
type entity struct {
	received map[ID]int
	receipts Receipts
}

func (e entity) copy() entity {
	m := map[ID]int{}
	for id, n := range e.received {
		m[id] = n
	}
	r, _, _ := ReadReceipts(e.receipts.Append(nil))
	return entity{m, r}
}

type world struct {
	*rand.Rand
	zones  [3]*zone
	at     int    // the zone that has the entity
	now    entity // its state there
	saved  entity // in the checkpoint from which its zone restores it
	floors [3]Stamp
	forget bool // the negative control: receipts stay with the zone
}

func newWorld(seed uint64, forget bool) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), forget: forget}
	for i := range w.zones {
		p := custody.Process{Zone: custody.Zone(i + 1), Epoch: 1}
		w.zones[i] = &zone{self: p, out: NewOutbox(p), stored: NewOutbox(p).Snapshot(nil, 0)}
	}
	w.now = entity{received: map[ID]int{}}
	w.saved = w.now.copy()
	return w
}

// save writes a checkpoint of a zone. Its letters are released, and the receipts in it are
// acknowledged, as far as the network lets them through.
func (w *world) save(i int) {
	z := w.zones[i]
	z.number++
	z.stored, z.storedSpent = z.out.Snapshot(nil, z.number), z.spent
	z.out.Written(z.number)
	w.floors[i] = z.out.Floor()
	if w.at == i {
		w.saved = w.now.copy()
		for id := range w.now.receipts.All {
			if w.IntN(2) == 0 {
				w.zones[id.Zone-1].out.Acknowledge(id.Stamp)
			}
		}
	}
}

// crash begins a zone's next process from its checkpoint.
func (w *world) crash(t *rapid.T, i int) {
	z := w.zones[i]
	z.self.Epoch++
	z.out = NewOutbox(z.self)
	if _, err := z.out.Restore(z.stored); err != nil {
		t.Fatal(err)
	}
	z.out.committed = firstStamp(z.self) // what a checkpoint has is released
	z.spent = z.storedSpent
	if w.at == i {
		w.now = w.saved.copy()
	}
}

func firstStamp(p custody.Process) Stamp { return Stamp(p.Epoch) << 32 }

func (w *world) step(t *rapid.T) {
	i := w.IntN(len(w.zones))
	z := w.zones[i]
	switch w.IntN(8) {
	case 0, 1:
		if z.out.Post(1, []byte("coin")) == nil {
			z.spent++
		}
	case 2, 3:
		for l := range z.out.Due {
			if w.IntN(3) == 0 { // lost
				continue
			}
			if w.now.receipts.Take(l.ID) {
				w.now.received[l.ID]++
			}
		}
	case 4:
		w.save(i)
	case 5: // a hand-over: the sender's copy is what is restored until the receiver saves
		if i != w.at {
			w.at = i
			if w.forget {
				w.now.receipts = Receipts{}
			}
			w.saved = w.now.copy()
		}
	case 6:
		for j, f := range w.floors {
			w.now.receipts.Prune(custody.Zone(j+1), f)
		}
	case 7:
		if w.IntN(4) == 0 {
			w.crash(t, i)
		}
	}
}

// rest lets the world come to rest without losses, and returns how many letters were caused and
// received.
func (w *world) rest() (spent int, received map[ID]int) {
	for range 4 {
		for i, z := range w.zones {
			w.save(i)
			for l := range z.out.Due {
				if w.now.receipts.Take(l.ID) {
					w.now.received[l.ID]++
				}
			}
			w.save(w.at)
			for id := range w.now.receipts.All {
				w.zones[id.Zone-1].out.Acknowledge(id.Stamp)
			}
		}
		for i := range w.zones {
			w.save(i)
			w.now.receipts.Prune(custody.Zone(i+1), w.floors[i])
		}
	}
	for _, z := range w.zones {
		spent += z.spent
	}
	return spent, w.now.received
}

// Each letter whose cause is not undone has its effect once, over losses, hand-overs and crashes of
// any zone at any time, and in the end nothing is remembered.
func TestExactlyOnce(t *testing.T) {
	crossed := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"), false)
		for range 300 {
			w.step(t)
		}
		spent, received := w.rest()
		for id, n := range received {
			if n != 1 {
				t.Fatalf("letter %v was received %d times", id, n)
			}
		}
		if spent != len(received) {
			t.Fatalf("%d letters were caused, %d received", spent, len(received))
		}
		if n := w.now.receipts.Len(); n != 0 {
			t.Fatalf("%d receipts are remembered at rest", n)
		}
		for _, z := range w.zones {
			if z.out.Waiting() != 0 {
				t.Fatal("letters wait at rest")
			}
		}
		crossed += len(received)
	})
	if crossed == 0 {
		t.Error("no letter was received")
	}
}

// If the receipts stay behind when the entity goes, letters are received twice.
func TestReceiptsThatStayBehind(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(seed, true)
		for range 300 {
			w.step(nil)
		}
		for _, n := range func() map[ID]int { _, r := w.rest(); return r }() {
			if n > 1 {
				return
			}
		}
	}
	t.Error("50 worlds did not fail without the rule")
}

func TestLimits(t *testing.T) {
	o := NewOutbox(custody.Process{Zone: 1, Epoch: 1})
	if o.Post(1, make([]byte, MaxLetter+1)) == nil {
		t.Error("a letter too long was accepted")
	}
	for range MaxWaiting {
		if err := o.Post(1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Post(1, nil); !errors.Is(err, ErrFull) {
		t.Errorf("the letter too many: %v", err)
	}
	var r Receipts
	for i := range MaxReceipts {
		if !r.Take(ID{1, Stamp(i)}) {
			t.Fatal("a receipt was refused")
		}
	}
	if r.Take(ID{1, MaxReceipts}) {
		t.Error("the receipt too many was taken")
	}
}

// All that can be read is written again as the same bytes, and nothing panics.
func FuzzRestore(f *testing.F) {
	o := NewOutbox(custody.Process{Zone: 2, Epoch: 1})
	_ = o.Post(7, []byte("coin"))
	_ = o.Post(8, nil)
	f.Add(o.Snapshot(nil, 1))
	var r Receipts
	r.Take(ID{2, 1 << 32})
	f.Add(r.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		o := NewOutbox(custody.Process{Zone: 2, Epoch: 2})
		if rest, err := o.Restore(b); err == nil {
			again := NewOutbox(custody.Process{Zone: 2, Epoch: 2})
			once := o.Snapshot(nil, 1)
			if _, err := again.Restore(once); err != nil || !bytes.Equal(again.Snapshot(nil, 1), once) || len(rest) > len(b) {
				t.Errorf("%x is not read as it was written: %v", once, err)
			}
		}
		if r, _, err := ReadReceipts(b); err == nil && r.Len() > MaxReceipts {
			t.Error("too many receipts")
		}
	})
}
