package render

import "github.com/go-gl/mathgl/mgl32"

// Theme is the look of a picture: light, surroundings, and the colours of scenes and overlays.
//
// Start from [Daylight] or [Dusk] and change any field.
type Theme struct {
	SkyTop, SkyHorizon Color // the background's gradient; distant ground fades into SkyHorizon
	Backdrop           Color // the surface outside all views

	Ground    Color // of the ground plane
	GridMinor Color // lines one cell apart; their alpha is the lines' strength
	GridMajor Color // every tenth line

	Key          Light // casts the shadow; the only one whose Lamp is used
	Fill         Light // from the other side, without a shadow
	AmbientAbove Light // light from the sky; Direction is not used
	AmbientBelow Light // light thrown back by the ground; Direction is not used

	// Accents are colours of equal weight for things that must be told apart. Most colour-blind
	// people can tell them apart, too.
	Accents [8]Color
	Neutral Color // for things that should not attract attention

	Ink       Color // of text that is written on the picture itself
	Text      Color // of text on panels
	TextDim   Color // labels, units, hints
	Panel     Color // background of panels, usually translucent
	PanelLine Color // borders and grid lines of graphs
	Good, Bad Color // values as they should be, and values that are not
}

// Light is light of one colour.
type Light struct {
	Direction mgl32.Vec3 // from the scene towards the light, in world space, of any length
	Lamp      mgl32.Vec3 // a place in world space that the light comes from, instead; zero: none
	Color     Color
	Intensity float32 // 1 makes a surface that faces the light as bright as its colour
}

// Accent returns the i-th accent colour. They repeat after the eighth.
func (t *Theme) Accent(i int) Color {
	return t.Accents[uint(i)%uint(len(t.Accents))]
}

// Daylight returns a bright theme: warm key light from above, cool fill light, off-white ground.
func Daylight() Theme {
	return Theme{
		SkyTop:     Hex(0x9fb6c9),
		SkyHorizon: Hex(0xe6e6e0),
		Backdrop:   Hex(0x3a4652),
		Ground:     Hex(0xd6d8d6),
		GridMinor:  Hex(0x6c7a86).Alpha(0.22),
		GridMajor:  Hex(0x5a6874).Alpha(0.45),

		Key:          Light{Direction: mgl32.Vec3{0.55, 1, 0.45}, Color: Hex(0xfff1dc), Intensity: 0.78},
		Fill:         Light{Direction: mgl32.Vec3{-0.7, 0.35, 0.6}, Color: Hex(0xd3e2ff), Intensity: 0.24},
		AmbientAbove: Light{Color: Hex(0xdde8f5), Intensity: 0.33},
		AmbientBelow: Light{Color: Hex(0xd8cfc2), Intensity: 0.17},

		Accents: accents(),
		Neutral: Hex(0xb9bcc0),

		Ink:       Hex(0x24303c),
		Text:      Hex(0xf4f6f8),
		TextDim:   Hex(0xaab6c2),
		Panel:     Hex(0x1c2530).Alpha(0.82),
		PanelLine: Hex(0x4a5867),
		// blue, and orange below: differ for most colour-blind people, too
		Good: Hex(0x56b4e9),
		Bad:  Hex(0xf0a030),
	}
}

// Dusk returns a dark theme: slate-blue surroundings in which bright bodies and translucent ghosts
// are easy to see.
func Dusk() Theme {
	t := Daylight()
	t.SkyTop = Hex(0x10161f)
	t.SkyHorizon = Hex(0x35434f)
	t.Backdrop = Hex(0x080b0f)
	t.Ground = Hex(0x2b343d)
	t.GridMinor = Hex(0x9fb4c4).Alpha(0.13)
	t.GridMajor = Hex(0xaec4d4).Alpha(0.30)
	t.Key = Light{Direction: mgl32.Vec3{0.55, 1, 0.45}, Color: Hex(0xffe9cf), Intensity: 0.85}
	t.Fill = Light{Direction: mgl32.Vec3{-0.7, 0.3, 0.3}, Color: Hex(0x8fb4ff), Intensity: 0.24}
	t.AmbientAbove = Light{Color: Hex(0x9fb6d4), Intensity: 0.22}
	t.AmbientBelow = Light{Color: Hex(0x6f7680), Intensity: 0.12}
	t.Neutral = Hex(0x7d8a96)
	t.Ink = Hex(0xe8edf2)
	t.Panel = Hex(0x0b0f14).Alpha(0.74)
	t.PanelLine = Hex(0x3b4754)
	return t
}

func accents() [8]Color {
	return [8]Color{
		Hex(0xe4572e), // vermilion
		Hex(0x2e86c1), // azure
		Hex(0xf2a541), // amber
		Hex(0x3aa687), // jade
		Hex(0x8e6bbf), // violet
		Hex(0xd65f8a), // rose
		Hex(0x7a9e3f), // moss
		Hex(0x4c5c8a), // indigo
	}
}
