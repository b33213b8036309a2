// Package tree sorts the members of a hierarchy depth first, so that every subtree is one run. It
// knows no world.
package tree

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"
)

// Order holds the members of a hierarchy depth first: parents stand before their children, and
// every subtree is one run.
type Order struct {
	nodes []Node
	place []slot // by entity id
}

// Node is a member in its place.
type Node struct {
	entity arche.Entity
	parent int32
	end    int32
}

// Entity returns the member.
func (n *Node) Entity() arche.Entity { return n.entity }

// Parent returns where the parent stands; -1 for a root and for the members of a cycle.
func (n *Node) Parent() int32 { return n.parent }

// End returns where the node's subtree ends: nodes[k:End] is that of node k.
func (n *Node) End() int32 { return n.end }

// slot holds the place of the entity with an id.
type slot struct {
	generation uint32
	at         int32 // plus one; 0: nowhere
}

// Link is an entity with a Parent, and that parent, which may be zero for none.
type Link struct{ Child, Parent arche.Entity }

// Nodes returns the members in their order.
func (o *Order) Nodes() []Node { return o.nodes }

// Index returns where an entity stands, or -1.
func (o *Order) Index(e arche.Entity) int32 {
	if int(e.ID()) >= len(o.place) {
		return -1
	}
	s := o.place[e.ID()]
	if s.generation != e.Generation() {
		return -1
	}
	return s.at - 1
}

// Builder makes orders. Its fields are scratch, kept from one order to the next.
type Builder struct {
	members       []arche.Entity // by number, in the order of first sight
	parents, kids []int32        // by number: the parent's, or -1; how many children
	first, child  []int32        // child[first[m]:first[m+1]] are m's children
	fill          []int32
	walk          []int32 // 0: unseen, otherwise the number of the walk that saw it
	stack         []visit
}

// visit is a node on the way down, with its children that have not been visited.
type visit struct{ at, next, end int32 }

// Build makes the order of the links. It returns the members of cycles, which it makes roots.
func (b *Builder) Build(o *Order, links []Link) (cycles []arche.Entity) {
	clear(o.place)
	b.members, b.parents, b.kids = b.members[:0], b.parents[:0], b.kids[:0]
	for _, l := range links {
		c := b.number(o, l.Child)
		if l.Parent.IsZero() {
			continue
		}
		p := b.number(o, l.Parent)
		b.parents[c] = p
		b.kids[p]++
	}
	cycles = b.breakCycles()
	b.sortChildren()
	o.nodes = o.nodes[:0]
	for m, p := range b.parents {
		if p < 0 {
			b.descend(o, int32(m))
		}
	}
	for k := range o.nodes {
		o.place[o.nodes[k].entity.ID()].at = int32(k) + 1
	}
	return cycles
}

// number returns the number of a member.
func (b *Builder) number(o *Order, e arche.Entity) int32 {
	if n := int(e.ID()) + 1; n > len(o.place) {
		o.place = append(o.place, make([]slot, max(n, 2*len(o.place))-len(o.place))...)
	}
	s := &o.place[e.ID()]
	if s.at == 0 {
		b.members, b.parents, b.kids = append(b.members, e), append(b.parents, -1), append(b.kids, 0)
		*s = slot{e.Generation(), int32(len(b.members))}
	}
	return s.at - 1
}

// breakCycles cuts the links inside cycles and returns their members.
func (b *Builder) breakCycles() (cycles []arche.Entity) {
	b.walk = zeroed(b.walk, len(b.members))
	for start := range b.members {
		m, id := int32(start), int32(start)+1
		for m >= 0 && b.walk[m] == 0 {
			b.walk[m] = id
			m = b.parents[m]
		}
		if m < 0 || b.walk[m] != id {
			continue
		}
		for at := m; b.parents[at] >= 0; {
			next := b.parents[at]
			cycles = append(cycles, b.members[at])
			b.kids[next]--
			b.parents[at] = -1
			at = next
		}
	}
	return cycles
}

// sortChildren lists the children of every member, by counting.
func (b *Builder) sortChildren() {
	n := len(b.members)
	b.first, b.fill = zeroed(b.first, n+1), zeroed(b.fill, n)
	for m, kids := range b.kids {
		b.fill[m] = b.first[m]
		b.first[m+1] = b.first[m] + kids
	}
	b.child = zeroed(b.child, int(b.first[n]))
	for c, p := range b.parents {
		if p >= 0 {
			b.child[b.fill[p]] = int32(c)
			b.fill[p]++
		}
	}
}

// descend appends a root and its subtree, depth first, without recursion: a chain may be a hundred
// thousand long.
func (b *Builder) descend(o *Order, root int32) {
	b.stack = b.stack[:0]
	for m, up := root, int32(-1); ; {
		at := int32(len(o.nodes))
		o.nodes = append(o.nodes, Node{entity: b.members[m], parent: up, end: at + 1})
		if first, end := b.first[m], b.first[m+1]; first < end {
			b.stack = append(b.stack, visit{at, first, end})
		}
		for len(b.stack) > 0 && b.stack[len(b.stack)-1].next == b.stack[len(b.stack)-1].end {
			o.nodes[b.stack[len(b.stack)-1].at].end = int32(len(o.nodes))
			b.stack = b.stack[:len(b.stack)-1]
		}
		if len(b.stack) == 0 {
			return
		}
		top := &b.stack[len(b.stack)-1]
		m, up = b.child[top.next], top.at
		top.next++
	}
}

// zeroed returns n zeros, in the memory of s if that is large enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
