package articles

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// These kinds of interpolation are as printed in an article, with their faults. [New] makes their
// interpolators.
const (
	// SeedChase is the chase of Champions of Mirra: constant speed, steps not clamped to the
	// distance. It oscillates around the target.
	SeedChase interp.Kind = 128 + iota

	// SeedLinear is the PositionCircularBuffer of Multiplayer Platformer Log #5: eight slots, of
	// which seven hold points. Reordered and repeated samples are added in the order of arrival,
	// starved bodies stand and then jump, and teleports are drawn as motion.
	SeedLinear

	// SeedRacer is the PredictLinear of the Racer multiplayer page: any packet counts as the last,
	// positions are extrapolated without limit, and rotations are slerped without a clamp.
	SeedRacer
)

var kinds = [...]struct {
	kind          interp.Kind
	name, display string
}{
	{SeedChase, "seed-chase", "Seed: chase"},
	{SeedLinear, "seed-linear", "Seed: 8-slot buffer"},
	{SeedRacer, "seed-racer", "Seed: Racer"},
}

// Kinds returns the kinds of package interp and, behind them, those of this package.
func Kinds() []interp.Kind {
	all := interp.Kinds()
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	return all
}

// New returns an interpolator of a kind of this package or of package interp. It has the signature
// of ClientConfig.Interpolators in package netcode. It panics for a number that is not a kind.
func New(kind interp.Kind, config interp.Config) interp.Interpolator {
	if config.Interval <= 0 {
		config.Interval = time.Second / 30
	}
	switch kind {
	case SeedChase:
		return &seedChase{interval: seconds(config.Interval), speed: config.Speed}
	case SeedLinear:
		return newSeedLinear()
	case SeedRacer:
		return &seedRacer{interval: config.Interval}
	}
	return interp.New(kind, config)
}

// Name returns the short name of a kind of this package or of package interp, which [ParseKind]
// accepts.
func Name(kind interp.Kind) string {
	for _, k := range kinds {
		if k.kind == kind {
			return k.name
		}
	}
	return kind.String()
}

// Display returns a name for people, at most 20 characters long.
func Display(kind interp.Kind) string {
	for _, k := range kinds {
		if k.kind == kind {
			return k.display
		}
	}
	return kind.Display()
}

// ParseKind returns the kind of the given short name. Case does not matter. The empty name is
// [interp.Default].
func ParseKind(name string) (interp.Kind, error) {
	if kind, err := interp.ParseKind(name); err == nil {
		return kind, nil
	}
	all := Kinds()
	if i := slices.IndexFunc(all, func(k interp.Kind) bool { return strings.EqualFold(name, Name(k)) }); i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = Name(k)
	}
	return 0, fmt.Errorf("articles: no interpolation is called %q; choose one of %s", name, strings.Join(names, ", "))
}

// seconds returns a difference of times in float32: differences are short.
func seconds(d time.Duration) float32 { return float32(d.Seconds()) }
