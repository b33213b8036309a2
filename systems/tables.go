package systems

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
)

// tables finds whole columns of components. arche exports none, but everything needed to reach them: a query stands on the first row of each table in turn, a
// second query that matches the table's mask exclusively counts its rows, and rows lie one after the other. Tables of an archetype with a relation share
// their mask, one per target; their rows are walked instead, for as long as they are adjacent in every column.
//
// What it finds is valid until the world's structure changes.
type tables struct {
	world  *arche.World
	filter arche.CachedFilter
	ids    []arche.ID
	sizes  []uintptr
	masks  map[arche.Mask]*maskInfo
	found  []tableRows
}

const maxColumns = 8

// tableRows are adjacent rows of one table.
type tableRows struct {
	first [maxColumns]unsafe.Pointer // of the first row, in the order of the ids
	n     int
	info  *maskInfo
}

type maskInfo struct {
	mask      arche.Mask
	exclusive arche.CachedFilter
	relation  bool
}

// newTables prepares to find the tables of entities that have all the components with the ids and sizes given.
func newTables(w *arche.World, ids []arche.ID, sizes []uintptr) tables {
	if len(ids) > maxColumns || len(ids) != len(sizes) {
		panic("systems: tables of too many columns; raise maxColumns")
	}
	all := arche.All(ids...)
	return tables{world: w, filter: w.Cache().Register(&all), ids: ids, sizes: sizes, masks: map[arche.Mask]*maskInfo{}}
}

// close gives the registered filters back.
func (t *tables) close() {
	t.world.Cache().Unregister(&t.filter)
	for _, info := range t.masks {
		if !info.relation {
			t.world.Cache().Unregister(&info.exclusive)
		}
	}
	t.masks, t.found = nil, nil
}

// find returns all rows, table by table. The slice is reused by the next call.
func (t *tables) find() []tableRows {
	t.found = t.found[:0]
	query := t.world.Query(&t.filter)
	for ok := query.Next(); ok; {
		info := t.info(query.Mask())
		rows := tableRows{n: 1, info: info}
		t.pointers(&query, &rows.first)
		if info.relation {
			for ok = query.Next(); ok && t.adjacent(&query, &rows); ok = query.Next() {
				rows.n++
			}
		} else {
			count := t.world.Query(&info.exclusive)
			rows.n = count.Count()
			count.Close()
			ok = query.Step(rows.n)
		}
		t.found = append(t.found, rows)
	}
	return t.found
}

func (t *tables) pointers(q *arche.Query, at *[maxColumns]unsafe.Pointer) {
	for k, id := range t.ids {
		at[k] = q.Get(id)
	}
}

// adjacent reports whether the query stands on the row after the last one of rows.
func (t *tables) adjacent(q *arche.Query, rows *tableRows) bool {
	if q.Mask() != rows.info.mask {
		return false
	}
	for k, id := range t.ids {
		// The addresses are compared, never followed.
		if uintptr(q.Get(id)) != uintptr(rows.first[k])+uintptr(rows.n)*t.sizes[k] {
			return false
		}
	}
	return true
}

func (t *tables) info(mask arche.Mask) *maskInfo {
	if info := t.masks[mask]; info != nil {
		return info
	}
	info := &maskInfo{mask: mask}
	for _, id := range arche.ComponentIDs(t.world) {
		if i, ok := arche.ComponentInfo(t.world, id); ok && i.IsRelation && mask.Get(id) {
			info.relation = true
		}
	}
	if !info.relation {
		exclusive := mask.Exclusive()
		info.exclusive = t.world.Cache().Register(&exclusive)
	}
	t.masks[mask] = info
	return info
}

// column returns one of the columns as a slice.
func column[C any](rows *tableRows, k int) []C {
	return unsafe.Slice((*C)(rows.first[k]), rows.n)
}
