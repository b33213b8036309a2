package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// MaxAddress is the most bytes of an address.
const MaxAddress = 120

// Record is what the zones of a world know of the process that runs a zone.
type Record struct {
	Number   custody.Zone
	Epoch    custody.Epoch // set by Take
	Instance string        // where the zone runs, over restarts: of Lock
	Address  string        // clients dial it: a join link without a token
	Link     string        // other zones dial it: host and port
	Pin      joinlink.Fingerprint
	Key      [32]byte // other zones show it
	Load     float32  // the share of a tick that the newest steps took, 1 for all of it
	Entities int      // how many the zone owns
	Draining bool     // it takes no newcomers
	Active   bool     // it simulates
	Ended    bool     // its process has ended in order, so its lease is over; see Hold.End
}

// Seen is a zone's record as it was written last.
type Seen struct {
	Zone     string
	Record   Record
	Revision uint64    // grows with each write; for custody.Watch
	Written  time.Time // by the clock of NATS; to show it only
}

// signed is a record with the mark of the process that wrote it. A process knows by it that a write
// was its own, when the answer was lost.
type signed struct {
	Record
	process string
}

const (
	maxRecord   = 2048 // bytes of a record in JSON
	maxInstance = 64
	maxLoad     = 1000
)

type recordJSON struct {
	Number   custody.Zone  `json:"number"`
	Epoch    custody.Epoch `json:"epoch"`
	Instance string        `json:"instance"`
	Process  string        `json:"process"`
	Address  string        `json:"address"`
	Link     string        `json:"link"`
	Pin      []byte        `json:"pin"`
	Key      []byte        `json:"key"`
	Load     float32       `json:"load"`
	Entities int           `json:"entities"`
	Draining bool          `json:"draining,omitempty"`
	Active   bool          `json:"active,omitempty"`
	Ended    bool          `json:"ended,omitempty"`
}

// check returns an error that says what is wrong, or nil. The epoch is not looked at.
func (r *Record) check() error {
	switch {
	case r.Number < 1 || r.Number > custody.MaxZone:
		return fmt.Errorf("store: a record with zone number %d: use 1 to %d", r.Number, custody.MaxZone)
	case r.Instance == "" || !plain(r.Instance, maxInstance):
		return fmt.Errorf("store: a record with the instance %q: use 1 to %d printable characters of ASCII, as Lock does", r.Instance, maxInstance)
	case !plain(r.Address, MaxAddress) || !plain(r.Link, MaxAddress):
		return fmt.Errorf("store: a record with the addresses %q and %q: use at most %d printable characters of ASCII", r.Address, r.Link, MaxAddress)
	case !(r.Load >= 0 && r.Load <= maxLoad): // also false for NaN
		return fmt.Errorf("store: a record with the load %v: use 0 to %d", r.Load, maxLoad)
	case r.Entities < 0 || r.Entities > math.MaxInt32:
		return fmt.Errorf("store: a record with %d entities", r.Entities)
	}
	return nil
}

// plain reports whether a text is short and can be printed.
func plain(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// marshal returns the record as parseRecord reads it.
func (r *signed) marshal() []byte {
	data, err := json.Marshal(recordJSON{
		r.Number, r.Epoch, r.Instance, r.process, r.Address, r.Link, r.Pin[:], r.Key[:], r.Load, r.Entities, r.Draining, r.Active, r.Ended,
	})
	if err != nil {
		panic(err) // the load is a number, as check says
	}
	return data
}

var errRecord = errors.New("store: a damaged record: delete its key, or restart its zone with the version that wrote it")

// parseRecord reads a record. Fields of later versions are skipped.
func parseRecord(data []byte) (signed, error) {
	var j recordJSON
	if len(data) > maxRecord {
		return signed{}, errRecord
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return signed{}, fmt.Errorf("%w: %w", errRecord, err)
	}
	r := signed{process: j.Process, Record: Record{
		Number: j.Number, Epoch: j.Epoch, Instance: j.Instance, Address: j.Address, Link: j.Link,
		Load: j.Load, Entities: j.Entities, Draining: j.Draining, Active: j.Active, Ended: j.Ended,
	}}
	if len(j.Pin) != len(r.Pin) || len(j.Key) != len(r.Key) || j.Epoch < 1 || j.Epoch > custody.MaxEpoch || !plain(j.Process, maxInstance) {
		return signed{}, errRecord
	}
	copy(r.Pin[:], j.Pin)
	copy(r.Key[:], j.Key)
	if err := r.check(); err != nil {
		return signed{}, fmt.Errorf("%w: %w", errRecord, err)
	}
	return r, nil
}
