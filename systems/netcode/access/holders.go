package access

import "slices"

// holder is a player that has joined with a limited invitation.
type holder struct {
	token string   // its hash
	id    [32]byte // the resume ID of its place
	// previous is the ID with which the player came back. It is valid again if the player leaves
	// unconfirmed. Zero: the player took a use.
	previous  [32]byte
	in        bool // has a place now
	confirmed bool // has sent a packet, so the use counts
}

// givesBack reports whether the player has a reserved use, which it gives back if it leaves now.
func (h *holder) givesBack() bool { return h.in && !h.confirmed && h.previous == [32]byte{} }

// holder returns the player with a resume ID, or nil.
func (l *List) holder(token string, id [32]byte) *holder {
	if id == [32]byte{} {
		return nil
	}
	for i := range l.holders {
		if h := &l.holders[i]; h.token == token && (h.id == id || h.previous == id) {
			return h
		}
	}
	return nil
}

// Joined reserves a use of the token for a player that was admitted. If the player presented a
// resume ID (previous; zero: none), Joined gives it that place instead. The ID is that of its new
// place. The text form does not change until the player is confirmed.
func (l *List) Joined(token []byte, previous, id [32]byte) {
	name := hash(token)
	t, ok := l.invitations[name]
	if !ok || t.Uses < 0 {
		return
	}
	if h := l.holder(name, previous); h != nil && !h.in {
		h.id, h.previous, h.in, h.confirmed = id, previous, true, false
		return
	}
	if t.Uses == 0 {
		return // the game admitted the player for reasons of its own
	}
	t.Uses--
	l.invitations[name] = t
	if len(l.holders) >= maxResumeIDs {
		// An ID of the same token is removed first, so a link for thousands takes nothing from
		// others.
		i := slices.IndexFunc(l.holders, func(h holder) bool { return !h.in && h.token == name })
		if i < 0 {
			i = slices.IndexFunc(l.holders, func(h holder) bool { return !h.in })
		}
		if i < 0 {
			return // more players are in than one server takes: the use is spent
		}
		l.holders = slices.Delete(l.holders, i, i+1)
	}
	l.holders = append(l.holders, holder{token: name, id: id, in: true})
}

// Confirmed counts the use that is reserved for a player. The player has sent a packet, so the
// welcome has arrived. Confirmed reports whether the text form has changed.
func (l *List) Confirmed(token []byte, id [32]byte) bool {
	h := l.holder(hash(token), id)
	if h == nil || h.id != id || !h.in || h.confirmed {
		return false
	}
	h.confirmed, h.previous = true, [32]byte{}
	return true
}

// Left notes that a player has left. A confirmed player may come back with its resume ID. The use
// of an unconfirmed player is given back. A kicked player may not come back with its ID, and its
// use is spent. Left reports whether the text form has changed.
func (l *List) Left(token []byte, id [32]byte, kicked bool) bool {
	name := hash(token)
	h := l.holder(name, id)
	switch {
	case h == nil || h.id != id || !h.in:
		return false
	case kicked:
	case h.confirmed:
		h.in = false
		return false
	case h.previous != [32]byte{}:
		h.id, h.previous, h.in, h.confirmed = h.previous, [32]byte{}, false, true
		return false
	default:
		t := l.invitations[name]
		t.Uses++
		l.invitations[name] = t
	}
	l.holders = slices.DeleteFunc(l.holders, func(other holder) bool { return other.token == name && other.id == id })
	return kicked
}
