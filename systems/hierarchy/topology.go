package hierarchy

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/hierarchy/internal/tree"
)

// topology holds the order of a hierarchy's members, and finds whether that is still right.
//
// Parents are plain components that any code may write, so changes must be searched for. Every
// member carries a hidden mark with its parent at the time when the order was built. If there are
// as many marks as members, none has died; if every Parent equals its mark and no entity has a
// Parent without a mark, none was added or moved. That is one pass over two columns of eight bytes,
// at the speed of memory.
type topology[P any] struct {
	orders [2]tree.Order
	// current is the index of the world's order, drawn that of the order of the poses that were
	// drawn last. They differ from a change until the next frame.
	current, drawn int

	mark     arche.ID
	parent   arche.ID
	marked   arche.CachedFilter // all members
	children column.Tables      // with mark and Parent
	roots    arche.CachedFilter // with mark, without Parent
	new      arche.CachedFilter // with Parent, without mark

	builder  tree.Builder
	list     []tree.Link           // scratch
	former   []arche.Entity        // scratch
	reported map[arche.Entity]bool // members of cycles that were reported
}

// mark is the hidden component of the members of a hierarchy of poses P.
type mark[P any] struct{ parent arche.Entity }

// noParent marks members without a Parent, which are members because of their children. It differs
// from a Parent that names no entity: when such a Parent is removed, its owner may cease to be a
// member. It counts as the zero entity, as every entity with the id 0 does.
var noParent = column.Entity(0, 1)

func (t *topology[P]) order() *tree.Order { return &t.orders[t.current] }

func newTopology[P any](w *arche.World, parent arche.ID) topology[P] {
	t := topology[P]{mark: arche.ComponentID[mark[P]](w), parent: parent, reported: map[arche.Entity]bool{}}
	marked, withParent := arche.All(t.mark), arche.All(parent)
	roots, fresh := marked.Without(parent), withParent.Without(t.mark)
	t.children = column.New(w, t.mark, parent)
	t.marked = w.Cache().Register(&marked)
	t.roots, t.new = w.Cache().Register(&roots), w.Cache().Register(&fresh)
	return t
}

// close unregisters the filters, and removes all marks if they are ours.
func (t *topology[P]) close(w *arche.World, ours bool) {
	if ours {
		w.Batch().Remove(arche.All(t.mark), t.mark)
	}
	t.children.Close()
	for _, c := range []*arche.CachedFilter{&t.marked, &t.roots, &t.new} {
		w.Cache().Unregister(c)
	}
}

// unchanged reports whether the order is still that of the world.
func (t *topology[P]) unchanged(w *arche.World) bool {
	if column.Count(w, &t.new) > 0 || column.Count(w, &t.marked) != len(t.order().Nodes()) {
		return false
	}
	found := t.children.Find()
	for k := range found {
		if !column.Equal(column.Of[arche.Entity](&found[k], 0), column.Of[arche.Entity](&found[k], 1)) {
			return false
		}
	}
	same := true
	query := w.Query(&t.roots)
	for query.Next() {
		same = same && (*mark[P])(query.Get(t.mark)).parent == noParent
	}
	return same
}

// links collects every entity that has a Parent, with that parent. The slice is reused
// by the next call.
func (t *topology[P]) links(w *arche.World) []tree.Link {
	t.list = t.list[:0]
	with := arche.All(t.parent)
	query := w.Query(&with)
	for query.Next() {
		t.list = append(t.list, tree.Link{Child: query.Entity(), Parent: (*components.Parent)(query.Get(t.parent)).Entity})
	}
	return t.list
}

// rebuild builds the order. All parents must be alive. It returns the members of cycles, which
// it makes roots.
func (t *topology[P]) rebuild(w *arche.World, links []tree.Link) (cycles []arche.Entity) {
	t.current = 1 - t.drawn
	cycles = t.builder.Build(t.order(), links)
	t.markMembers(w)
	return cycles
}

// markMembers gives the marks to members and takes them from former ones. A direct link into a
// cycle is marked as it is written, so that it is not found again every time.
func (t *topology[P]) markMembers(w *arche.World) {
	o := t.order()
	for k := range o.Nodes() {
		if n := &o.Nodes()[k]; n.Parent() < 0 && !w.Has(n.Entity(), t.mark) {
			w.Add(n.Entity(), t.mark)
		}
	}
	if column.Count(w, &t.new) > 0 {
		withParent := arche.All(t.parent)
		fresh := withParent.Without(t.mark) // not t.new: arche (0.15) walks the cache's own list
		w.Batch().Add(&fresh, t.mark)
	}
	found := t.children.Find()
	for k := range found {
		copy(column.Of[arche.Entity](&found[k], 0), column.Of[arche.Entity](&found[k], 1))
	}
	t.former = t.former[:0]
	query := w.Query(&t.roots)
	for query.Next() {
		(*mark[P])(query.Get(t.mark)).parent = noParent
		if o.Index(query.Entity()) < 0 {
			t.former = append(t.former, query.Entity())
		}
	}
	for _, e := range t.former {
		w.Remove(e, t.mark)
	}
}
