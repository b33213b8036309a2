package interpolation

import "github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"

// NewBatch is [New] with a function that blends many values at once: dst[k] becomes the value at
// fraction t of the way from from[k] to to[k], 0 <= t < 1, and from[k] at t = 0. It is the fastest
// way for arrays and for structs that hold some, since no value is passed to a function, and a
// place for instructions that Go does not have. The same rules hold for T.
//
// The three slices have the same length, one at least, and do not overlap. They belong to the
// interpolator: the function writes every element of dst and nothing else, and keeps none of them.
// Do not rely on the division into batches: each value must depend on its own samples and t alone,
// so that it is the same at every place. With [Interpolator.Workers] several goroutines call the
// function at a time.
func NewBatch[T any](blend func(dst, from, to []T, t float32)) *Interpolator[T] {
	if blend == nil {
		panic("interpolation: NewBatch needs a blend function; pass one that sets every dst[k] to the value at fraction t of the way from from[k] to to[k]")
	}
	return newInterpolator("NewBatch",
		func(dst, prev, cur []T, t float32) { kernel.BlendBatch(dst, prev, cur, t, blend) },
		func(rows []uint32, dst, prev, cur []T, t float32) {
			kernel.BlendListBatch(rows, dst, prev, cur, t, blend)
		})
}
