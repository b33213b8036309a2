package column

import (
	"sort"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
)

// Tables finds whole columns of components. A query stands on the first row of each table in turn,
// and rows lie one after the other. A copy of the query looks ahead to find where the table ends.
//
// Most tables keep their length from one call to the next, so it looks there first: the last row
// still belongs to this table, and the next row does not.
//
// The rows that Find returns are valid until the world's structure changes. Make it with [New] or
// [NewFor].
type Tables struct {
	world  *arche.World
	filter arche.CachedFilter
	ids    []arche.ID
	all    arche.Mask // of the ids
	masks  map[arche.Mask]*maskInfo
	found  []Rows
	same   bool // see Unchanged
}

const maxColumns = 8

// Rows are all rows of one table.
type Rows struct {
	first  [maxColumns]unsafe.Pointer // of the first row, in the order of the ids
	n      int
	info   *maskInfo
	target arche.Entity // of the relation, if there is one
}

// maskInfo describes the tables with one mask: a single one, or with a relation one per target.
type maskInfo struct {
	mask     arche.Mask
	partial  bool // not all columns are there
	relation bool
	id       arche.ID // of the relation
}

// New prepares to find the tables of entities that have all the components with the ids given.
func New(w *arche.World, ids ...arche.ID) Tables {
	all := arche.All(ids...)
	return NewFor(w, &all, ids...)
}

// NewFor prepares to find the tables that pass a filter. Those that lack one of the
// components are partial: they come without columns.
func NewFor(w *arche.World, filter arche.Filter, ids ...arche.ID) Tables {
	if len(ids) > maxColumns {
		panic("column: tables of too many columns; raise maxColumns")
	}
	return Tables{world: w, filter: w.Cache().Register(filter), ids: ids, all: arche.All(ids...), masks: map[arche.Mask]*maskInfo{}}
}

// Close unregisters the filter.
func (t *Tables) Close() {
	t.world.Cache().Unregister(&t.filter)
	t.masks, t.found = nil, nil
}

// Unchanged reports whether the newest Find has found the same tables as the one before, of the
// same lengths and in the same places: slices over their columns are still good.
func (t *Tables) Unchanged() bool { return t.same }

// Find returns all tables that have rows. The slice is reused by the next call.
func (t *Tables) Find() []Rows {
	query := t.world.Query(&t.filter)
	left, k := query.Count(), 0
	t.same = true
	for ok := query.Next(); ok; k++ {
		if k == len(t.found) {
			t.found = append(t.found, Rows{})
		}
		rows := &t.found[k] // as it was at the last call
		known := rows.info != nil && rows.has(&query)
		if !known {
			*rows = Rows{info: t.info(query.Mask())}
			if rows.info.relation {
				rows.target = query.Relation(rows.info.id)
			}
		}
		// A table that grows gets all its columns anew. The old one is held on to here, so a column
		// in its place is the same one.
		if !rows.info.partial && rows.first[0] != query.Get(t.ids[0]) {
			for c, id := range t.ids {
				rows.first[c] = query.Get(id)
			}
			t.same = false
		}
		if !known || !rows.ends(query, left) {
			rows.n = rows.length(query, left)
			t.same = false
		}
		left -= rows.n
		ok = query.Step(rows.n)
	}
	if k < len(t.found) {
		clear(t.found[k:]) // no pointers into tables that are gone
		t.found = t.found[:k]
		t.same = false
	}
	return t.found
}

// has reports whether a query stands in the table. The mask and, if it has a relation, the target
// tell tables apart.
func (r *Rows) has(q *arche.Query) bool {
	return q.Mask() == r.info.mask && (!r.info.relation || q.Relation(r.info.id) == r.target)
}

// ends reports whether the table whose first row the query stands on is over after n rows. It gets
// a copy of the query to go ahead with, which must not come to its end, where it would close; left
// is how many rows there are from here on, in all tables.
func (r *Rows) ends(ahead arche.Query, left int) bool {
	if r.n > left || r.n > 1 && !ahead.Step(r.n-1) || !r.has(&ahead) {
		return false
	}
	return r.n == left || ahead.Next() && !r.has(&ahead)
}

// holds reports whether the row that lies k rows behind that of a query belongs to the table.
func (r *Rows) holds(ahead arche.Query, k int) bool { return ahead.Step(k) && r.has(&ahead) }

// length returns how many rows the table has, in the same way.
func (r *Rows) length(q arche.Query, left int) int {
	low, high := 0, 1 // row low belongs to the table
	for high < left && r.holds(q, high) {
		low, high = high, 2*high
	}
	high = min(high, left)
	return low + 1 + sort.Search(high-low-1, func(k int) bool { return !r.holds(q, low+1+k) })
}

func (t *Tables) info(mask arche.Mask) *maskInfo {
	if info := t.masks[mask]; info != nil {
		return info
	}
	info := &maskInfo{mask: mask, partial: !mask.Contains(&t.all)}
	for _, id := range arche.ComponentIDs(t.world) {
		if i, ok := arche.ComponentInfo(t.world, id); ok && i.IsRelation && mask.Get(id) {
			info.relation, info.id = true, id
		}
	}
	t.masks[mask] = info
	return info
}

// Mask returns the components that the table's entities have.
func (r *Rows) Mask() *arche.Mask { return &r.info.mask }

// Partial reports whether the table lacks one of the components, and so has no columns.
func (r *Rows) Partial() bool { return r.info.partial }

// Of returns the k-th column, in the order of the ids given to [New], as a slice. C must be laid
// out in memory as the component is.
func Of[C any](rows *Rows, k int) []C {
	return unsafe.Slice((*C)(rows.first[k]), rows.n)
}

// Count returns how many entities pass a registered filter.
func Count(w *arche.World, f *arche.CachedFilter) int {
	query := w.Query(f)
	defer query.Close()
	return query.Count()
}
