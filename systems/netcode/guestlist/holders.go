package guestlist

import "slices"

// holder is a player who has joined with a token that is limited.
type holder struct {
	token  string   // its hash
	key    [32]byte // of his place
	former [32]byte // by which he came back and may do so again as long as he has not been heard; zero: he came by a use
	in     bool     // has a place now
	heard  bool     // and has said something, so the use is his
}

// givesBack reports whether a use is held for somebody who may yet go without it.
func (h *holder) givesBack() bool { return h.in && !h.heard && h.former == [32]byte{} }

// holder finds who is known by a key, or nil.
func (l *List) holder(token string, key [32]byte) *holder {
	if key == [32]byte{} {
		return nil
	}
	for i := range l.holders {
		if h := &l.holders[i]; h.token == token && (h.key == key || h.former == key) {
			return h
		}
	}
	return nil
}

func (l *List) forget(which func(h *holder) bool) {
	l.holders = slices.DeleteFunc(l.holders, func(h holder) bool { return which(&h) })
}

// Joined holds a use of the token for a player who has been let in, or the place that was his by the key that he presented (former; zero: none). The key is that of his new place. The text form does
// not change until he is heard.
func (l *List) Joined(token []byte, former, key [32]byte) {
	name := hash(token)
	t, ok := l.tokens[name]
	if !ok || t.Uses < 0 {
		return
	}
	if h := l.holder(name, former); h != nil && !h.in {
		h.key, h.former, h.in, h.heard = key, former, true, false
		return
	}
	if t.Uses == 0 {
		return // the game had reasons of its own to let him in
	}
	t.Uses--
	l.tokens[name] = t
	if len(l.holders) >= MaxKeys {
		// One of the same token goes first, so that a link for thousands takes nothing from others.
		i := slices.IndexFunc(l.holders, func(h holder) bool { return !h.in && h.token == name })
		if i < 0 {
			i = slices.IndexFunc(l.holders, func(h holder) bool { return !h.in })
		}
		if i < 0 {
			return // more are in than one server takes: the use is spent
		}
		l.holders = slices.Delete(l.holders, i, i+1)
	}
	l.holders = append(l.holders, holder{token: name, key: key, in: true})
}

// Heard counts the use that is held for a player: he has been let in and knows it. It reports whether the text form has changed.
func (l *List) Heard(token []byte, key [32]byte) bool {
	h := l.holder(hash(token), key)
	if h == nil || h.key != key || !h.in || h.heard {
		return false
	}
	h.heard, h.former = true, [32]byte{}
	return true
}

// Left notes that a player is gone: who has been heard may come back by his key, and what was held for anybody else is given back. Who was kicked may not come back by it, and his use is spent. It
// reports whether the text form has changed.
func (l *List) Left(token []byte, key [32]byte, kicked bool) bool {
	name := hash(token)
	h := l.holder(name, key)
	switch {
	case h == nil || h.key != key || !h.in:
		return false
	case kicked:
	case h.heard:
		h.in = false
		return false
	case h.former != [32]byte{}:
		h.key, h.former, h.in, h.heard = h.former, [32]byte{}, false, true
		return false
	default:
		t := l.tokens[name]
		t.Uses++
		l.tokens[name] = t
	}
	l.forget(func(other *holder) bool { return other.token == name && other.key == key })
	return kicked
}
