package rules

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

// Lengths of phases; [Config] has that of a round.
const (
	warmUp   = 10 * time.Second
	overTime = 8 * time.Second
)

// ticks returns a time in ticks.
func (m *Match) ticks(d time.Duration) int { return int(d * time.Duration(m.rules.Rate) / time.Second) }

// stepRound announces the next phase as soon as one begins.
func (m *Match) stepRound() {
	if m.config.Round == 0 {
		return
	}
	now := m.server.Tick()
	at := m.rules.RoundAt(now)
	if at.Phase == arena.Endless { // the first step
		at = arena.Round{Phase: arena.WarmUp, Ends: now.Add(1 + m.ticks(warmUp))}
		m.rules.Round.Set(at, now.Add(1))
		return
	}
	if at.Phase == m.phase {
		return
	}
	switch m.phase = at.Phase; m.phase {
	case arena.WarmUp:
		m.server.Players(m.reset)
	case arena.Running:
		m.server.Mark("the round begins", 0)
	case arena.Over:
		m.server.Mark("the round is over", 0)
	}
	m.rules.Round.Set(m.following(at), at.Ends)
}

// following returns the phase after one.
func (m *Match) following(at arena.Round) arena.Round {
	next, length := arena.WarmUp, warmUp
	switch at.Phase {
	case arena.WarmUp:
		next, length = arena.Running, m.config.Round
	case arena.Running:
		next, length = arena.Over, overTime
	}
	return arena.Round{Phase: next, Ends: at.Ends.Add(m.ticks(length))}
}

// reset takes a player's score back, and heals the player.
func (m *Match) reset(p *Player) {
	if pawn := m.pawn(p); pawn != nil {
		pawn.Score, pawn.Health = 0, arena.FullHealth
	}
}
