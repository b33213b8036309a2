package view

import (
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The best five in the order of their scores, and always the own player.
func TestScores(t *testing.T) {
	for name, test := range map[string]struct {
		scores []int // of the players 1, 2, 3...
		me     uint16
		want   []uint16
	}{
		"nobody":           {nil, 1, nil},
		"alone":            {[]int{3}, 1, []uint16{1}},
		"by score":         {[]int{3, 9, 5}, 1, []uint16{2, 3, 1}},
		"equal, by number": {[]int{4, 4, 4}, 2, []uint16{1, 2, 3}},
		"among the best":   {[]int{1, 2, 3, 4, 5, 6, 7}, 5, []uint16{7, 6, 5, 4, 3}},
		"not among them":   {[]int{1, 2, 3, 4, 5, 6, 7}, 1, []uint16{7, 6, 5, 4, 1}},
		"nobody's":         {[]int{1, 2, 3, 4, 5, 6}, 0, []uint16{6, 5, 4, 3, 2}},
		"the fifth":        {[]int{1, 2, 3, 4, 5, 6}, 2, []uint16{6, 5, 4, 3, 2}},
	} {
		var all []object
		for i, score := range test.scores {
			v := object{rep: netcode.Replicated{Archetype: arena.ArchetypePlayer, Owner: uint16(i + 1)}, own: uint16(i+1) == test.me}
			v.pawn.Score = uint16(score)
			all = append(all, v, object{rep: netcode.Replicated{Archetype: arena.ArchetypeCrate}})
		}
		var got []uint16
		for _, v := range ranked(nil, all) {
			got = append(got, v.rep.Owner)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// The headline says which line is simulated, by its name or by its figures.
func TestLineOfTheHeadline(t *testing.T) {
	for _, test := range []struct {
		link    settings.Link
		name    string
		figures bool
	}{
		{settings.Link{Seed: 3, Ordered: true}, "", false},
		{settings.Link{Line: "handover"}, "handover", false},
		{settings.Link{Line: "handover", Loss: 0.1}, "handover", true},
		{settings.Link{Latency: time.Millisecond}, "", true},
		{settings.Link{Duplicate: 0.1}, "", true},
		{settings.Link{Reorder: 0.1}, "", true},
	} {
		if name, figures := lineOf(test.link); name != test.name || figures != test.figures {
			t.Errorf("%+v: %q, figures %v", test.link, name, figures)
		}
	}
}
