package main

import "fmt"

// ratio is a promise of the page that -check verifies: how many times faster one figure is than
// another.
type ratio struct {
	name, fast, slow string
	// by which the quotient is multiplied; 0 means 1
	weight float64
	target func(n int) (least float64, set bool) // nil: none
}

// ratio returns the value of a ratio at a size.
func (r *results) ratio(q ratio, n int) (float64, bool) {
	slow, ok := r.median(q.slow, n)
	fast, ok2 := r.median(q.fast, n)
	if !ok || !ok2 || fast <= 0 {
		return 0, false
	}
	if q.weight != 0 {
		slow *= q.weight
	}
	return slow / fast, true
}

// from10k returns a target from 10 000 entities on, and another one at a million.
func from10k(least, atAMillion float64) func(n int) (float64, bool) {
	return func(n int) (float64, bool) {
		if n >= 1_000_000 {
			return atAMillion, atAMillion > 0
		}
		return least, n >= 10_000
	}
}

func (r *results) ratios() (list []ratio) {
	add := func(name, fast, slow string, weight float64, target func(int) (float64, bool)) {
		if fast != "" && slow != "" {
			list = append(list, ratio{name, fast, slow, weight, target})
		}
	}
	const arche, chase = "arche + mgl32.QuatSlerp", "the devlog's chase in C++"
	slerp := func(pct string) string { return r.find("arche.slerp." + pct) }
	frame := r.find("tandem.frame.100pct")
	add("frame, all moving, against "+arche, frame, slerp("100pct"), 0, from10k(80, 35))
	add("frame, all moving, against "+chase, frame, r.find("seed.chase.100pct"), 0, from10k(11, 5))
	blend := r.find("cpp.blend")
	add("frame, all moving, against the same blend in C++ by hand", frame, blend, 0, from10k(0.8, 0.8))
	add("frame, all moving, against the memory floor", frame, r.find("floor"), 0, from10k(1/1.5, 1/1.25))
	add("frame, 10 % moving, against "+arche, r.find("tandem.frame.10pct"), slerp("10pct"), 0, from10k(60, 0))
	add("frame, 10 % moving, against "+chase, r.find("tandem.frame.10pct"), r.find("seed.chase.10pct"), 0, nil)
	add("frame, 1 % moving, against "+arche, r.find("tandem.frame.1pct"), slerp("1pct"), 0, nil)
	add("frame, 1 % moving, against "+chase, r.find("tandem.frame.1pct"), r.find("seed.chase.1pct"), 0, nil)
	two := r.find("tandem.frame.100pct.2threads")
	add("two threads, all moving, against one", two, frame, 0, nil)
	add("two threads, all moving, against "+arche+" on one", two, slerp("100pct"), 0, from10k(140, 50))
	if blend != "" {
		add("two threads, all moving, against the blend in C++ on two", two, blend+".2threads", 0, from10k(0.8, 0.8))
		add("two threads, all moving, against the memory floor of two", two, "floor.2threads", 0, nil)
	}
	add("two threads, 10 % moving, against one", r.find("tandem.frame.10pct.2threads"), r.find("tandem.frame.10pct"), 0, nil)
	scalar := r.find("tandem.scalar.100pct")
	add("without assembly, all moving, against "+arche, scalar, slerp("100pct"), 0, from10k(14, 14))
	for _, value := range []struct {
		figure, name string
		target       func(int) (float64, bool)
	}{
		{"tandem.frame.color", "a user's struct of 16 bytes", from10k(0.5, 0.5)},
		{"tandem.frame.linear", "a mgl32.Vec4 by interpolation.NewLinear", from10k(0.5, 0.5)},
		{"tandem.frame.batch", "a mgl32.Vec4 by a user's interpolation.NewBatch", from10k(0.5, 0.5)},
		{"tandem.frame.vec4", "a mgl32.Vec4 by value, which is not advised", nil},
	} {
		add(value.name+", per byte, against a pose without assembly", r.find(value.figure), scalar, valueBytes/float64(poseBytes), value.target)
	}
	for _, l := range r.limits() {
		add(l.name+", against the memory floor", l.figure, r.find("floor"), 0, l.byFloor)
	}
	for _, s := range shapes {
		only100k := func(n int) (float64, bool) { return 20, n == 100_000 }
		all := r.find("hierarchy." + s.name + ".100pct")
		add("hierarchy of "+s.name+", 1 % moving against all", r.find("hierarchy."+s.name+".1pct"), all, 0, only100k)
		add("hierarchy of "+s.name+", 1 % moving, not only leaves, against all", r.find("hierarchy."+s.name+".anywhere.1pct"), all, 0, nil)
	}
	add("stress scene's frame, blended by the graphics processor, against by this one", r.find("scene.gpu.total"), r.find("scene.cpu.total"), 0,
		func(n int) (float64, bool) { return 12, n >= 10_000 && n <= 100_000 })
	return list
}

// limit is a figure whose target is in nanoseconds on one machine. On another machine it has the
// same ratio to the memory floor.
type limit struct {
	name, figure string
	most         func(n int) (float64, bool)
}

// The memory floor on the machine on which the limits were set, a Zen 5: up to 100 000 entities
// (1.04 at 10 000; both use the stricter one), and at a million.
const limitsFloor, limitsFarFloor = 1.08, 2.83

// byFloor returns the target as a ratio: how many times as fast as the floor the figure has to be.
func (l limit) byFloor(n int) (least float64, set bool) {
	most, set := l.most(n)
	switch {
	case !set:
		return 0, false
	case n >= 1_000_000:
		return limitsFarFloor / most, true
	}
	return limitsFloor / most, true
}

func (r *results) limits() []limit {
	return []limit{
		{"frame, 1 % moving", "tandem.frame.1pct", from10k(0.05, 0.2)},
		{"capture, all moving", "tandem.capture.100pct", from10k(3.5, 6)},
		{"capture, 1 % moving", "tandem.capture.1pct", from10k(0.7, 2.5)},
	}
}

// misses describes the ratios that miss their targets.
func (r *results) misses() (list []string) {
	for _, q := range r.ratios() {
		for _, n := range r.sizes {
			if q.target == nil {
				continue
			}
			least, set := q.target(n)
			if v, ok := r.ratio(q, n); ok && set && v < least {
				list = append(list, fmt.Sprintf("%s, %s entities: %s times as fast, the target is %s", q.name, thousands(n), short(v), plain(least)))
			}
		}
	}
	return list
}

// slower describes the figures that take longer than their limits on the machine on which these
// were set.
func (r *results) slower() (list []string) {
	for _, l := range r.limits() {
		for _, n := range r.sizes {
			most, set := l.most(n)
			if v, ok := r.median(l.figure, n); ok && set && v > most {
				list = append(list, fmt.Sprintf("%s, %s entities: %.3f ns instead of %s", l.name, thousands(n), v, plain(most)))
			}
		}
	}
	return list
}
