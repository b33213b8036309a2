package snapshot

import "math/bits"

// revisions says where in a World's rings the recent states of slots are. A revision is the number
// of the commit that made it. There is a row for each of the newest commits, and in it a place for
// each slot: the baselines that a client has of neighbouring slots are mostly of one commit, so
// they lie side by side. What does not change is not copied from row to row; it stays until the
// slot changes again, see wake.
type revisions struct {
	slots   []slot
	commits uint32   // so far
	rows    uint32   // a power of two
	made    []uint32 // by place: the commit in whose row it counts
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
