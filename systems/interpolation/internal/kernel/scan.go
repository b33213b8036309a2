package kernel

import (
	"slices"
	"unsafe"

	"github.com/tandem-ecs/tandem/internal/record"
)

// ChangedRows is [Path.Changed] for a column of logical values.
func ChangedRows[T any](logical []record.Record[T], seen []uint32, rows []uint32) []uint32 {
	if len(logical) == 0 {
		return rows
	}
	return Fastest.Changed(0, unsafe.Pointer(logical[0].RevisionCell()), unsafe.Sizeof(logical[0]), seen, rows)
}

// Changed appends to rows the numbers of the rows whose revision differs from the one seen, in
// ascending order, and returns the extended slice. It looks at a part of a column: revisions and
// seen are those of row first and what follows.
//
// The column of records starts stride bytes apart from each other; revisions points at the first
// one's revision. There must be at least as many records as there are entries in seen.
func (p Path) Changed(first uint32, revisions unsafe.Pointer, stride uintptr, seen []uint32, rows []uint32) []uint32 {
	i := 0
	if p.avx2() {
		for whole := len(seen) &^ (perTurn - 1); i < whole; {
			n := min(whole-i, scanCall)
			rows = slices.Grow(rows, n)
			free := rows[len(rows) : len(rows)+n]
			found := changedAVX2(unsafe.Add(revisions, uintptr(i)*stride), stride, &seen[i], n/perTurn, first+uint32(i), &free[0], &lanes)
			rows = rows[:len(rows)+found]
			i += n
		}
	}
	for ; i < len(seen); i++ {
		if *(*uint32)(unsafe.Add(revisions, uintptr(i)*stride)) != seen[i] {
			rows = append(rows, first+uint32(i))
		}
	}
	return rows
}

// AllEqual reports whether every stamp has the value wanted.
func (p Path) AllEqual(stamps []uint32, want uint32) bool {
	const atOnce = 32
	if p.avx2() {
		for len(stamps) >= atOnce {
			n := min(len(stamps), scanCall) &^ (atOnce - 1)
			if !allEqualAVX2(&stamps[0], n/atOnce, want) {
				return false
			}
			stamps = stamps[n:]
		}
	}
	for _, s := range stamps {
		if s != want {
			return false
		}
	}
	return true
}

// AllEqualAt reports whether the column has the value wanted in all of the rows; it has none beyond
// its end.
func (p Path) AllEqualAt(rows, column []uint32, want uint32) bool {
	if len(column) == 0 {
		return len(rows) == 0
	}
	if p.avx2() {
		for last := uint32(len(column) - 1); len(rows) >= perTurn; {
			n := min(len(rows), scanCall) &^ (perTurn - 1)
			if !allEqualAtAVX2(&rows[0], n/perTurn, &column[0], last, want) {
				return false
			}
			rows = rows[n:]
		}
	}
	for _, r := range rows {
		if uint64(r) >= uint64(len(column)) || column[r] != want {
			return false
		}
	}
	return true
}

// scanCall is the number of rows that one call of assembly may scan; see perCall.
const scanCall = 8192

// lanes holds for every set of lanes, given as bits, their numbers as bytes, lowest first. It is a
// constant.
var lanes = func() (table [256]uint64) {
	for set := range table {
		at := 0
		for lane := range 8 {
			if set>>lane&1 != 0 {
				table[set] |= uint64(lane) << (8 * at)
				at++
			}
		}
	}
	return table
}()
