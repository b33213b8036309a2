package sockettest

import (
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// LocalSocket returns a socket of UDP on this machine.
func LocalSocket(t testing.TB) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Spoofed is a server's socket on which each packet of one sender has another address of the whole
// internet, as an attacker forges them.
type Spoofed struct {
	net.PacketConn
	Answers atomic.Int64 // to forged addresses

	attacker string
	mu       sync.Mutex
	random   *rand.Rand
}

// NewSpoofed returns a socket for an attacker's packets.
func NewSpoofed(t testing.TB, attacker net.Addr) *Spoofed {
	return &Spoofed{PacketConn: LocalSocket(t), attacker: attacker.String(), random: rand.New(rand.NewPCG(1, 1))}
}

func (s *Spoofed) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := s.PacketConn.ReadFrom(b)
	if err == nil && from.String() == s.attacker {
		s.mu.Lock()
		v := s.random.Uint64()
		s.mu.Unlock()
		from = &net.UDPAddr{IP: net.IPv4(10+byte(v%100), byte(v>>8), byte(v>>16), byte(v>>24)), Port: 1 + int(v>>32&0x7fff)}
	}
	return n, from, err
}

func (s *Spoofed) WriteTo(b []byte, to net.Addr) (int, error) {
	if !to.(*net.UDPAddr).IP.IsLoopback() {
		s.Answers.Add(1)
		return len(b), nil
	}
	return s.PacketConn.WriteTo(b, to)
}
