package hierarchy_test

import (
	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// remember records all entities, before a sweep.
func (j *abused) remember() {
	j.before = map[arche.Entity]*components.Parent{}
	for _, e := range j.allEntities() {
		j.before[e] = nil
		if p, has := j.parentOf(e); has {
			j.before[e] = &components.Parent{Entity: p}
		}
	}
}

// checkSweep checks that the right entities were removed or detached.
func (j *abused) checkSweep() {
	doomed := func(e arche.Entity) bool {
		for range len(j.before) + 1 { // more are a cycle
			p := j.before[e]
			if p == nil || p.Entity.IsZero() {
				return false
			}
			e = p.Entity
			if _, there := j.before[e]; !there {
				return true
			}
		}
		return false
	}
	now := map[arche.Entity]bool{}
	for _, e := range j.allEntities() {
		now[e] = true
		if _, there := j.before[e]; !there {
			j.fail("%v was born in a sweep", e)
		}
	}
	for e, parent := range j.before {
		switch {
		case !j.keep:
			if now[e] == doomed(e) {
				j.fail("after a sweep %v is there: %v", e, now[e])
			}
			if doomed(e) {
				j.swept++
				continue
			}
		case !now[e]:
			j.fail("the sweep took %v", e)
		}
		if !now[e] {
			continue
		}
		p, has := j.parentOf(e)
		want := parent
		if j.keep && parent != nil {
			if _, there := j.before[parent.Entity]; !there && !parent.Entity.IsZero() {
				want = &components.Parent{}
				j.swept++
			}
		}
		if has != (want != nil) || has && p != want.Entity {
			j.fail("after a sweep %v has a parent %v, %v", e, has, p)
		}
	}
}

// up composes by brute force. Members of cycles are roots. It reports whether all entities on the
// way are alive.
func (j *abused) up(e arche.Entity, local func(arche.Entity) components.Pose3D) (m mgl32.Mat4, tolerance float64, ok bool) {
	inCycle := func(e arche.Entity) bool {
		at := e
		for range len(j.allEntities()) {
			if p, _ := j.parentOf(at); p.IsZero() || !j.lives(p) {
				return false
			} else if at = p; at == e {
				return true
			}
		}
		return false
	}
	largest := float32(1)
	for m = mgl32.Ident4(); ; {
		p := local(e)
		m = p.Normalize().Mat4().Mul4(m)
		for _, v := range m {
			largest = max(largest, v, -v)
		}
		parent, _ := j.parentOf(e)
		cycle := inCycle(e)
		if cycle {
			j.rounds++
		}
		if parent.IsZero() || cycle {
			return m, 5e-3 * float64(largest), true
		}
		if !j.lives(parent) {
			return m, 0, false
		}
		e = parent
	}
}

func (j *abused) lives(e arche.Entity) bool {
	for _, o := range j.allEntities() {
		if o == e {
			return true
		}
	}
	return false
}

func (j *abused) logicalPose(e arche.Entity) components.Pose3D {
	if j.w.Has(e, j.ids.logical) {
		return j.logicals.Get(e).Get()
	}
	return components.Identity3D()
}

func (j *abused) visualPose(e arche.Entity) components.Pose3D {
	_, sampled := j.ip.Samples(e)
	if j.w.Has(e, j.ids.visual) && (sampled || !j.w.Has(e, j.ids.logical)) {
		return j.visuals.Get(e).Get()
	}
	return j.logicalPose(e)
}

// checkPass compares the world poses of the pass, and the entities that have one.
func (j *abused) checkPass() {
	members := map[arche.Entity]bool{}
	for _, e := range j.all() {
		if p, has := j.parentOf(e); has {
			members[e] = true
			if !p.IsZero() {
				members[p] = true
			}
		}
	}
	reported := map[arche.Entity]bool{}
	j.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
		if reported[e] || !members[e] {
			j.fail("%v is reported; a member: %v, twice: %v", e, members[e], reported[e])
		}
		reported[e] = true
		if want, tolerance, ok := j.up(e, j.visualPose); ok && !nearMat(*m, want, tolerance) {
			j.fail("the pass has %v at\n%v, want\n%v", e, *m, want)
		}
	})
	if len(reported) != len(members) {
		j.fail("reported %d, of %d members", len(reported), len(members))
	}
}

// checkAsked compares the world poses that are composed on demand.
func (j *abused) checkAsked() {
	for _, e := range j.all() {
		if want, tolerance, ok := j.up(e, j.visualPose); ok && !nearMat(j.h.VisualWorld(e), want, tolerance) {
			j.fail("%v is drawn at\n%v, want\n%v", e, j.h.VisualWorld(e), want)
		}
		if want, tolerance, ok := j.up(e, j.logicalPose); ok && !nearMat(j.h.LogicalWorld(e), want, tolerance) {
			j.fail("%v is at\n%v, want\n%v", e, j.h.LogicalWorld(e), want)
		}
	}
}
