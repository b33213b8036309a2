package systems

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// family is the structure of a hierarchy: the order of its members, and whether that is still right.
//
// Parents are plain components that anybody may write, so changes must be found by looking. Every member carries a hidden mark with the parent that it had when the order was
// made. If there are as many marks as members, none has died; if every Parent equals its mark and nobody has a Parent without a mark, none was added or moved. That is one
// pass over two columns of eight bytes, at the speed of memory.
type family struct {
	orders [2]order
	// current says which of them is that of the world, drawn which is that of the poses that were drawn last: the other one, from a change on until the next frame.
	current, drawn int

	mark     arche.ID
	parent   arche.ID
	marked   arche.CachedFilter // all members
	children tables             // with mark and Parent
	roots    arche.CachedFilter // with mark, without Parent
	new      arche.CachedFilter // with Parent, without mark

	builder  builder
	list     []link                // scratch
	former   []arche.Entity        // scratch
	reported map[arche.Entity]bool // members of cycles that were reported
}

// familyMark is the hidden component of the members.
type familyMark struct{ parent arche.Entity }

// noParent marks members without a Parent, who are such for their children's sake. A Parent that names nobody is another thing: when it goes, its owner may be no member any more.
// It counts as the zero entity, as every entity with the id 0 does.
var noParent = *(*arche.Entity)(unsafe.Pointer(&[2]uint32{0, 1}))

func (f *family) order() *order { return &f.orders[f.current] }

func newFamily(w *arche.World, parent arche.ID) family {
	f := family{mark: arche.ComponentID[familyMark](w), parent: parent, reported: map[arche.Entity]bool{}}
	marked, withParent := arche.All(f.mark), arche.All(parent)
	roots, fresh := marked.Without(parent), withParent.Without(f.mark)
	f.children = newTables(w, f.mark, parent)
	f.marked = w.Cache().Register(&marked)
	f.roots, f.new = w.Cache().Register(&roots), w.Cache().Register(&fresh)
	return f
}

// close gives the filters back, and takes away all marks if they are ours.
func (f *family) close(w *arche.World, ours bool) {
	if ours {
		w.Batch().Remove(arche.All(f.mark), f.mark)
	}
	f.children.close()
	for _, c := range []*arche.CachedFilter{&f.marked, &f.roots, &f.new} {
		w.Cache().Unregister(c)
	}
}

// unchanged reports whether the order is still that of the world.
func (f *family) unchanged(w *arche.World) bool {
	if count(w, &f.new) > 0 || count(w, &f.marked) != len(f.order().nodes) {
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
		same = same && (*familyMark)(query.Get(f.mark)).parent == noParent
	}
	return same
}

// sameColumns compares two columns of one length as memory, many rows at a time.
func sameColumns(a, b []arche.Entity) bool {
	size := uintptr(len(a)) * unsafe.Sizeof(arche.Entity{})
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size) == unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(b))), size)
}

// links collects every entity that has a Parent, with whom that names: the zero entity for nobody. The slice is reused by the next call.
func (f *family) links(w *arche.World) []link {
	f.list = f.list[:0]
	with := arche.All(f.parent)
	query := w.Query(&with)
	for query.Next() {
		f.list = append(f.list, link{query.Entity(), (*components.Parent)(query.Get(f.parent)).Entity})
	}
	return f.list
}

// rebuild makes the order anew. All parents must be alive. It returns the members of cycles, which it makes roots.
func (f *family) rebuild(w *arche.World, links []link) (cycles []arche.Entity) {
	f.current = 1 - f.drawn
	cycles = f.builder.build(f.order(), links)
	f.markMembers(w)
	return cycles
}

// markMembers gives the marks to members and takes them from former ones. A direct link into a cycle is marked as it is written, so that it is not found anew every time.
func (f *family) markMembers(w *arche.World) {
	o := f.order()
	for k := range o.nodes {
		if n := &o.nodes[k]; n.up < 0 && !w.Has(n.entity, f.mark) {
			w.Add(n.entity, f.mark)
		}
	}
	if count(w, &f.new) > 0 {
		withParent := arche.All(f.parent)
		fresh := withParent.Without(f.mark) // not f.new: see homes.edit
		w.Batch().Add(&fresh, f.mark)
	}
	found := f.children.find()
	for k := range found {
		copy(column[arche.Entity](&found[k], 0), column[arche.Entity](&found[k], 1))
	}
	f.former = f.former[:0]
	query := w.Query(&f.roots)
	for query.Next() {
		(*familyMark)(query.Get(f.mark)).parent = noParent
		if o.index(query.Entity()) < 0 {
			f.former = append(f.former, query.Entity())
		}
	}
	for _, e := range f.former {
		w.Remove(e, f.mark)
	}
}
