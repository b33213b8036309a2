package fifo

// Ring is a first-in, first-out list. It keeps its memory, and allocates nothing once it has
// reached its greatest length. The zero value is empty.
type Ring[T any] struct {
	items []T // a power of two of them
	head  int // index of the oldest
	n     int
}

// Len returns how many items there are.
func (r *Ring[T]) Len() int { return r.n }

// At returns item i. Item 0 is the oldest.
func (r *Ring[T]) At(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }

// Push appends an item and returns it. The item may still hold the value of one that was removed,
// so that the caller can reuse its memory.
func (r *Ring[T]) Push() *T {
	if r.n == len(r.items) {
		larger := make([]T, max(2*r.n, 4))
		for i := range r.n {
			larger[i] = *r.At(i)
		}
		r.items, r.head = larger, 0
	}
	r.n++
	return r.At(r.n - 1)
}

// Pop removes the oldest item and returns it. The item is valid until the next Push. There has to
// be one.
func (r *Ring[T]) Pop() *T {
	oldest := r.At(0)
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.n--
	return oldest
}
