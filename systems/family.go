package systems

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// family is the structure of a hierarchy: its members in an order in which parents stand before their children and every subtree is one run.
//
// Parents are plain components that anybody may write, so changes must be found by looking. Every member carries a hidden mark with the parent that it had when the order was
// made. If there are as many marks as members, none has died; if every Parent equals its mark and nobody has a Parent without a mark, none was added or moved. That is one
// pass over two columns of eight bytes, at the speed of memory.
type family struct {
	mark     arche.ID
	parent   arche.ID
	marked   arche.CachedFilter // all members
	children tables             // with mark and Parent
	roots    arche.CachedFilter // with mark, without Parent
	new      arche.CachedFilter // with Parent, without mark

	nodes    []node
	place    []int32               // by entity id: index into nodes plus one
	unsynced []int32               // members whose drawn pose the interpolator does not write
	reported map[arche.Entity]bool // members of cycles that were reported
}

type node struct {
	entity arche.Entity
	parent arche.Entity // the zero entity for a root and for the members of a cycle
	end    int32        // nodes[k:end] is k's subtree
}

// familyMark is the hidden component of the members.
type familyMark struct{ parent arche.Entity }

func newFamily(w *arche.World, parent arche.ID) family {
	f := family{mark: arche.ComponentID[familyMark](w), parent: parent, reported: map[arche.Entity]bool{}}
	marked, withParent := arche.All(f.mark), arche.All(parent)
	roots, fresh := marked.Without(parent), withParent.Without(f.mark)
	f.children = newTables(w, f.mark, parent)
	f.marked = w.Cache().Register(&marked)
	f.roots, f.new = w.Cache().Register(&roots), w.Cache().Register(&fresh)
	return f
}

func (f *family) close(w *arche.World) {
	f.children.close()
	for _, c := range []*arche.CachedFilter{&f.marked, &f.roots, &f.new} {
		w.Cache().Unregister(c)
	}
}

// unchanged reports whether the order is still that of the world.
func (f *family) unchanged(w *arche.World) bool {
	if count(w, &f.new) > 0 || count(w, &f.marked) != len(f.nodes) {
		return false
	}
	found := f.children.find()
	for k := range found {
		if !sameColumns(column[arche.Entity](&found[k], 0), column[arche.Entity](&found[k], 1)) {
			return false
		}
	}
	same := true
	query := w.Query(&f.roots)
	for query.Next() {
		same = same && (*familyMark)(query.Get(f.mark)).parent.IsZero()
	}
	return same
}

// sameColumns compares two columns of one length as memory, many rows at a time.
func sameColumns(a, b []arche.Entity) bool {
	size := uintptr(len(a)) * unsafe.Sizeof(arche.Entity{})
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size) == unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(b))), size)
}

// links collects every entity that has a parent, with it.
func (f *family) links(w *arche.World, list []link) []link {
	with := arche.All(f.parent)
	query := w.Query(&with)
	for query.Next() {
		if p := (*components.Parent)(query.Get(f.parent)).Entity; !p.IsZero() {
			list = append(list, link{query.Entity(), p})
		}
	}
	return list
}

type link struct{ child, parent arche.Entity }

// rebuild makes the order anew. All parents must be alive. It returns the members of cycles, which it makes roots.
func (f *family) rebuild(w *arche.World, links []link) (cycles []arche.Entity) {
	clear(f.place)
	f.nodes = f.nodes[:0]
	// Members by number of first sight; their children by counting.
	var members []arche.Entity
	var parents, kids []int32
	number := func(e arche.Entity) int32 {
		if n := int(e.ID()) + 1; n > len(f.place) {
			f.place = append(f.place, make([]int32, max(n, 2*len(f.place))-len(f.place))...)
		}
		if f.place[e.ID()] == 0 {
			members = append(members, e)
			parents = append(parents, -1)
			kids = append(kids, 0)
			f.place[e.ID()] = int32(len(members))
		}
		return f.place[e.ID()] - 1
	}
	for _, l := range links {
		c, p := number(l.child), number(l.parent)
		parents[c] = p
		kids[p]++
	}
	cycles = breakCycles(members, parents, kids)
	first := make([]int32, len(members)+1)
	for k, n := range kids {
		first[k+1] = first[k] + n
	}
	child := make([]int32, first[len(members)])
	fill := append([]int32(nil), first...)
	for c, p := range parents {
		if p >= 0 {
			child[fill[p]] = int32(c)
			fill[p]++
		}
	}
	// Depth first, without recursion: a chain may be a hundred thousand long.
	type frame struct{ member, next, at int32 }
	var stack []frame
	visit := func(m int32) {
		parent := arche.Entity{}
		if parents[m] >= 0 {
			parent = members[parents[m]]
		}
		stack = append(stack, frame{m, first[m], int32(len(f.nodes))})
		f.nodes = append(f.nodes, node{entity: members[m], parent: parent})
	}
	for m := range members {
		if parents[m] >= 0 {
			continue
		}
		visit(int32(m))
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next < first[top.member+1] {
				top.next++
				visit(child[top.next-1])
				continue
			}
			f.nodes[top.at].end = int32(len(f.nodes))
			stack = stack[:len(stack)-1]
		}
	}
	for k := range f.nodes {
		f.place[f.nodes[k].entity.ID()] = int32(k) + 1
	}
	f.markMembers(w)
	return cycles
}

// breakCycles cuts the links inside cycles and returns their members.
func breakCycles(members []arche.Entity, parents, kids []int32) (cycles []arche.Entity) {
	walk := make([]int32, len(members)) // 0: unseen, otherwise the walk that came by
	for start := range members {
		m, id := int32(start), int32(start)+1
		for m >= 0 && walk[m] == 0 {
			walk[m] = id
			m = parents[m]
		}
		if m < 0 || walk[m] != id {
			continue
		}
		for at := m; parents[at] >= 0; {
			next := parents[at]
			cycles = append(cycles, members[at])
			kids[next]--
			parents[at] = -1
			at = next
		}
	}
	return cycles
}

// markMembers gives the marks to members and takes them from former ones. A direct link into a cycle is marked as it is written, so that it is not found anew every time.
func (f *family) markMembers(w *arche.World) {
	for _, n := range f.nodes {
		if !w.Has(n.entity, f.mark) {
			w.Add(n.entity, f.mark)
		}
	}
	if count(w, &f.new) > 0 { // a Parent that names nobody: a member of its own
		withParent := arche.All(f.parent)
		fresh := withParent.Without(f.mark) // not f.new: see homes.edit
		w.Batch().Add(&fresh, f.mark)
	}
	var former []arche.Entity
	query := w.Query(&f.marked)
	for query.Next() {
		e := query.Entity()
		parent := arche.Entity{}
		if query.Has(f.parent) {
			parent = (*components.Parent)(query.Get(f.parent)).Entity
		}
		(*familyMark)(query.Get(f.mark)).parent = parent
		switch {
		case f.index(e) >= 0:
		case query.Has(f.parent):
			n := int32(len(f.nodes))
			f.nodes = append(f.nodes, node{entity: e, end: n + 1})
			f.setIndex(e, n)
		default:
			former = append(former, e)
		}
	}
	for _, e := range former {
		w.Remove(e, f.mark)
	}
}

// index returns where an entity stands, or -1.
func (f *family) index(e arche.Entity) int32 {
	if int(e.ID()) >= len(f.place) {
		return -1
	}
	k := f.place[e.ID()] - 1
	if k < 0 || int(k) >= len(f.nodes) || f.nodes[k].entity != e {
		return -1
	}
	return k
}

func (f *family) setIndex(e arche.Entity, k int32) {
	if n := int(e.ID()) + 1; n > len(f.place) {
		f.place = append(f.place, make([]int32, n-len(f.place))...)
	}
	f.place[e.ID()] = k + 1
}
