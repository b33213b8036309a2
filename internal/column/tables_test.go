package column

import (
	"slices"
	"testing"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"
)

// Tables finds the rows and columns of a query, after any edits between two calls. It must notice
// tables that have grown, shrunk, been removed or been added, also when the sum of their lengths is
// the same. Relations make many tables of one mask, some with dead targets. It must also report
// whether anything has changed, since a caller keeps its slices otherwise.
func TestTablesHaveTheRowsOfAQuery(t *testing.T) {
	type (
		wide  struct{ _ [3]uint64 }
		thin  struct{ _ uint32 }
		other struct{ _ uint32 }
		bond  struct {
			arche.Relation
			_ uint32
		}
	)
	rapid.Check(t, func(t *rapid.T) {
		w := arche.NewWorld(4)
		ids := []arche.ID{arche.ComponentID[wide](&w), arche.ComponentID[thin](&w)}
		sizes := []uintptr{unsafe.Sizeof(wide{}), unsafe.Sizeof(thin{})}
		more, relation := arche.ComponentID[other](&w), arche.ComponentID[bond](&w)
		found := New(&w, ids...)
		var members, targets []arche.Entity
		var before []Rows
		check := func() {
			if same := slices.Equal(found.Find(), before); same != found.same {
				t.Fatalf("the same as before: %v, and it says %v", same, found.same)
			}
			before = slices.Clone(found.found)
			query := w.Query(&found.filter)
			for k, rows := range found.Find() {
				for r := range rows.n {
					if !query.Next() {
						t.Fatalf("table %d has a row %d, where the query is over", k, r)
					}
					for c, id := range ids {
						if at := unsafe.Add(rows.first[c], uintptr(r)*sizes[c]); at != query.Get(id) {
							t.Fatalf("column %d of row %d of table %d: %v, the query stands at %v", c, r, k, at, query.Get(id))
						}
					}
				}
			}
			if query.Next() {
				query.Close()
				t.Fatal("the query has rows that were not found")
			}
		}
		pick := func(list []arche.Entity) (int, bool) {
			if len(list) == 0 {
				return 0, false
			}
			return rapid.IntRange(0, len(list)-1).Draw(t, "which"), true
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"spawn": func(t *rapid.T) {
				for range rapid.IntRange(1, 9).Draw(t, "n") {
					members = append(members, w.NewEntity(ids...))
				}
			},
			"grow for a moment": func(*rapid.T) {
				for range 20 {
					w.NewEntity(ids...) // the last rows, so that the others stay
				}
				all := w.Query(arche.All(ids...))
				var temporary []arche.Entity
				for all.Next() {
					if !slices.Contains(members, all.Entity()) {
						temporary = append(temporary, all.Entity())
					}
				}
				for _, e := range temporary {
					w.RemoveEntity(e)
				}
			},
			"target": func(t *rapid.T) { targets = append(targets, w.NewEntity()) },
			"bond": func(t *rapid.T) {
				m, ok := pick(members)
				if !ok {
					return
				}
				target := arche.Entity{}
				if k, ok := pick(targets); ok {
					target = targets[k]
				}
				if !w.Has(members[m], relation) {
					w.Add(members[m], relation)
				}
				w.Relations().Set(members[m], relation, target)
			},
			"toggle": func(t *rapid.T) {
				if m, ok := pick(members); ok {
					if w.Has(members[m], more) {
						w.Remove(members[m], more)
					} else {
						w.Add(members[m], more)
					}
				}
			},
			"despawn": func(t *rapid.T) {
				if m, ok := pick(members); ok {
					w.RemoveEntity(members[m])
					members = append(members[:m], members[m+1:]...)
				}
			},
			"despawn target": func(t *rapid.T) {
				if k, ok := pick(targets); ok {
					w.RemoveEntity(targets[k])
					targets = append(targets[:k], targets[k+1:]...)
				}
			},
		})
		found.Close()
	})
}
