package rates

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Watcher takes in what happens in a run, for measurements beside its [Figures]. All times are the
// server's; the warm-up is not left out.
type Watcher interface {
	// Dialled gives the links of a client's new connection. The links' own times are the client's,
	// which are less than a 240th of a second behind.
	Dialled(client int, down, up *linksim.Link)
	// Sent comes before a datagram of the server goes into a connection of the client's, by the
	// order in which they were dialled, from 0 on. Stamp is the time of the newest state that it
	// may show.
	Sent(client, connection int, datagram []byte, stamp time.Duration)
	// Turn comes 240 times a second for each client, after the server's turn, with what the server
	// has got of its inputs.
	Turn(client int, now time.Duration, inputs prediction.BufferStats)
	// Step comes after each fixed step of a client, with its view.
	Step(client int, now, view time.Duration, playing bool)
	// Frame comes after each frame of a client. It is valid until it returns.
	Frame(client int, f *Frame)
}

// Frame is what a client has on its screen.
type Frame struct {
	Now     time.Duration
	Playing bool              // else nothing but Stats is shown
	Shown   time.Duration     // the server's time that the picture shows
	View    time.Duration     // likewise at the end of the step
	Off     [measured]float64 // metres from the truth at that time, by body
	Stats   netcode.ClientStats
}

// dialled lets a new connection wait in the queues of its client's line, with what an earlier one
// has left there, and reports it to the watcher.
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

// Accept implements [transport.Listener]. Connections come in the order in which they were dialled.
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

// sent is an end of the server's.
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
