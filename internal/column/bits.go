package column

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
)

// SameBits reports whether two values have the same memory: the only equality that every T has.
func SameBits[T any](a, b *T) bool {
	size := unsafe.Sizeof(*a)
	return unsafe.String((*byte)(unsafe.Pointer(a)), size) == unsafe.String((*byte)(unsafe.Pointer(b)), size)
}

// Equal reports whether two columns of one length have the same memory, many rows at a time.
func Equal[T any](a, b []T) bool {
	size := uintptr(len(a)) * unsafe.Sizeof(*new(T))
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size) ==
		unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(b))), size)
}

// Flat views a column of values as one of the numbers of type F that they consist of.
func Flat[F, T any](column []T) []F {
	each := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(F)))
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*each)
}

// One views a value as a column of one row.
func One[T any](v *T) []T { return unsafe.Slice(v, 1) }

// Numbers views a value as the numbers of type F that it consists of.
func Numbers[F, T any](v *T) []F { return Flat[F](One(v)) }

// Entity returns the entity with an id and a generation, which need not be one of any world.
func Entity(id, generation uint32) arche.Entity {
	return *(*arche.Entity)(unsafe.Pointer(&[2]uint32{id, generation}))
}

// At views the part of a value's memory at an offset as a P, which must be a part of the value.
func At[P any](value []byte, offset uintptr) *P { return (*P)(unsafe.Pointer(&value[offset])) }
