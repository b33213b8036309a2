package components_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	. "github.com/tandem-ecs/tandem/components"
)

// lamp is a value of a game.
type lamp struct {
	On    bool
	Color [3]float32
}

// saved holds a component of each kind, as a game's file does.
type saved struct {
	Logical Transform3D
	Visual  Visual3D
	Flat    Transform2D
	Lamp    Logical[lamp]
	Number  Visual[float32]
}

// Every value comes back bit for bit from JSON and from a gob, also zeros, and as a fresh one.
func TestSavedValuesComeBack(t *testing.T) {
	codings := map[string]func(from, to *saved) error{
		"json": func(from, to *saved) error {
			data, err := json.Marshal(*from) // not addressable
			if err != nil {
				return err
			}
			return json.Unmarshal(data, to)
		},
		"gob": func(from, to *saved) error {
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(*from); err != nil {
				return err
			}
			return gob.NewDecoder(&b).Decode(to)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		number := func() float32 {
			return rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1})).Draw(t, "number")
		}
		numbers := func() mgl32.Vec3 { return mgl32.Vec3{number(), number(), number()} }
		var from saved
		from.Logical.Set(Pose3D{numbers(), mgl32.Quat{W: number(), V: numbers()}, numbers()})
		from.Visual.Set(Pose3D{numbers(), mgl32.Quat{W: number(), V: numbers()}, numbers()})
		from.Flat.Teleport(Pose2D{mgl32.Vec2{number(), number()}, number(), mgl32.Vec2{number(), number()}})
		from.Lamp.Set(lamp{rapid.Bool().Draw(t, "on"), numbers()})
		from.Number.Set(number())
		for name, through := range codings {
			to := saved{Logical: NewLogical(At3D(7, 7, 7)), Visual: NewVisual(At3D(7, 7, 7)), Lamp: NewLogical(lamp{true, mgl32.Vec3{7, 7, 7}})}
			to.Logical.Set(At3D(8, 8, 8))
			if err := through(&from, &to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for what, same := range map[string]bool{
				"Logical": bits(to.Logical.Get()) == bits(from.Logical.Get()), "Visual": bits(to.Visual.Get()) == bits(from.Visual.Get()),
				"Flat": to.Flat.Get() == from.Flat.Get(), "Lamp": to.Lamp.Get() == from.Lamp.Get(), "Number": to.Number.Get() == from.Number.Get(),
			} {
				if !same {
					t.Fatalf("%s: another %s: %+v after %+v", name, what, to, from)
				}
			}
			if to.Logical.Revision() != 0 || to.Lamp.Revision() != 0 {
				t.Fatalf("%s: a loaded value is not fresh", name)
			}
		}
	})
}

// bits returns a pose as bits, which tell zeros of both signs apart.
func bits(p Pose3D) (b [10]uint32) {
	for k, v := range append(append(append(p.Position[:], p.Rotation.W), p.Rotation.V[:]...), p.Scale[:]...) {
		b[k] = math.Float32bits(v)
	}
	return b
}

// A part of a pose that a file leaves out has its default, the other parts are taken as they are,
// and null changes nothing.
func TestPosesOfFilesByHand(t *testing.T) {
	small := At3D(1, 2, 3)
	small.Scale = mgl32.Vec3{}
	turned := Identity3D()
	turned.Rotation = mgl32.Quat{V: mgl32.Vec3{0, 1, 0}}
	for text, want := range map[string]Pose3D{
		`{"Position":[1,2,3]}`:                    At3D(1, 2, 3),
		`{"Position":[1,2,3],"Scale":[0,0,0]}`:    small,
		`{"Rotation":{"V":[0,1,0]}}`:              turned,
		`{"rotation":{"V":[0,1,0]},"Scale":null}`: turned,
		` null `: At3D(9, 9, 9),
	} {
		logical, visual := NewLogical(At3D(9, 9, 9)), NewVisual(At3D(9, 9, 9))
		if err := json.Unmarshal([]byte(text), &logical); err != nil || logical.Get() != want {
			t.Errorf("%s: %v, %v, want %v", text, logical.Get(), err, want)
		}
		if err := json.Unmarshal([]byte(text), &visual); err != nil || visual.Get() != want {
			t.Errorf("%s: drawn at %v, %v, want %v", text, visual.Get(), err, want)
		}
	}
	var flat Transform2D
	if err := json.Unmarshal([]byte(`{"Position":[1,2]}`), &flat); err != nil || flat.Get() != At2D(1, 2) {
		t.Errorf("in the plane: %v, %v", flat.Get(), err)
	}
}

// A value that cannot be saved or loaded is an error with the value or its type, and changes
// nothing.
func TestSavingErrors(t *testing.T) {
	if _, err := json.Marshal(NewLogical(At3D(float32(math.NaN()), 0, 0))); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a NaN was saved: %v", err)
	}
	if _, err := json.Marshal(NewVisual(complex64(1))); err == nil || !strings.Contains(err.Error(), "components") {
		t.Errorf("a complex number was saved: %v", err)
	}
	logical, visual := NewLogical(At3D(1, 2, 3)), NewVisual(At3D(1, 2, 3))
	logical.Set(At3D(4, 5, 6))
	before := logical
	for _, text := range []string{`{"Position":[1,2,"x"]}`, `{"Scale":7}`, `[]`, `"x"`} {
		if err := json.Unmarshal([]byte(text), &logical); err == nil || logical != before || !strings.Contains(err.Error(), "Pose3D") {
			t.Errorf("%s: %v, %v", text, logical, err)
		}
		if err := json.Unmarshal([]byte(text), &visual); err == nil || visual.Get() != At3D(1, 2, 3) {
			t.Errorf("%s: %v, %v", text, visual, err)
		}
	}
	if err := logical.GobDecode([]byte("{")); err == nil || logical != before {
		t.Errorf("half a value: %v, %v", logical, err)
	}
}
