package systems

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
)

// tables finds whole columns of components. arche exports none, but everything needed to reach them: a query stands on the first row of each table in turn,
// rows lie one after the other, and a second query, for the table's exact mask and, if it has a relation, its target, counts them.
//
// Most tables are as long as they were when they were last looked for, and that is cheaper to see than to count anew: the last row is still of this table, and
// the one after it is not.
//
// What it finds is valid until the world's structure changes.
type tables struct {
	world  *arche.World
	filter arche.CachedFilter
	ids    []arche.ID
	all    arche.Mask // of the ids
	masks  map[arche.Mask]*maskInfo
	found  []tableRows
	same   bool // the newest look has found the same tables as the one before, of the same lengths and in the same places
}

const maxColumns = 8

// tableRows are all rows of one table.
type tableRows struct {
	first  [maxColumns]unsafe.Pointer // of the first row, in the order of the ids
	n      int
	info   *maskInfo
	target arche.Entity // of the relation, if there is one
}

// maskInfo is what the tables with one mask have in common: there is one of them, or with a relation one per target.
type maskInfo struct {
	mask     arche.Mask
	partial  bool // not all columns are there
	relation bool
	id       arche.ID             // of the relation
	all      arche.CachedFilter   // without a relation: all rows
	of       arche.RelationFilter // with a relation: those of one target
}

// newTables prepares to find the tables of entities that have all the components with the ids given.
func newTables(w *arche.World, ids ...arche.ID) tables {
	all := arche.All(ids...)
	return newTablesOf(w, &all, ids...)
}

// newTablesOf prepares to find the tables that a filter lets through. Those that lack one of the components come without columns.
func newTablesOf(w *arche.World, filter arche.Filter, ids ...arche.ID) tables {
	if len(ids) > maxColumns {
		panic("systems: tables of too many columns; raise maxColumns")
	}
	return tables{world: w, filter: w.Cache().Register(filter), ids: ids, all: arche.All(ids...), masks: map[arche.Mask]*maskInfo{}}
}

// close gives the registered filters back.
func (t *tables) close() {
	t.world.Cache().Unregister(&t.filter)
	for _, info := range t.masks {
		if !info.relation {
			t.world.Cache().Unregister(&info.all)
		}
	}
	t.masks, t.found = nil, nil
}

// find returns all tables that have rows. The slice is reused by the next call.
func (t *tables) find() []tableRows {
	query := t.world.Query(&t.filter)
	left, k := query.Count(), 0
	t.same = true
	for ok := query.Next(); ok; k++ {
		if k == len(t.found) {
			t.found = append(t.found, tableRows{})
		}
		rows := &t.found[k] // as it was at the last call
		known := rows.info != nil && rows.has(&query)
		if !known {
			*rows = tableRows{info: t.info(query.Mask())}
			if rows.info.relation {
				rows.target = query.Relation(rows.info.id)
			}
		}
		// A table that grows gets all its columns anew. The old one is held on to here, so a column in its place is the same one.
		if !rows.info.partial && rows.first[0] != query.Get(t.ids[0]) {
			for c, id := range t.ids {
				rows.first[c] = query.Get(id)
			}
			t.same = false
		}
		if !known || !rows.ends(query, left) {
			rows.n = rows.info.count(t.world, rows.target)
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

// has reports whether a query stands in the table. The mask and, if it has a relation, the target tell tables apart.
func (r *tableRows) has(q *arche.Query) bool {
	return q.Mask() == r.info.mask && (!r.info.relation || q.Relation(r.info.id) == r.target)
}

// ends reports whether the table whose first row the query stands on is over after n rows. It gets a copy of the query to go ahead with, which must not
// come to its end, where it would close; left is how many rows there are from here on, in all tables.
func (r *tableRows) ends(ahead arche.Query, left int) bool {
	if r.n > left || r.n > 1 && !ahead.Step(r.n-1) || !r.has(&ahead) {
		return false
	}
	return r.n == left || ahead.Next() && !r.has(&ahead)
}

// count returns how many rows one of the tables has.
func (m *maskInfo) count(w *arche.World, target arche.Entity) int {
	filter := arche.Filter(&m.all)
	if m.relation {
		m.of.Target = target
		filter = &m.of
	}
	query := w.Query(filter)
	defer query.Close()
	return query.Count()
}

func (t *tables) info(mask arche.Mask) *maskInfo {
	if info := t.masks[mask]; info != nil {
		return info
	}
	info := &maskInfo{mask: mask, partial: !mask.Contains(&t.all)}
	for _, id := range arche.ComponentIDs(t.world) {
		if i, ok := arche.ComponentInfo(t.world, id); ok && i.IsRelation && mask.Get(id) {
			info.relation, info.id = true, id
		}
	}
	exclusive := mask.Exclusive()
	if info.relation {
		info.of.Filter = &exclusive // not registered: that would be one for every target
	} else {
		info.all = t.world.Cache().Register(&exclusive)
	}
	t.masks[mask] = info
	return info
}

// column returns one of the columns as a slice.
func column[C any](rows *tableRows, k int) []C {
	return unsafe.Slice((*C)(rows.first[k]), rows.n)
}
