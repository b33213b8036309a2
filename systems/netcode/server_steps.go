package netcode

import "time"

// frame runs in every frame.
func (s *Server[S, I]) frame() {
	s.steer()
	s.receiveAll()
}

// receiveAll receives everything that has arrived. It runs in every frame and before each step.
func (s *Server[S, I]) receiveAll() {
	now := s.real()
	s.skipSteps()
	s.logWithheld(s.refusalLines.take(now), s.joins.take(now)+s.kickLines.take(now))
	s.config.Listener.Poll(now)
	for {
		conn, ok := s.config.Listener.Accept()
		if !ok {
			break
		}
		s.accept(conn, now)
	}
	s.receiveWaiting(now)
	for p := range s.all {
		s.receive(p, now)
		s.sendMove(p, now)
	}
	s.receiveGuests(now)
}

// skipSteps excuses the inputs that players sent for ticks that this server has skipped: such
// players are not too fast.
func (s *Server[S, I]) skipSteps() {
	step := time.Second / time.Duration(s.protocol.TickRate())
	n := int64((s.engine.Time().Dropped - s.dropped) / step)
	if n == 0 {
		return
	}
	s.dropped += time.Duration(n) * step
	for p := range s.all {
		p.inputs.Skip(n)
	}
}

// beginStep runs before gameplay. It asks the bots for their inputs, runs every player's inputs of
// this tick, each by Player.step in server_player.go, and steps the bodies.
func (s *Server[S, I]) beginStep() {
	s.receiveAll()
	now := s.now()
	t := s.Tick()
	for _, m := range s.protocol.matchStates {
		m.trim(t)
	}
	if len(s.protocol.movers) > 0 {
		s.replication.move(s.protocol.movers, t.Add(1))
	}
	s.think(t)
	for _, k := range s.shots {
		k.move(t)
	}
	for p := range s.all {
		p.step(t, now)
	}
	s.skipGuests(now)
	s.stepped = t.Add(1)
	if s.bodies != nil {
		s.bodies.step(t)
	}
	for p := range s.all {
		p.writePose()
	}
}

// endStep runs after gameplay. It collects changes and sends the snapshots that are due.
func (s *Server[S, I]) endStep() {
	for p := range s.all {
		s.setOwner(p) // the game may have changed the entity
		p.mend()
	}
	if len(s.protocol.matchStates) > 0 && len(s.protocol.movers) > 0 {
		// A value that gameplay has set for the next tick may be part of a mover's path.
		s.replication.move(s.protocol.movers, s.Tick().Add(1))
	}
	s.collectChanges()
	for _, k := range s.shots {
		k.note(s.Tick())
	}
	t := s.engine.Time()
	after := Tick(t.Tick) + 1
	s.recordMoments(int64(t.Tick) + 1)
	s.selectDue(t.Tick)
	if len(s.encoding.due) > 0 || len(s.recordings) > 0 || s.neighbors > 0 {
		s.commit()
	}
	s.sortDue()
	s.encodeDue(after)
	if len(s.recordings) > 0 {
		s.record(after)
	}
}
