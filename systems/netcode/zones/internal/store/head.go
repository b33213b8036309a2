package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// head says which checkpoints of a zone are whole. It is written by compare-and-set, and Take
// writes it, too: so a former process cannot write the next one.
type head struct {
	Epoch   custody.Epoch `json:"epoch"`   // of the process that may write the next one
	Process string        `json:"process"` // its mark
	Saves   []saved       `json:"saves"`   // the newest and the one before

	revision uint64
}

// saved is a checkpoint that is whole.
type saved struct {
	Epoch  custody.Epoch `json:"epoch"`
	Number uint64        `json:"number"`
	Slot   int           `json:"slot"`
	Size   int           `json:"size"`
	Sum    uint32        `json:"crc32c"`
	Parts  []uint64      `json:"parts"` // the revision of each
}

const (
	slots    = 3 // two that are whole, and one that is written
	maxSaves = 2
	partSize = 900_000 // NATS takes messages of up to 1 MiB
	maxParts = 80
	maxHead  = 64 << 10
)

// MaxCheckpoint is the most bytes of a checkpoint.
const MaxCheckpoint = 64 << 20

func keyHead(zone string) string { return zone + ".head" }

func keyPart(zone string, of saved, part int) string {
	return fmt.Sprintf("%s.%d.%d.%d", zone, of.Epoch, of.Slot, part)
}

func (h *head) marshal() []byte {
	data, err := json.Marshal(h)
	if err != nil {
		panic(err) // plain numbers
	}
	return data
}

func parseHead(data []byte) (h head, err error) {
	if len(data) > maxHead {
		return head{}, errors.New("it is too long")
	}
	if err := json.Unmarshal(data, &h); err != nil {
		return head{}, err
	}
	if h.Epoch < 1 || h.Epoch > custody.MaxEpoch || len(h.Saves) > maxSaves {
		return head{}, errors.New("it has impossible numbers")
	}
	for _, s := range h.Saves {
		if s.Epoch < 1 || s.Epoch > h.Epoch || s.Slot < 0 || s.Slot >= slots || s.Size < 0 || s.Size > MaxCheckpoint || len(s.Parts) > maxParts {
			return head{}, errors.New("it has impossible numbers")
		}
	}
	return h, nil
}

// head reads the head of a zone's checkpoints. One that was never written is empty.
func (s *Store) head(ctx context.Context, zone string) (head, error) {
	data, revision, err := s.get(ctx, s.saves, keyHead(zone))
	if err != nil || revision == 0 {
		return head{}, err
	}
	h, err := parseHead(data)
	if err != nil {
		return head{}, fmt.Errorf("store: the list of the checkpoints of zone %s in world %s is damaged (%w): restore NATS from a backup, or begin the zone from nothing by deleting the key %s of the bucket %s",
			zone, s.world, err, keyHead(zone), s.saves.Bucket())
	}
	h.revision = revision
	return h, nil
}

// errEpoch says that the head is of a later epoch than the record, which was deleted or is of a
// process that another one has followed.
var errEpoch = errors.New("store: the checkpoints are of a later epoch")

// fence makes a process the only one that can write the next head. From here on the head is the
// newest one, whichever server of NATS was asked.
func (s *Store) fence(ctx context.Context, zone string, by signed) (head, error) {
	for {
		h, err := s.head(ctx, zone)
		switch {
		case err != nil:
			return head{}, err
		case h.Process == by.process:
			return h, nil
		case h.Epoch >= by.Epoch:
			return h, errEpoch
		}
		if err := s.putHead(ctx, zone, &h, head{Epoch: by.Epoch, Process: by.process, Saves: h.Saves}); err == nil {
			return h, nil
		} else if !errors.Is(err, errChanged) {
			return head{}, err
		}
		sleep(ctx, look)
	}
}

// putHead writes a head over another one, and sets it.
func (s *Store) putHead(ctx context.Context, zone string, over *head, next head) error {
	return s.try(ctx, func(ctx context.Context) error {
		n, err := set(ctx, s.saves, keyHead(zone), next.marshal(), over.revision)
		if err == nil {
			next.revision = n
			*over = next
		}
		return err
	})
}
