// Package netcodetest plays a user's own game in a test: a server and clients in one process, on
// engines of their own, over simulated lines, in virtual time. Nothing sleeps, opens a socket or
// reads a clock. So a minute of play takes a fraction of a second, and the same seed gives the same
// run, frame for frame.
//
// A test of a game takes about ten lines. This one plays over a bad line, and then compares both
// ends:
//
//	func TestEndsAgree(t *testing.T) {
//		m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve})
//		line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Loss: 0.15})
//		held := keys{X: 1}
//		a := m.Join(line, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return held }})
//		m.Run(3*time.Second, nil) // the player joins and runs
//		held = keys{}
//		m.Run(time.Second, nil) // it stops
//		here, playing := a.State()
//		if !playing || here != m.Server.Player(a.Number()).State {
//			t.Error("both ends are apart")
//		}
//	}
//
// The functions newProtocol and serve are the game's own, as its programs use them:
//
//	func newProtocol() *netcode.Protocol[hero, keys]
//	func serve(e *ecs.Engine) netcode.ServerConfig[hero, keys]
//
// # What a test may do
//
//   - [Match.Join] at any time: the client of a late player begins with an engine of its own.
//   - Cut a line: a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})). The client dials
//     again after its Timeout. The new connection has the conditions of a.Path.
//   - [Client.Freeze] a client's process, or let it draw few frames a second (Client.Frame).
//   - Look at every frame: the function that is passed to [Match.Run] is called after each.
//   - Try many runs: for seed := range uint64(20), with Config.Seed. A test that fails prints it.
//     A match keeps its memory until its test ends: give each seed a t.Run.
package netcodetest
