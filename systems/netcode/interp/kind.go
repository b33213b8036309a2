package interp

import (
	"fmt"
	"strings"
)

// Kind names an interpolation algorithm. Its number is stable, so it may be sent or stored per
// entity. Numbers from 128 on are for the kinds of other packages, such as package articles.
type Kind uint8

const (
	// Default is the best kind of this package: a delayed view on Hermite segments. A segment whose
	// end velocities disagree (a flip, a bounce, a stop) runs through the meeting point of its end
	// tangents. Extrapolation is bounded, and the body returns to its path through a decaying
	// offset.
	Default Kind = iota

	// Naive shows the newest sample at once. It stutters.
	Naive

	// Chase moves towards the newest sample at the body's speed plus a share of the distance, never
	// past it (Champions of Mirra, bounded).
	Chase

	// Linear draws straight segments between the samples around a delayed view (the platformer
	// article's buffer, with its faults corrected).
	Linear

	// EventBuffer chases the next of the last 20 updates behind a delayed view, at the mean speed
	// over three of them (Champions of Mirra).
	EventBuffer

	// Hermite draws cubic segments for all velocities. It overshoots flips, bounces and stops, and
	// is a negative control.
	Hermite

	// GuardedHermite draws cubic segments where both end velocities agree with the chord and
	// straight ones elsewhere.
	GuardedHermite

	// RacerLinear blends from the previous packet's path to the last one's in the course of one
	// interval (Racer, with its faults corrected).
	RacerLinear

	// RacerSpline follows a cubic from the shown position and velocity to those predicted from the
	// last packets one interval ahead.
	RacerSpline

	// ProjectiveBlend is projective velocity blending: it starts from the shown state and blends
	// velocities, then positions (Murphy).
	ProjectiveBlend

	// OffsetDecay extrapolates the newest sample and decays the error of the earlier picture
	// (Fiedler's state synchronisation).
	OffsetDecay

	kinds // their number
)

var kindNames = [kinds]struct{ name, display string }{
	Default:         {"default", "Tandem (default)"},
	Naive:           {"naive", "Naive: newest"},
	Chase:           {"chase", "Chase"},
	Linear:          {"linear", "Linear buffer"},
	EventBuffer:     {"events", "Three-tick events"},
	Hermite:         {"hermite", "Hermite, plain"},
	GuardedHermite:  {"guarded", "Hermite, guarded"},
	RacerLinear:     {"racer", "Racer, linear"},
	RacerSpline:     {"spline", "Racer, spline"},
	ProjectiveBlend: {"projective", "Projective blending"},
	OffsetDecay:     {"offset", "Offset decay"},
}

// Kinds returns every kind in the order of their numbers, the default first.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String returns the short name that [ParseKind] accepts.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Display returns a name for people, at most 20 characters long.
func (k Kind) Display() string {
	if k < kinds {
		return kindNames[k].display
	}
	return k.String()
}

// ParseKind returns the kind of the given short name. Case does not matter; the empty name is
// [Default].
func ParseKind(name string) (Kind, error) {
	if name == "" {
		return Default, nil
	}
	names := make([]string, kinds)
	for k := range kinds {
		if names[k] = k.String(); strings.EqualFold(name, names[k]) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("interp: no interpolation is called %q; choose one of %s", name, strings.Join(names, ", "))
}
