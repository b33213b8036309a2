// Package zones runs one world on many servers. Each server is a zone: it simulates the entities on
// its land, shows those near a border to the zone behind it, and hands over what crosses. Players
// cross without a correction and without a loading screen.
//
//	protocol := ...           // the game's own, as for one server
//	names.Replicate(protocol) // on both ends
//	links, err := zones.DTLS(":7800", "10.0.0.1:7800", nil)
//	zone, err := zones.New(ctx, protocol, zones.Config[hero, buttons]{
//		NATS: "nats://n1,nats://n2,nats://n3", World: "vale", Zone: "north", Dir: "/var/lib/vale/north",
//		Address: "tandem://play1.example.org:7777#FINGERPRINT", Links: links,
//		Server: config, // as for one server
//		Spawn:  spawn,  // makes an entity that shows one of another zone
//	})
//	engine.Install(zone) // in the place of the server
//
// # What a game changes
//
//   - Entities of other zones are in the world too, marked as [Ghost]. Systems that change entities
//     leave them out. A system that wants something of one sends an event to it ([Zone.Send]), or
//     claims the entity because a player pushes it ([Zone.Claim]).
//   - A component that only servers have travels if it is named by [Carry].
//   - Clients set DialAt, and both ends call names.Replicate.
//
// # Who owns what
//
// NATS keeps a record of each zone: a lease that the process renews every two seconds, and the
// addresses. A process whose lease is over stops simulating before another one can take the zone
// (package custody says how entities survive all this). The state of ticks goes directly from zone
// to zone, so hand-overs go on while NATS is away, for as long as the leases hold.
//
// Once a second a zone writes a checkpoint to NATS. A process that crashes loses what it did since
// the newest one, at most about a second. Begin it again at once, in the same folder: a supervisor
// does that. When the zone has ended by itself ([Zone.Done]), end the process, too.
//
// # Limits
//
// Physics and transactions do not span zones: a ghost is immovable, and an event takes some
// milliseconds. Flying shots of netcode.PredictShots stay with the zone that fired them, and other
// zones do not show them. Spectators and bots of Server.AddBot stay with their zone. Values of
// netcode.MatchState are one zone's: set the same ones in all. Clocks follow each other over links,
// within about a millisecond in one data centre. Worlds reach 16 km from the origin.
package zones
