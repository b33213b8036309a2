package interpolation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A function that blends batches gets whole columns if all rows move, at least one value at a time,
// and no capacity behind them. Rows at rest are not in it.
func TestBatchesHoldTheMovingRows(t *testing.T) {
	var batches []int
	s := newValueStage(t, 10, interpolation.NewBatch(func(dst, from, to []joint, t float32) {
		batches = append(batches, len(dst))
		jointsInBatches(dst, from, to, t)
	}), make([]joint, 9))
	moving := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	s.Fixed(func(now ecs.Time) {
		for _, k := range moving {
			s.value(k).Set(joint{reach: float64(now.Tick + 1)})
		}
	})
	for _, test := range []struct{ moving, want []int }{
		{moving, []int{9}},
		{[]int{0, 4, 5, 6, 8}, []int{1, 3, 1}},
		{nil, nil},
	} {
		moving = test.moving
		s.Update(100 * time.Millisecond)
		batches = nil
		s.Update(0) // at the same time, nothing is drawn anew
		s.Update(50 * time.Millisecond)
		if fmt.Sprint(batches) != fmt.Sprint(test.want) {
			t.Errorf("of the moving %v batches of %v are drawn, want %v", test.moving, batches, test.want)
		}
		s.Update(50 * time.Millisecond)
	}
}

func TestBatchMisuse(t *testing.T) {
	MustSay(t, "no blend", func() { interpolation.NewBatch[float64](nil) }, "NewBatch needs a blend function", "every dst[k]")
	MustSay(t, "a pointer", func() { interpolation.NewBatch(func(_, _, _ []labelled, _ float32) {}) },
		"NewBatch of", "holds a pointer (Text string)", "an index or an array of fixed size")
	MustSay(t, "no size", func() { interpolation.NewBatch(func(_, _, _ []struct{}, _ float32) {}) }, "NewBatch of", "no size")
}
