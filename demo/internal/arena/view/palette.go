package view

import "github.com/tandem-ecs/tandem/render"

// Theme is the arena's look: a light floor in darker surroundings, so that players and effects
// stand out.
func Theme() render.Theme {
	t := render.Daylight()
	t.Ground = render.Hex(0x8f9ba5)
	t.SkyHorizon = render.Hex(0xaab4bc)
	t.GridMinor = t.GridMinor.Alpha(0.1)
	t.GridMajor = t.GridMajor.Alpha(0.2)
	return t
}

// darkPlayer is the index of the player colour that is no brighter than a panel.
const darkPlayer = 5

// palette holds the colours of a picture. Players have accents that nothing else has.
type palette struct {
	floor, line, wall render.Color
	wood, deck, edge  render.Color // crates; platforms
	doorBand          render.Color // and of switch plates
	portals           [2]render.Color
	players           [6]render.Color
}

func colorsOf(t *render.Theme) palette {
	return palette{
		floor: render.Hex(0xdfe0dc), line: render.Hex(0x6c7a86).Alpha(0.2), wall: t.Accent(7).Mix(t.Neutral, 0.35),
		wood: render.Hex(0xb48a5c), deck: render.Hex(0x59646f), edge: t.Accent(2),
		doorBand: render.Hex(0xc9b458).Mix(t.Neutral, 0.35),
		portals:  [2]render.Color{render.Hex(0x18a5b8), t.Accent(4)},
		players:  [6]render.Color{t.Accent(6), t.Accent(0), t.Accent(1), t.Accent(3), t.Accent(5), render.Hex(0x3f4a55)},
	}
}

// player returns a player's colour, by the player's number.
func (p *palette) player(number uint16) render.Color { return p.players[int(number)%len(p.players)] }

// onPanel returns a version of a player's current colour that is visible on a dark panel.
func (p *palette) onPanel(number uint16, color render.Color) render.Color {
	if int(number)%len(p.players) == darkPlayer {
		return color.Mix(p.floor, 0.5)
	}
	return color
}
