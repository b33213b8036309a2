package netcode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

const (
	// maxCatchUp is the most ticks that Import runs at once, and the most that it may be early.
	maxCatchUp = prediction.Ahead
	// An imported player without a connection is expected for at least leastExpected.
	leastExpected = 5 * time.Second
)

// Import adds a player that [Server.Export] has written on another server. If its client visits
// this server ([Server.Invite]), it goes on here at once, with the inputs that it has sent here.
// Else it is expected back, for Grace and at least 5 s, until its client connects here. Joined,
// Authenticate and Confirmed are not called for it, and Left is called once it leaves.
//
// Enter returns the player's entity, as Joined does. It may change the player's State, where that
// names entities of the other server. It is called when nothing can fail any more. Then the player
// is at the tick of this server: it runs at once the ticks that it has missed on the way, at most
// 128, and waits if it has come before its tick. Call Import while no query is open.
//
// An error changes nothing. It reports bytes that are no player of this protocol, a number that is
// in use here, a full or draining server, and a tick more than 128 ahead.
func (s *Server[S, I]) Import(data []byte, enter func(p *Player[S, I]) arche.Entity) (*Player[S, I], error) {
	if enter == nil {
		panic("netcode: Import without a function; pass one that returns the player's entity")
	}
	switch {
	case s.engine == nil || s.closed:
		return nil, errors.New("netcode: no import on a server whose engine does not run")
	case s.draining.Code != transport.NoReason:
		return nil, fmt.Errorf("netcode: no import on a server that drains: %v", s.draining)
	}
	slot := slices.Index(s.players, nil)
	if slot < 0 {
		return nil, fmt.Errorf("netcode: no import beside %d players; raise ServerConfig.MaxPlayers", len(s.players))
	}
	p, err := s.readPlayer(data)
	if err != nil {
		return nil, err
	}
	if s.Player(p.number) != nil {
		return nil, fmt.Errorf("netcode: no import of player %d, whose number is in use here; give each server other numbers", p.number)
	}
	s.players[slot], p.slot = p, slot
	s.stats.Imported++
	s.seatVisitor(p)
	p.Entity = enter(p)
	s.checkShown(p.Entity, "the function given to Import")
	s.setOwner(p)
	s.board(p)
	s.catchUp(p)
	s.logJoin(p, "imported")
	return p, nil
}

// readPlayer reads an exported player that has no place here yet. The bytes may be anything.
func (s *Server[S, I]) readPlayer(data []byte) (*Player[S, I], error) {
	if len(data) == 0 || len(data) > maxExport || data[0] != exportFormat {
		return nil, errors.New("netcode: these bytes are no exported player; is that the same build?")
	}
	r := NewReader(data[1:])
	if err := s.protocol.schema.CheckHello(&r); err != nil {
		return nil, fmt.Errorf("netcode: no import of a player: %w", err)
	}
	if arrival := r.Bool(); arrival != (s.config.InputMode == OnArrival) {
		return nil, errors.New("netcode: no import of a player of another InputMode; give all servers the same")
	}
	now := s.real()
	p := &Player[S, I]{server: s, begins: Tick(r.Bits(32)), confirmed: true, foreign: true, receivedAt: now, lines: logLimit{most: mostOfPlayer}}
	p.lostAt = now + max(leastExpected-s.config.Grace, 0)
	p.resumePacer = bucket.NewPaced(comebacksPerSecond, maxComebacks)
	p.inputs = newPlayerInputs(p)
	if err := p.read(&r, now); err != nil {
		return nil, fmt.Errorf("netcode: no import of a player: %w", err)
	}
	if ahead := p.begins.Sub(s.stepped); ahead > maxCatchUp {
		return nil, fmt.Errorf("netcode: no import of player %d, which is %d ticks ahead; the servers must count the same ticks (ServerConfig.FirstTick)", p.number, ahead)
	}
	p.pace = newPace(s.config.Bandwidth, s.config.SnapshotRate+s.config.Bandwidth/p.mtu)
	if err := s.newSession(p, p.mtu, p.rate); err != nil {
		return nil, err
	}
	if s.config.Interest.Radius > 0 {
		slots := s.protocol.schema.Config().MaxEntities
		p.near, p.was = newBitset(slots), newBitset(slots)
	}
	p.pacer = s.newPacer(p.mtu)
	return p, nil
}

// read reads what export wrote. Its error is the reader's.
func (p *Player[S, I]) read(r *Reader, now time.Duration) error {
	game := &p.server.protocol.game
	p.number = uint16(r.Bits(16))
	p.secret.read(r)
	p.session = uint8(r.Bits(sessionBits))
	for i := range p.previous {
		p.previous[i] = byte(r.Bits(8))
	}
	p.token = readBytes(r, MaxToken)
	p.rate, p.mtu = int(r.Bits(8)), int(r.Bits(16))
	customer := readBytes(r, maxCustomer)
	age := r.Uvarint()
	p.joinedAt = now - time.Duration(min(age, math.MaxInt32))*time.Second
	p.State = game.States.Read(r)
	var zero I
	p.Input = game.Inputs.Read(r, zero)
	p.jumps = uint8(r.Bits(8))
	for i := range p.launched[:len(p.server.shots)] {
		p.launched[i] = uint8(r.Bits(8))
	}
	p.frame = readPose(r)
	if p.number == 0 || p.rate == 0 || p.mtu < minMTU || !prediction.Comparable(p.Input) || p.customer.UnmarshalBinary(customer) != nil {
		r.Fail(packet.ErrMalformed)
	}
	if r.Err() != nil {
		return r.Err()
	}
	p.resumeID = p.secret.key()
	clock := p.server.now()
	switch in := p.inputs.(type) {
	case *tickInputs[S, I]:
		if err := in.Carried(r, game.Inputs, clock); err != nil {
			return err
		}
		in.views.carried(r, in.Tick())
		if in.Tick() != p.begins {
			r.Fail(packet.ErrMalformed)
		}
	case *arrivalInputs[S, I]:
		if err := in.Carried(r, game.Inputs, clock); err != nil {
			return err
		}
		in.age = r.Varint()
	}
	return r.Close()
}

// board makes the movement base of an imported player's state the one that it has, so that no
// change of the base is seen, if its entity is a child of that base already.
func (s *Server[S, I]) board(p *Player[S, I]) {
	if s.protocol.game.MovementBase == nil {
		return
	}
	by := s.protocol.game.MovementBase(p.State)
	carrier := s.baseEntity(by)
	if by.Mover != 0 && carrier.IsZero() || !carrier.IsZero() && s.has(p.Entity) && s.parentOf(p.Entity) == carrier {
		p.base = by
	}
	if by.Body != NoEntity && p.base == by {
		p.frame = s.worldPose(carrier).Normalize()
	}
}

// catchUp runs the ticks that a player has missed.
func (s *Server[S, I]) catchUp(p *Player[S, I]) {
	if in, ok := p.inputs.(*tickInputs[S, I]); ok {
		missed := s.stepped.Sub(p.begins)
		for k := range min(missed, maxCatchUp) {
			p.step(p.begins.Add(int(k)), s.now())
		}
		if missed > maxCatchUp {
			in.Buffer.Reset(s.stepped)
			in.views = viewClaims{}
		}
		p.early = missed < 0
	}
	p.writePose()
}
