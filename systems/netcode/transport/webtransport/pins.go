package webtransport

import (
	"errors"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// maxPins is the maximum number of fingerprints in an answer, and maxAnswer that of its bytes.
const (
	maxPins   = 8
	maxAnswer = maxPins * 64
)

var errPins = errors.New("webtransport: the answer is no list of fingerprints")

// appendPins appends the wire form of fingerprints: one a line.
func appendPins(b []byte, pins []joinlink.Fingerprint) []byte {
	for _, p := range pins {
		b = append(append(b, p.String()...), '\n')
	}
	return b
}

// parsePins reads the wire form. It needs at least one fingerprint.
func parsePins(text string) ([]joinlink.Fingerprint, error) {
	if len(text) > maxAnswer {
		return nil, errPins
	}
	var pins []joinlink.Fingerprint
	for line := range strings.Lines(text) {
		p, err := joinlink.ParseFingerprint(strings.TrimSuffix(line, "\n"))
		if err != nil || len(pins) == maxPins {
			return nil, errPins
		}
		pins = append(pins, p)
	}
	if len(pins) == 0 {
		return nil, errPins
	}
	return pins, nil
}
