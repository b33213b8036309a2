package netcode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The numbered cases of the wire, through both plugins.

// recorder passes a copy of a client's datagrams to a test, and gives the client datagrams from the
// test.
type recorder struct {
	transport.Conn
	sent  func(datagram []byte)
	again func() []byte // nil, or returns nil: nothing
}

func (c *recorder) Recv(buf []byte) (int, bool) {
	if c.again != nil {
		if d := c.again(); d != nil {
			return copy(buf, d), true
		}
	}
	return c.Conn.Recv(buf)
}

func (c *recorder) Send(datagram []byte) error {
	c.sent(datagram)
	return c.Conn.Send(datagram)
}

// recorded adds a client whose datagrams are passed to sent before the path carries them.
func (m *match) recorded(path linksim.Path, sent func(datagram []byte), again func() []byte, change func(c *netcode.ClientConfig[runner, input])) *player {
	return m.join(path, func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Dial = func() (transport.Conn, error) {
			conn, err := dial()
			if err != nil {
				return nil, err
			}
			return &recorder{conn, sent, again}, nil
		}
		if change != nil {
			change(c)
		}
	})
}

// parse reads a plugin's datagram up to a snapshot and writes it again. It reports whether there is
// a content to read. Messages have a framing of their own, which package packet tests.
func parse(p *protocol, datagram []byte, fromServer bool) (anew []byte, bits int, same, read bool, err error) {
	payload := datagram[1:]
	if datagram[0] == 0x53 {
		h, rest, err := packet.ParseHeader(payload)
		if err != nil || h.Messages {
			return nil, 0, false, false, err
		}
		if again := h.Append(nil); !bytes.Equal(again, payload[:len(again)]) || len(again)+len(rest) != len(payload) {
			return nil, 0, false, false, fmt.Errorf("the header % x is % x when written anew", payload[:len(again)], again)
		}
		payload = rest
	}
	consumed, anew, bits, err := p.ParseForTest(datagram[0], fromServer, payload)
	if err != nil {
		return nil, 0, false, false, err
	}
	whole := !fromServer || datagram[0] != 0x53 // and the last byte's zeros are read, too
	same = consumed == bits || whole && (consumed+7)/8 == (bits+7)/8
	for i := 0; same && i < bits; i++ {
		same = payload[i/8]>>(i%8)&1 == anew[i/8]>>(i%8)&1
	}
	return anew, bits, same, true, nil
}

// Case 35: each content has one encoding. Everything up to the snapshots (which packages packet,
// prediction and snapshot test and fuzz for themselves) is read and written again, and gives the
// same bits. A damaged datagram that is still accepted is written as it was read.
func TestEncodingsAreCanonical(t *testing.T) {
	p := newProtocolFor(t, netcode.Config{}, pressing())
	tap := &tapped{}
	m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) {
		tap.Listener = c.Listener
		c.Listener = tap
		c.Timeout = time.Second
	})
	rng := rand.New(rand.NewPCG(35, 1))
	checked, damaged, taken := map[string]int{}, 0, 0
	check := func(datagram []byte, fromServer bool) {
		_, _, same, read, err := parse(p, datagram, fromServer)
		if err != nil || read && !same {
			t.Fatalf("at %v: % x, from the server %v: written anew it differs (%v)", m.now, datagram, fromServer, err)
		}
		if !read {
			return
		}
		checked[fmt.Sprintf("%#x %v", datagram[0], fromServer)]++
		for range 4 {
			b := bytes.Clone(datagram)
			for range 1 + rng.IntN(3) {
				b[1+rng.IntN(len(b)-1)] ^= 1 << rng.IntN(8)
			}
			damaged++
			first, bits, _, read, err := parse(p, b, fromServer)
			if err != nil || !read {
				continue
			}
			taken++
			_, second, again, err := p.ParseForTest(b[0], fromServer, first[:(bits+7)/8])
			if err != nil || again != bits || !bytes.Equal(second, first) {
				t.Fatalf("% x is taken for % x, and that for % x (%v)", b, first, second, err)
			}
		}
	}
	tap.sent = func(_ int, datagram []byte) { check(datagram, true) }
	a := m.recorded(seeds(35), func(d []byte) { check(d, false) }, nil, func(c *netcode.ClientConfig[runner, input]) {
		c.Token, c.Timeout = []byte("a token"), time.Second
	})
	a.input = strafe
	m.run(6*time.Second, nil)
	m.mustPlay()
	if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
		// the player returns with its secret
		t.Fatal(err)
	}
	m.run(4*time.Second, nil)
	a.input = func(netcode.Tick) input { return input{} } // and the player rests
	m.run(4*time.Second, nil)
	if a.client.Stats().Reconnects == 0 {
		t.Error("the player never returned")
	}
	for _, kind := range []string{"0x48 false", "0x57 true", "0x53 true", "0x53 false"} {
		if checked[kind] == 0 {
			t.Errorf("nothing of kind %s was sent", kind)
		}
	}
	if taken < damaged/20 {
		t.Errorf("of %d damaged datagrams only %d were taken: the test shows little", damaged, taken)
	}
	t.Logf("%v; of %d damaged %d were taken", checked, damaged, taken)
}

// Case 36, below the encryption that package dtls tests with it: every datagram of a connection is
// sent again, a fifth of a second to a minute later, in both directions, and nothing changes for
// either end. A hello that is sent again on another connection uses its token once more, and is
// refused if no use is left.
func TestReplaysChangeNothing(t *testing.T) {
	type result struct {
		states  [2]runner
		stats   [2]netcode.ClientStats
		inputs  [2][4]uint64
		joined  int
		players int
	}
	play := func(replay bool) (r result) {
		tap := &tapped{}
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			tap.Listener = c.Listener
			c.Listener = tap
		})
		var up, down, again [][]byte // of the first client
		tap.sent = func(n int, d []byte) {
			if n == 0 {
				down = append(down, bytes.Clone(d))
			}
		}
		record := &recorder{sent: func(d []byte) { up = append(up, bytes.Clone(d)) }, again: func() (d []byte) {
			if len(again) > 0 {
				d, again = again[0], again[1:]
			}
			return d
		}}
		var raw transport.Conn // without the path
		a := m.join(baseline(36), func(c *netcode.ClientConfig[runner, input]) {
			c.Dial = func() (_ transport.Conn, err error) {
				raw = m.listener.Dial()
				record.Conn, err = linksim.Wrap(raw, baseline(36))
				return record, err
			}
		})
		b := m.join(baseline(37), nil)
		a.input, b.input = strafe, strafe
		k, counts := 0, [][2]int(nil) // by frame, the numbers of datagrams sent before it
		m.run(70*time.Second, func() {
			k++
			counts = append(counts, [2]int{len(up), len(down)})
			for i, back := range []int{24, 120, 1200, 7200} { // frames
				if n := k - back; replay && n > 0 && (k+i)%8 == 0 {
					// no more than a client may send
					if j := counts[n-1][0] - 1; j >= 0 && up[j][0] == 0x53 {
						// hellos are answered again, with smaller datagrams
						_ = raw.Send(up[j])
					}
					if j := counts[n-1][1] - 1; j >= 0 {
						// behind the path, whose random sequence it would change
						again = append(again, down[j])
					}
				}
			}
		})
		m.mustPlay()
		for i, p := range m.clients {
			st := p.client.Stats()
			st.ReceivedBytes = 0
			r.states[i], r.stats[i] = m.of(p).State, st
			in := m.of(p).InputStats()
			r.inputs[i] = [4]uint64{in.Received, in.Repeated, in.Idle, in.Refused}
		}
		r.joined, r.players = len(m.joined), m.server.Stats().Players
		return r
	}
	if with, without := play(true), play(false); with != without {
		t.Errorf("with replays\n%+v\nwithout\n%+v", with, without)
	}

	var guests access.List
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	if err := guests.Add([]byte("for one"), access.Invitation{Uses: 1}); err != nil {
		t.Fatal(err)
	}
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		joined := c.Joined
		c.Authenticate = func(c netcode.JoinRequest) error { return guests.Check(noon, c.Addr, c.Token, c.ResumeID, c.Resumes) }
		c.Confirmed = func(p *netcode.Player[runner, input]) { guests.Confirmed(p.Token(), p.ResumeID()) }
		c.Joined = func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
			guests.Joined(p.Token(), p.PreviousResumeID(), p.ResumeID())
			return joined(p)
		}
	})
	var hello []byte
	m.recorded(perfect(), func(d []byte) {
		if d[0] == 0x48 {
			hello = bytes.Clone(d)
		}
	}, nil, func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("for one") })
	m.run(time.Second, nil)
	m.mustPlay()
	stranger := m.listener.Dial()
	m.run(time.Second/30, func() { stranger.Poll(m.now) })
	if err := stranger.Send(hello); err != nil {
		t.Fatal(err)
	}
	m.run(time.Second/10, func() { stranger.Poll(m.now) })
	if r := stranger.CloseReason(); stranger.State() != transport.Closed || r.Code != transport.Unauthorized || !strings.Contains(r.Text, "used up") || len(m.joined) != 1 {
		t.Errorf("the sender of another's hello is %v (%v), %d joined", stranger.State(), r, len(m.joined))
	}
	m.mustPlay()
}

// Case 37, above the admission limits that package dtls tests with sockets: ten thousand
// connections a second with nonsense, with a wrong token, or with no hello at all. The players have
// the same figures to the last bit, starved steps included. No data of the strangers is kept except
// that of the bounded few that may still send a hello.
func TestFloodOfConnections(t *testing.T) {
	play := func(flood bool) (stats [3]netcode.ClientStats, states [3]runner) {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Authenticate = func(c netcode.JoinRequest) error {
				if string(c.Token) != "right" {
					return access.ErrToken
				}
				return nil
			}
		})
		crates := make([]arche.Entity, 50)
		for i := range crates {
			crates[i] = m.crate(kindCrate, components.At3D(float32(i), 0, 0))
		}
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			for i, e := range crates {
				m.transform(e).Set(components.At3D(float32(i), float32(m.engine.Time().Tick%60)/20, 0))
			}
		}))
		for i := range 3 {
			p := m.join(seeds(370+uint64(i)), func(c *netcode.ClientConfig[runner, input]) { c.Token = []byte("right") })
			p.input = strafe
		}
		m.run(5*time.Second, nil)
		m.mustPlay()
		var nonsense [64]byte
		rng := rand.New(rand.NewPCG(37, 2))
		wrong := netcode.NewWriter(make([]byte, 256))
		m.protocol.WriteHelloForTest(&wrong)
		var waiting []transport.Conn
		before, after := runtime.MemStats{}, runtime.MemStats{}
		runtime.GC()
		runtime.ReadMemStats(&before)
		most := 0
		m.run(10*time.Second, func() {
			for _, c := range waiting { // they have been accepted or refused
				c.Poll(m.now)
				switch rng.IntN(3) {
				case 0:
					for i := range nonsense {
						nonsense[i] = byte(rng.Uint32())
					}
					_ = c.Send(nonsense[:])
				case 1:
					_ = c.Send(append([]byte{0x48}, wrong.Bytes()...))
				}
			}
			waiting = waiting[:0]
			for range 10_000 / 120 {
				if flood {
					waiting = append(waiting, m.listener.Dial())
				}
			}
			most = max(most, m.server.Stats().Waiting)
		})
		waiting = nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		m.mustPlay()
		s := m.server.Stats()
		if flood && (s.Refused < 1000 || most > 64 || s.Players != 3 || s.Left > 0) {
			t.Errorf("%d strangers waited at once; %+v", most, s)
		}
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
			t.Errorf("flood %v: the heap grew by %d bytes", flood, grown)
		}
		for i, p := range m.clients {
			stats[i], states[i] = p.client.Stats(), m.of(p).State
		}
		return stats, states
	}
	stats, states := play(true)
	calm, calmStates := play(false)
	if stats != calm || states != calmStates {
		t.Errorf("under the flood\n%+v\n%+v\nwithout\n%+v\n%+v", stats, states, calm, calmStates)
	}
	if stats[0].Starved == 0 || stats[0].Sampled < 10_000 {
		t.Errorf("the players' figures say little: %+v", stats[0])
	}
}
