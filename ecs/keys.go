package ecs

import arche "github.com/mlange-42/arche/ecs"

// keys open a world's locks whose queries are lost.
//
// A query locks the world with one of a few bits. Closing it gives the bit back, and the next query takes the one that came back last. A system that panics while it iterates leaves its bit behind, and
// nobody has its query to close it; but another one that had the same bit does as well. So some that were open at once, before any system ran, are kept for that.
type keys []arche.Query

// lostQueries is how many queries a system may have open when it panics, one in the other.
const lostQueries = 16

// newKeys returns as many keys as queries may be lost. The world must not be locked.
func newKeys(w *arche.World) keys {
	k, open := make(keys, lostQueries), make([]arche.Query, lostQueries)
	for i := range k {
		open[i] = w.Query(arche.All())
		k[i] = open[i] // as long as it is open
	}
	for i := range open {
		open[i].Close()
	}
	return k
}

// unlock closes all queries that are open.
func (k keys) unlock(w *arche.World) {
	for i := range k {
		if !w.IsLocked() {
			return
		}
		k.turn(i)
	}
}

// turn closes the query that has a key's bit. If there is none arche panics, and has changed nothing.
func (k keys) turn(i int) {
	defer func() { _ = recover() }()
	lost := k[i]
	lost.Close()
}
