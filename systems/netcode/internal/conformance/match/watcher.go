package match

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Watcher is called with the events of one client in a match. All times are the server's. The
// warm-up is included.
type Watcher interface {
	// Dialled passes the links of the client's new connection. The links' own times are the
	// client's, at most a 240th of a second late.
	Dialled(down, up *linksim.Link)
	// Sent is called before a datagram of the server is passed to a connection of the client.
	// Connections are numbered from 0 in the order in which they were dialled. Stamp is the time of
	// the newest state that the datagram may show.
	Sent(connection int, datagram []byte, stamp time.Duration)
	// Turn is called 240 times a second, after the server's turn, with the server's figures about
	// the client's inputs.
	Turn(now time.Duration, inputs prediction.BufferStats)
	// Step is called after each fixed step of the client, with its view.
	Step(now, view time.Duration, playing bool)
	// Frame is called after each frame of the client. The frame is valid until the call returns.
	Frame(f *Frame)
}

// Frame is a client's picture in one frame.
type Frame struct {
	Now     time.Duration
	Playing bool              // else nothing but Stats is shown
	Shown   time.Duration     // the server's time that the picture shows
	View    time.Duration     // the same at the end of the step
	Off     [compared]float64 // metres from the truth at that time, by body
	Stats   netcode.ClientStats
}

// dialled makes a new connection wait in the queues of its client's line, behind the data of an
// earlier one, and reports it to the watcher.
func (m *Match) dialled(client int, path *linksim.Conn) {
	up, down := path.Links()
	line := &m.lines[client]
	if m.setting.Shared {
		line = &m.lines[0]
	}
	if *line == nil {
		*line = path
	} else {
		firstUp, firstDown := (*line).Links()
		for _, pair := range [...][2]*linksim.Link{{up, firstUp}, {down, firstDown}} {
			if c := pair[1].Condition(); c.Rate > 0 || c.Trace != nil {
				pair[0].ShareQueue(pair[1])
			}
		}
	}
	m.dials = append(m.dials, client)
	if w := m.setting.Watch[client]; w != nil {
		w.Dialled(down, up)
	}
}

// watched is the server's listener.
type watched struct {
	transport.Listener
	match *Match
}

// Accept implements [transport.Listener]. Connections are returned in the order in which they were
// dialled.
func (w watched) Accept() (transport.Conn, bool) {
	conn, ok := w.Listener.Accept()
	if !ok {
		return nil, false
	}
	m := w.match
	client := m.dials[0]
	m.dials = m.dials[1:]
	connection := m.accepted[client]
	m.accepted[client]++
	if watcher := m.setting.Watch[client]; watcher != nil {
		conn = sent{conn, m, watcher, connection}
	}
	return conn, true
}

// sent is the server's end of a connection.
type sent struct {
	transport.Conn
	match      *Match
	watcher    Watcher
	connection int
}

func (s sent) Send(datagram []byte) error {
	s.watcher.Sent(s.connection, datagram, s.match.Server.Engine.Time().StepEnd)
	return s.Conn.Send(datagram)
}

func (s sent) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	return s.Conn.(transport.Stamper).RecvAt(buf)
}
