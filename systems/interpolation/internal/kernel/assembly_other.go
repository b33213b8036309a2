//go:build !amd64 || purego

package kernel

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
)

// Without assembly the scalar path is the only one; these are never called.
const hasAVX2, hasAVX512 = false, false

func blendDenseAVX2(dst, prev, cur *components.Pose3D, turns int, c *curve) { unreachable() }

func blendDenseAVX512(dst, prev, cur *components.Pose3D, turns int, c *curve, spread *[5][16]uint32) {
	unreachable()
}

func blendListAVX2(rows *uint32, n int, dst, prev, cur *components.Pose3D, c *curve, far bool) {
	unreachable()
}

func maxRowAVX2(rows *uint32, turns int) uint32 { unreachable(); return 0 }

func changedAVX2(revisions unsafe.Pointer, stride uintptr, seen *uint32, turns int, first uint32, rows *uint32, lanes *[256]uint64) int {
	unreachable()
	return 0
}

func allEqualAVX2(stamps *uint32, turns int, want uint32) bool { unreachable(); return false }

func allEqualAtAVX2(rows *uint32, turns int, column *uint32, last, want uint32) bool {
	unreachable()
	return false
}

func captureAVX2(a *captureArguments) (turns int) { unreachable(); return 0 }

func captureListAVX2(a *captureArguments, rows *uint32) (turns int) { unreachable(); return 0 }

func unreachable() { panic("kernel: no assembly in this build") }
