package zones

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// A checkpoint is a magic number with a version, the numbers of players that are elsewhere, the
// length of the mail, the mail, and the ledger, which has the states of all entities of the zone.
const checkpointMagic = "TZC1"

// save writes a checkpoint once a second. The store writes it beside the steps.
func (z *Zone[S, I]) save() {
	if tick := z.server.Tick(); !z.ledger.Active() || int(tick.Sub(z.savedAt)) < z.protocol.TickRate() && z.hasSaved {
		return
	}
	z.saveNow()
}

// saveNow reports whether a checkpoint is being written: not while the one before still is.
func (z *Zone[S, I]) saveNow() bool {
	if z.saving {
		return false
	}
	z.takeArrivals() // at the end of a process some may wait, of which the world knows nothing
	z.hasSaved, z.savedAt, z.saving = true, z.server.Tick(), true
	number, ledger := z.ledger.Checkpoint(z.stateFor)
	b := append(make([]byte, 0, len(ledger)+1024), checkpointMagic...)
	b = binary.AppendUvarint(b, uint64(len(z.away)))
	for n := range z.away {
		b = binary.AppendUvarint(b, uint64(n))
	}
	letters := z.mail.Snapshot(nil, number)
	b = binary.AppendUvarint(b, uint64(len(letters)))
	b = append(b, letters...)
	b = append(b, ledger...)
	z.saves = number
	z.stats.CheckpointBytes = len(b)
	z.saving = z.hold.Save(number, b)
	return z.saving
}

// stateFor returns the state of an entity for a checkpoint.
func (z *Zone[S, I]) stateFor(n custody.Name) []byte {
	x := z.entities[n]
	if x == nil || !x.owned || !z.alive(x.e) {
		i := slices.IndexFunc(z.early, func(e custody.Entity) bool { return e.Name == n })
		if i < 0 {
			return nil
		}
		return z.early[i].State
	}
	var data []byte
	if p := z.playerOf(x.e); p != nil {
		data, _ = z.server.Export(p) // a player that has just joined is left out, with its body
	}
	b, err := z.writeState(x, data)
	if err != nil {
		z.config.Log.Error("zones: an entity is not in the checkpoint", "error", err)
	}
	return b
}

// saved notes that a checkpoint is in the store.
func (z *Zone[S, I]) saved(number uint64) {
	z.saving = false
	z.ledger.Written(number)
	z.mail.Written(number)
	z.acknowledgeLetters(number)
	z.stats.Checkpoints++
	z.checkpointAt = z.config.Now()
	z.sendCustody()
}

// restore opens the ledger of this process, from the newest checkpoint or from nothing.
func (z *Zone[S, I]) restore(data []byte, others []custody.Zone) (err error) {
	if data == nil {
		z.ledger, err = custody.Open(z.self, others, nil)
		return err
	}
	malformed := errors.New("zones: the checkpoint is malformed; another version has written it")
	if len(data) < len(checkpointMagic) || string(data[:len(checkpointMagic)]) != checkpointMagic {
		return malformed
	}
	data = data[len(checkpointMagic):]
	ok := true
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		if ok = ok && n > 0; ok {
			data = data[n:]
		}
		return v
	}
	for range min(next(), 1<<16) {
		z.away[uint16(next())] = true
	}
	size := next()
	if !ok || size > uint64(len(data)) {
		return malformed
	}
	letters, ledger := data[:size], data[size:]
	if rest, err := z.mail.Restore(letters); err != nil || len(rest) > 0 {
		return malformed
	}
	if z.ledger, err = custody.Open(z.self, others, ledger); err != nil {
		return err
	}
	z.restoring = true
	return nil
}

var errNoEntity = errors.New("zones: Config.Spawn has returned no entity for it")
