package snapshot

import "math/bits"

// revisions locates the recent states of slots in a World's rings. A revision is the number of the
// commit that made it. There is a row for each of the newest commits, and in it a place for each
// slot: the baselines that a client has of neighbouring slots are mostly of one commit, so they lie
// side by side. A state that does not change is not copied from row to row. It stays until the slot
// changes again; see wake.
type revisions struct {
	slots   []slot
	commits uint32   // made so far
	rows    uint32   // a power of two
	made    []uint32 // by place: the commit in whose row it is valid
}

func newRevisions(slots, rows int) revisions {
	r := revisions{slots: make([]slot, slots), rows: 1 << bits.Len(uint(rows-1))}
	r.made = make([]uint32, slots*int(r.rows))
	return r
}

// at returns the place of a slot in a commit's row.
func (r *revisions) at(slot int, commit uint32) int {
	return int(commit&(r.rows-1))*len(r.slots) + slot
}

// find returns the place of a revision of the slot, and whether it is still there.
func (r *revisions) find(slot int, revision uint32) (at int, ok bool) {
	if s := &r.slots[slot]; revision == s.slept {
		revision = s.woke
	}
	at = r.at(slot, revision)
	return at, r.commits-revision < r.rows || r.made[at] == revision
}
