package components

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Logical and a Visual are written to files as their value alone, as JSON. A gob holds the same
// JSON: one format has one set of rules, and gob leaves out zeros, which decoding could not tell
// from fields that a file of an older version lacks.

// MarshalJSON returns the value alone. Pending writes and the revision are not part of it. It
// returns an error for a value that JSON cannot hold, such as a NaN.
func (l Logical[T]) MarshalJSON() ([]byte, error) { return encode(*l.state.Value()) }

// UnmarshalJSON makes l a fresh logical value, as [NewLogical] does: the entity appears where it
// is. In a pose a Rotation or a Scale that the data leaves out is the identity or 1, and one that
// it holds is taken as it is, also a scale of 0. An error leaves l as it was.
func (l *Logical[T]) UnmarshalJSON(data []byte) error {
	v, ok, err := decode[T](data)
	if ok {
		*l = fresh(v)
	}
	return err
}

// GobEncode returns the result of MarshalJSON.
func (l Logical[T]) GobEncode() ([]byte, error) { return l.MarshalJSON() }

// GobDecode makes l a fresh logical value, as UnmarshalJSON does.
func (l *Logical[T]) GobDecode(data []byte) error { return l.UnmarshalJSON(data) }

// MarshalJSON returns the value alone. It returns an error for a value that JSON cannot hold, such
// as a NaN.
func (v Visual[T]) MarshalJSON() ([]byte, error) { return encode(v.value) }

// UnmarshalJSON replaces the value. In a pose a Rotation or a Scale that the data leaves out is the
// identity or 1. An error leaves v as it was.
func (v *Visual[T]) UnmarshalJSON(data []byte) error {
	value, ok, err := decode[T](data)
	if ok {
		v.value = value
	}
	return err
}

// GobEncode returns the result of MarshalJSON.
func (v Visual[T]) GobEncode() ([]byte, error) { return v.MarshalJSON() }

// GobDecode replaces the value, as UnmarshalJSON does.
func (v *Visual[T]) GobDecode(data []byte) error { return v.UnmarshalJSON(data) }

func encode[T any](v T) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("components: cannot save the value %v: %w", v, err)
	}
	return data, nil
}

// decode returns the value in JSON, and false for null, which by convention changes nothing.
func decode[T any](data []byte) (v T, ok bool, err error) {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return v, false, nil
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, false, fmt.Errorf("components: cannot load a %T: %w", v, err)
	}
	switch p := any(&v).(type) {
	case *Pose3D:
		var in struct{ Rotation, Scale *json.RawMessage }
		err = json.Unmarshal(data, &in)
		whole := p.WithDefaults()
		if in.Rotation == nil {
			p.Rotation = whole.Rotation
		}
		if in.Scale == nil {
			p.Scale = whole.Scale
		}
	case *Pose2D:
		var in struct{ Scale *json.RawMessage }
		if err = json.Unmarshal(data, &in); in.Scale == nil {
			p.Scale = p.WithDefaults().Scale
		}
	}
	return v, err == nil, err
}
