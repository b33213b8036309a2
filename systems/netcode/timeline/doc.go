// Package timeline tells why a body moved as it did on a client. A [Log] keeps the facts that the
// client knew: when each snapshot arrived, how far behind the body was drawn, when it had no data,
// when the own player was corrected, and how long the machine's frames were.
//
// The client writes the log (netcode's Client.Watch), for the bodies that it is asked to watch and
// always for the own player. A log takes no part in the game, and a client without one does no work
// for it.
//
//	log := timeline.New(0)
//	client.Watch(log, id)
//	... // play until it happens
//	err := log.Clip(now-10*time.Second, now).WriteHTML(file)
//
// # Units
//
// Times are those of the client's engine (ecs.Time.Real), so a run in virtual time and the exact
// rerun of a capture give the same log. Delays and ages are in seconds, lengths in units of length,
// speeds in units per second. Delays and lateness have one zero: the moment at which the fastest
// packets of the last seconds bring a snapshot. So a snapshot is in time if its lateness is below
// the delay that the picture has.
//
// # Looking at it
//
// [Log.WriteHTML] writes a page with plots, which needs nothing else. [Log.WriteChrome] writes the
// trace-event format for Perfetto's viewer. [Log.Tracks] gives what both show, for pictures of a
// game's own.
package timeline
