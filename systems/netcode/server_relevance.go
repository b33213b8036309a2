package netcode

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
)

// Interest limits by distance the entities that a player is shown. An entity within Radius of the
// player's Eye, or else of its Entity, appears, and one beyond Leave disappears. The gap between
// the two keeps entities at the border from flickering.
//
// A tree of parents and children, such as a ship and its crew, appears and disappears as a whole.
// The position of its topmost replicated parent decides. At any distance a player is shown the
// entities that it owns and those with [AlwaysRelevant], each with its whole tree. An entity whose
// position is not a number is shown to no other player.
//
// The zero value shows everything. A player with neither Eye nor Entity is shown everything too, at
// any distance. ServerConfig.Relevant can refuse an entity in any case.
type Interest struct {
	Radius float32 // units of distance; zero: no limit
	Leave  float32 // zero: Radius * 1.2
}

func (i *Interest) validate() error {
	if i.Radius == 0 && i.Leave == 0 {
		return nil
	}
	if i.Leave == 0 {
		i.Leave = i.Radius * 1.2
	}
	if !(i.Radius > 0) || !(i.Leave >= i.Radius) || math.IsInf(float64(i.Leave), 0) {
		return fmt.Errorf("netcode: an Interest with Radius %v and Leave %v; Radius must be positive, and Leave not below it", i.Radius, i.Leave)
	}
	return nil
}

// interestGrid holds the positions, owners and roots of the replicated entities, as of the last
// commit.
type interestGrid struct {
	limit    Interest
	subjects []subject         // by slot
	claims   map[int32][]int32 // by claim: its slots
	grid     cells             // with a limit
}

// subject is a replicated entity.
type subject struct {
	id     EntityID     // NoEntity: the slot is free
	entity arche.Entity // the zero entity: likewise
	at     mgl32.Vec3   // world position of its root
	root   int32        // slot of its topmost parent, itself if it has none
	tree   bool         // others may have the same root
	owner  uint16
	claim  int32 // the player that is shown it at any distance: a number, or everybody; 0: none
	place  int32 // in the list of the claim
}

const everybody = 1 << 16

func newInterestGrid(limit Interest, slots int) interestGrid {
	p := interestGrid{limit: limit, claims: map[int32][]int32{}}
	if limit.Radius > 0 {
		p.grid = newCells(slots, limit.Leave) // a ball touches 27 of them at most
	}
	return p
}

// enter assigns a slot to an entity.
func (p *interestGrid) enter(id EntityID, e arche.Entity) {
	for len(p.subjects) <= id.Slot() {
		p.subjects = append(p.subjects, subject{})
	}
	p.subjects[id.Slot()] = subject{id: id, entity: e, root: int32(id.Slot())}
}

// leave frees a slot.
func (p *interestGrid) leave(slot int) {
	p.unclaim(slot)
	if p.limit.Radius > 0 {
		p.grid.remove(slot)
	}
	p.subjects[slot] = subject{}
}

// setOwner sets an entity's owner, and whether all players are shown it at any distance.
func (p *interestGrid) setOwner(slot int, owner uint16, always bool) {
	u := &p.subjects[slot]
	u.owner = owner
	claim := int32(owner)
	if always {
		claim = everybody
	}
	if u.claim == claim {
		return
	}
	p.unclaim(slot)
	if u.claim = claim; claim != 0 {
		u.place = int32(len(p.claims[claim]))
		p.claims[claim] = append(p.claims[claim], int32(slot))
	}
}

func (p *interestGrid) unclaim(slot int) {
	u := &p.subjects[slot]
	if u.claim == 0 {
		return
	}
	slots := p.claims[u.claim]
	last := slots[len(slots)-1]
	slots[u.place], p.subjects[last].place = last, u.place
	p.claims[u.claim] = slots[:len(slots)-1] // an empty list stays, with its room
	u.claim = 0
}

// put sets an entity's root and its position, which count from the next sort on.
func (p *interestGrid) put(slot, root int, at mgl32.Vec3) {
	u := &p.subjects[slot]
	u.root, u.at = int32(root), at
	if p.limit.Radius > 0 {
		p.grid.place(slot, at)
	}
}

// sort makes the positions, owners and roots those that count.
func (p *interestGrid) sort() {
	if p.limit.Radius > 0 {
		p.grid.sort(p.subjects)
	}
}

// relevance decides which entities a player may be shown, and sets their priorities. A nearer
// entity gets more of the bandwidth; the player's own entities get the most.
func (s *Server[S, I]) relevance(k *worker, p *Player[S, I]) {
	w, eye := &s.interest, p.eye
	if w.limit.Radius == 0 || !p.hasEye {
		for slot := range w.subjects {
			if u := &w.subjects[slot]; u.id != NoEntity {
				s.setPriority(p, u.id, u.owner, p.distance(u.at))
				if w.limit.Radius > 0 {
					p.near.set(slot)
				}
			}
		}
		return
	}
	p.near, p.was = p.was, p.near
	clear(p.near)
	// Most of what the cells hold is beyond, by more than any rounding.
	beyond := w.limit.Leave * w.limit.Leave * (1 + 1e-3)
	k.lists = w.grid.around(eye, w.limit.Leave, k.lists[:0])
	for _, list := range k.lists {
		for i := range list {
			u := &list[i]
			// Methods of vectors copy them through memory, which takes twice as long.
			x, y, z := u.at[0]-eye[0], u.at[1]-eye[1], u.at[2]-eye[2]
			square := x*x + y*y + z*z
			if square > beyond {
				continue
			}
			limit := w.limit.Radius
			if p.was.has(int(u.root)) { // a whole tree at once
				limit = w.limit.Leave
			}
			if distance := float32(math.Sqrt(float64(square))); distance <= limit && !p.near.has(u.id.Slot()) {
				p.near.set(u.id.Slot())
				s.setPriority(p, u.id, u.owner, distance)
			}
		}
	}
	s.include(p, int32(p.number))
	s.include(p, everybody)
	for word, was := range p.was {
		for gone := was &^ p.near[word]; gone != 0; gone &= gone - 1 {
			p.encoder.SetRelevance(w.subjects[word*64+bits.TrailingZeros64(gone)].id, 0)
		}
	}
}

// include makes claimed entities relevant, with their trees.
func (s *Server[S, I]) include(p *Player[S, I], claim int32) {
	w := &s.interest
	for _, slot := range w.claims[claim] {
		u := &w.subjects[slot]
		if p.near.has(int(slot)) {
			continue
		}
		p.near.set(int(slot))
		s.setPriority(p, u.id, u.owner, p.distance(u.at))
		bucket := w.grid.buckets[u.root]
		if !w.subjects[u.root].tree || bucket == 0 {
			continue
		}
		// A whole tree is in its root's cell.
		for _, v := range w.grid.in(bucket - 1) {
			if v.root == u.root && !p.near.has(v.id.Slot()) {
				p.near.set(v.id.Slot())
				s.setPriority(p, v.id, v.owner, p.distance(v.at))
			}
		}
	}
}

// distance returns the distance from the player's eye, or a negative number if there is no eye.
func (o *outlook) distance(at mgl32.Vec3) float32 {
	if !o.hasEye {
		return -1
	}
	return at.Sub(o.eye).Len()
}

// setPriority sets the priority of a near entity for a player, 0 if the game refuses the entity.
func (s *Server[S, I]) setPriority(p *Player[S, I], id EntityID, owner uint16, distance float32) {
	const own, near = 20, 10
	weight := float32(1) // far away, or at an unknown distance
	switch {
	case s.config.Relevant != nil && !s.config.Relevant(p, s.interest.subjects[id.Slot()].entity):
		weight = 0
	case owner == p.number:
		weight = own
	case distance >= 0: // and not NaN
		weight = max(1, near/(1+distance/near))
	}
	p.encoder.SetRelevance(id, weight)
}

// eyeOf returns the place around which a player is shown the world, if it has one.
func (s *Server[S, I]) eyeOf(p *Player[S, I]) (mgl32.Vec3, bool) {
	if s.has(p.Eye) {
		return s.worldPosition(p.Eye), true
	}
	return s.placeOf(p)
}

// placeOf returns the place of a player's own entity, if it has one.
func (s *Server[S, I]) placeOf(p *Player[S, I]) (mgl32.Vec3, bool) {
	if p.transform() == nil {
		return mgl32.Vec3{}, false
	}
	return s.worldPosition(p.Entity), true
}

// placeChildren finds the roots of children anew, and their positions.
func (s *Server[S, I]) placeChildren() {
	t, w := &s.replication, &s.interest
	for _, root := range t.roots {
		w.subjects[root].tree = false
	}
	t.roots = t.roots[:0]
	for word, set := range t.attached {
		for ; set != 0; set &= set - 1 {
			slot := word*64 + bits.TrailingZeros64(set)
			root := s.net.Root(w.subjects[slot].id).Slot()
			if root != slot && !w.subjects[root].tree {
				w.subjects[root].tree = true
				t.roots = append(t.roots, int32(root))
			}
			w.put(slot, root, s.worldPosition(w.subjects[root].entity))
		}
	}
}

// worldPosition returns the position of an entity in the world, as clients are shown it.
func (s *Server[S, I]) worldPosition(e arche.Entity) mgl32.Vec3 {
	return s.worldPoseOf(e, s.shownAt).Position
}
