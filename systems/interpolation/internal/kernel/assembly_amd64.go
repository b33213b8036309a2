//go:build amd64 && !purego

package kernel

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
)

// hasAVX2 and hasAVX512 say what the processor and the operating system support. They are set at
// start and never change.
var hasAVX2, hasAVX512 = detect()

// blendDenseAVX2 blends turns times eight poses; turns is at least 1.
//
//go:noescape
func blendDenseAVX2(dst, prev, cur *components.Pose3D, turns int, c *curve)

// blendDenseAVX512 blends turns times sixteen poses; turns is at least 1.
//
//go:noescape
func blendDenseAVX512(dst, prev, cur *components.Pose3D, turns int, c *curve, spread *[5][16]uint32)

// blendListAVX2 blends n rows; n is at least 8. If it is no multiple of 8, some of the last eight
// rows are blended twice. With far it fetches rows ahead that it expects to be in no cache.
//
//go:noescape
func blendListAVX2(rows *uint32, n int, dst, prev, cur *components.Pose3D, c *curve, far bool)

// maxRowAVX2 returns the largest of turns times sixteen rows; turns is at least 1.
//
//go:noescape
func maxRowAVX2(rows *uint32, turns int) uint32

// changedAVX2 writes to rows, which must have room for turns times eight, the numbers of the
// changed ones among as many rows, and returns how many.
//
//go:noescape
func changedAVX2(revisions unsafe.Pointer, stride uintptr, seen *uint32, turns int, first uint32, rows *uint32, lanes *[256]uint64) int

// allEqualAVX2 compares turns times 32 stamps; turns is at least 1.
//
//go:noescape
func allEqualAVX2(stamps *uint32, turns int, want uint32) bool

// allEqualAtAVX2 compares turns times eight values in rows of a column with the one wanted, and
// reports false if one of the rows is greater than last; turns is at least 1.
//
//go:noescape
func allEqualAtAVX2(rows *uint32, turns int, column *uint32, last, want uint32) bool

// captureAVX2 captures neighbouring rows, eight a turn, and returns the number of turns until eight
// that are not all alike; turns is at least 1.
//
//go:noescape
func captureAVX2(a *captureArguments) (turns int)

// captureListAVX2 captures turns times eight rows of a list, which may not be in it twice, and
// returns the number of turns until eight that are not all alike; turns is at least 1. The columns
// are those of the whole table.
//
//go:noescape
func captureListAVX2(a *captureArguments, rows *uint32) (turns int)
