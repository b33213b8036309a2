package linksim

import "time"

// flight is a datagram under way.
type flight struct {
	at    time.Duration // arrival
	order uint64        // decides between equal arrival times
	slot  int32         // its bytes, in flights.slots
}

// flights is a binary heap of the datagrams under way, earliest arrival first. Buffers are kept and
// reused, so that a link that has reached its peak allocates nothing more.
type flights struct {
	heap  []flight
	slots [][]byte
	free  []int32
	order uint64
}

func (f *flights) len() int { return len(f.heap) }

func (f *flights) next() (at time.Duration, ok bool) {
	if len(f.heap) == 0 {
		return 0, false
	}
	return f.heap[0].at, true
}

func (f *flights) less(i, j int) bool {
	a, b := &f.heap[i], &f.heap[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// store copies the datagram and returns the slot that holds it. The slot returns to free when it is
// no longer needed.
func (f *flights) store(datagram []byte) (slot int32) {
	if n := len(f.free); n > 0 {
		slot, f.free = f.free[n-1], f.free[:n-1]
	} else {
		slot = int32(len(f.slots))
		f.slots = append(f.slots, nil)
		if cap(f.free) < cap(f.slots) { // all of them may become free
			f.free = make([]int32, 0, cap(f.slots))
		}
	}
	f.slots[slot] = append(f.slots[slot][:0], datagram...)
	return slot
}

// push adds the datagram in the slot under its arrival time.
func (f *flights) push(at time.Duration, slot int32) {
	f.heap = append(f.heap, flight{at, f.order, slot})
	f.order++
	for i := len(f.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !f.less(i, parent) {
			break
		}
		f.heap[i], f.heap[parent] = f.heap[parent], f.heap[i]
		i = parent
	}
}

// pop removes the earliest datagram and returns its slot. The caller puts the slot into free when
// it no longer needs the bytes.
func (f *flights) pop() int32 {
	slot := f.heap[0].slot
	last := len(f.heap) - 1
	f.heap[0] = f.heap[last]
	f.heap = f.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && f.less(child+1, child) {
			child++
		}
		if !f.less(child, i) {
			break
		}
		f.heap[i], f.heap[child] = f.heap[child], f.heap[i]
		i = child
	}
	return slot
}
