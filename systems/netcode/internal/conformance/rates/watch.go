package rates

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Watcher is called with the events of a run, for measurements beside its [Figures]. All times are
// the server's. The warm-up is included.
type Watcher interface {
	// Dialled passes the links of a client's new connection. The links' own times are the client's,
	// at most a 240th of a second late.
	Dialled(client int, down, up *linksim.Link)
	// Sent is called before a datagram of the server is passed to a connection of the client.
	// Connections are numbered from 0 in the order in which they were dialled. Stamp is the time of
	// the newest state that the datagram may show.
	Sent(client, connection int, datagram []byte, stamp time.Duration)
	// Turn is called 240 times a second for each client, after the server's turn, with the server's
	// figures about its inputs.
	Turn(client int, now time.Duration, inputs prediction.BufferStats)
	// Step is called after each fixed step of a client, with its view.
	Step(client int, now, view time.Duration, playing bool)
	// Frame is called after each frame of a client. The frame is valid until the call returns.
	Frame(client int, f *Frame)
}

// Frame is a client's picture in one frame.
type Frame struct {
	Now     time.Duration
	Playing bool              // else nothing but Stats is shown
	Shown   time.Duration     // the server's time that the picture shows
	View    time.Duration     // the same at the end of the step
	Off     [measured]float64 // metres from the truth at that time, by body
	Stats   netcode.ClientStats
}

// dialled makes a new connection wait in the queues of its client's line, behind the data of an
// earlier one, and reports it to the watcher.
func (r *run) dialled(client int, path *linksim.Conn) {
	up, down := path.Links()
	line := &r.lines[client]
	if r.setting.Shared {
		line = &r.lines[0]
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
	r.dials = append(r.dials, client)
	if r.setting.Watch != nil {
		r.setting.Watch.Dialled(client, down, up)
	}
}

// watched is the server's listener.
type watched struct {
	transport.Listener
	run *run
}

// Accept implements [transport.Listener]. Connections are returned in the order in which they were
// dialled.
func (w watched) Accept() (transport.Conn, bool) {
	conn, ok := w.Listener.Accept()
	if !ok || w.run.setting.Watch == nil {
		return conn, ok
	}
	client := w.run.dials[w.run.accepted]
	connection := 0
	for _, earlier := range w.run.dials[:w.run.accepted] {
		if earlier == client {
			connection++
		}
	}
	w.run.accepted++
	return sent{conn, w.run, client, connection}, true
}

// sent is the server's end of a connection.
type sent struct {
	transport.Conn
	run                *run
	client, connection int
}

func (s sent) Send(datagram []byte) error {
	s.run.setting.Watch.Sent(s.client, s.connection, datagram, s.run.server.Engine.Time().StepEnd)
	return s.Conn.Send(datagram)
}

func (s sent) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	return s.Conn.(transport.Stamper).RecvAt(buf)
}
