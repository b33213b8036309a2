package zones

import (
	"context"
	"errors"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

var (
	// ErrFenced is the error of a zone that another process has taken over: this one was stopped
	// for too long, or cut off from NATS. Its work since the newest checkpoint is lost.
	ErrFenced = errors.New("zones: another process has taken the zone over: end this one")
	// ErrFrozen is the error of a zone that could not renew its lease for 12 s and has stopped
	// simulating, until NATS answered again. Its last state is in a checkpoint: begin again, and
	// nothing is lost.
	ErrFrozen = errors.New("zones: the lease was over, and the last state is saved: begin the process again")
)

// Done is closed when the zone has ended: see Err. Then end the process, and let its supervisor
// begin it again.
func (z *Zone[S, I]) Done() <-chan struct{} { return z.done }

// Err returns why the zone has ended: ErrFenced, ErrFrozen, or nil while it has not, and after
// Close.
func (z *Zone[S, I]) Err() error { return z.err }

// ending writes the last checkpoint when the engine is closed. It is in the last stage, so it is
// finalised before the server, with which the players end.
type ending[S any, I comparable] struct{ z *Zone[S, I] }

func (*ending[S, I]) Initialize(*arche.World) {}
func (*ending[S, I]) Update(*arche.World)     {}
func (e *ending[S, I]) Finalize(*arche.World) { e.z.saveLast() }

func (z *Zone[S, I]) end(err error) {
	if z.err == nil && !z.closed {
		z.err = err
		z.config.Log.Error("zones: the zone has ended", "error", err)
		close(z.done)
	}
}

// Close ends the zone. When its engine is closed before, as by ecs.Engine.Run, a last checkpoint is
// written, for which that waits up to 3 s: nothing is lost then. Another process may take the zone
// at once, on another machine too.
func (z *Zone[S, I]) Close() {
	if z.closed {
		return
	}
	z.closed = true
	z.release()
	if z.err == nil {
		close(z.done)
	}
}

// lastWithin is how long the end of an engine waits for the last checkpoint.
const lastWithin = 3 * time.Second

// saveLast writes a checkpoint and waits for it. The engine calls it before it ends the server.
func (z *Zone[S, I]) saveLast() {
	if z.closed || z.err != nil || !z.ledger.Active() || !z.lease.Held(z.config.Now()) {
		return
	}
	begun := z.saveNow()
	end := time.Now().Add(lastWithin)
	for ; time.Now().Before(end) && z.err == nil; time.Sleep(time.Millisecond) {
		z.hold.Poll(z.event)
		if !begun {
			begun = z.saveNow()
		} else if !z.saving {
			z.surrender(end)
			return
		}
	}
	z.config.Log.Error("zones: the last checkpoint could not be written; the one before holds")
}

// surrender gives the lease up before a time, so that others do not wait for the lease's end.
func (z *Zone[S, I]) surrender(before time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), before)
	defer cancel()
	if err := z.hold.End(ctx, z.config.Now()); err != nil {
		z.config.Log.Warn("zones: the lease could not be given up: other zones that begin now wait for its end", "error", err)
	}
}

// release ends all that the zone holds outside of this process.
func (z *Zone[S, I]) release() {
	if z.links != nil {
		z.links.Close(transport.Reason{Code: transport.Shutdown, Text: "the zone ends"})
	} else if z.config.Links.Listener != nil {
		z.config.Links.Listener.Close(transport.Reason{Code: transport.Shutdown, Text: "the zone has not begun"})
	}
	if z.hold != nil {
		z.hold.Close()
	}
	if z.conn != nil {
		z.conn.Close()
	}
	if z.unlock != nil {
		z.unlock()
		z.unlock = nil
	}
}
