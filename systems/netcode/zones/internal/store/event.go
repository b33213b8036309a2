package store

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// Event is something that has happened, taken by Hold.Poll. It is one of the types below. The
// functions named Answer return at once, and are called on the engine's goroutine.
type Event interface{ event() }

// Renewed says that a renewal has succeeded, which began at Start: for custody.Lease.
type Renewed struct{ Start time.Duration }

// Lost says that the zone belongs to another process. It is the last event. The process stops
// simulating and takes the zone anew, or ends.
type Lost struct{ Err error }

// Failed says that something did not succeed. The zone goes on.
type Failed struct {
	Op  Op
	Err error
}

// Op is what has failed.
type Op string

const (
	OpRenew   Op = "renew"   // call Renew again: now, or when the next one is due
	OpSave    Op = "save"    // it is tried again until it succeeds; see Save
	OpRestore Op = "restore" // the newest checkpoint is damaged: Checkpoint has the one before
	OpWatch   Op = "watch"   // changes of others come late, or a record or the map is damaged
)

// Saved says that a checkpoint is in the store, all of it.
type Saved struct{ Number uint64 }

// Records has the records of all zones that ever ran, by rising names. It comes whenever one of
// them is written, at most once a Poll. The slice is the receiver's.
type Records struct{ All []Seen }

// Current says that the Records until now have all that any zone had written before Start, which is
// the start of a renewal of this zone. A record that has not changed since an earlier time, as seen
// at Start, has not changed: custody.Watch.Over(Start) is sound, and Over of the present time is
// not, since the watch may be behind.
type Current struct{ Start time.Duration }

// MapChanged has the newest map. The first one comes soon after Take.
type MapChanged struct{ Map *land.Map }

// Asked is a question of another zone: whether this one has a player, who may be on the way back.
type Asked struct {
	ID     netcode.ResumeID
	Answer func(has bool)
}

// Answered says that a zone has the player that was asked for by Ask.
type Answered struct {
	ID      netcode.ResumeID
	Zone    custody.Zone
	Address string // as in the zone's record
}

// TickAsked is a question of a process that starts, for the time of the common ticks now. It comes
// to active zones only.
type TickAsked struct{ Answer func(world time.Duration) }

// DrainAsked is an order of the operator: the zone takes no newcomers from now on. The zone sets
// Draining in its record and answers.
type DrainAsked struct{ Answer func() }

func (Renewed) event()    {}
func (Lost) event()       {}
func (Failed) event()     {}
func (Saved) event()      {}
func (Records) event()    {}
func (Current) event()    {}
func (MapChanged) event() {}
func (Asked) event()      {}
func (Answered) event()   {}
func (TickAsked) event()  {}
func (DrainAsked) event() {}
