package dtls

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"net/netip"
	"time"
)

const (
	cookieSize   = 1 + 16           // the window's low byte, and half of an HMAC-SHA256
	cookieWindow = 30 * time.Second // a cookie is valid until the end of the next window
)

// cookies makes and checks the proofs that a client can be reached at its address: a keyed hash of
// the address, the time, and all of its hello except the cookie itself. It stores no cookie. It has
// no lock.
type cookies struct {
	mac  hash.Hash
	head [8 + 16 + 2 + 2]byte // scratch, as is the sum
	sum  [sha256.Size]byte
}

func newCookies() *cookies {
	var key [sha256.Size]byte
	_, _ = rand.Read(key[:]) // it never fails
	return &cookies{mac: hmac.New(sha256.New, key[:])}
}

// of returns the cookie for a hello in a window. It stays valid until the next call.
func (c *cookies) of(window uint64, from netip.AddrPort, h hello) []byte {
	head := c.head[:]
	binary.BigEndian.PutUint64(head, window)
	addr := from.Addr().As16()
	copy(head[8:], addr[:])
	binary.BigEndian.PutUint16(head[24:], from.Port())
	// no two hellos give the same bytes
	binary.BigEndian.PutUint16(head[26:], uint16(len(h.before)))
	c.mac.Reset()
	c.mac.Write(head)
	c.mac.Write(h.before)
	c.mac.Write(h.after)
	sum := c.mac.Sum(c.sum[:0])
	copy(sum[1:cookieSize], sum)
	sum[0] = byte(window)
	return sum[:cookieSize]
}

func windowAt(now time.Duration) uint64 { return uint64(now/cookieWindow) + 1 }

// good reports whether the hello has a cookie that was made for it in this window or the one
// before.
func (c *cookies) good(now time.Duration, from netip.AddrPort, h hello) bool {
	if len(h.cookie) != cookieSize {
		return false
	}
	window := windowAt(now)
	if byte(window) != h.cookie[0] {
		window--
	}
	return subtle.ConstantTimeCompare(c.of(window, from, h), h.cookie) == 1
}
