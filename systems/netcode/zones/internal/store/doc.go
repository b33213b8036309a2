// Package store keeps what the zones of a world share in NATS: records with epochs and leases, the
// map, the time of the first tick, and checkpoints. It also carries questions to all zones.
//
// All of NATS is spoken on goroutines of this package. The engine's goroutine starts work by
// methods that return at once, and takes what has happened by Hold.Poll.
//
// # Buckets
//
// World W has two buckets of JetStream's key-value store, in files, on three servers if NATS is a
// cluster:
//
//	tandem_world_W
//	    map              the map in JSON
//	    origin           the wall time of tick 0
//	    zone.NAME        the record of a zone, written again for each renewal of its lease
//	tandem_saves_W
//	    NAME.head        which checkpoints are whole
//	    NAME.EPOCH.SLOT.PART
//
// A write of a record, of the map or of a head is a compare-and-set by the revision of the one
// before. A head that a new process has taken fails the next head of the former process, so a
// process that wakes late can finish no checkpoint. A checkpoint counts when its head is written,
// which is after all of its parts. The one before it stays. Parts go to slots in turn, so nothing
// needs to be deleted while a process runs.
//
// # Subjects, for the permissions of NATS
//
// Each world has an account of its own, and each zone has an nkey. Zone NAME of world W may publish
// to these subjects, and needs no others:
//
//	$KV.tandem_world_W.zone.NAME              its record
//	$KV.tandem_saves_W.NAME.>                 its checkpoints
//	$JS.API.INFO
//	$JS.API.STREAM.INFO.KV_tandem_world_W     and the same for KV_tandem_saves_W
//	$JS.API.DIRECT.GET.KV_tandem_world_W.>    and the same for KV_tandem_saves_W
//	$JS.API.DIRECT.GET.KV_tandem_saves_W      its checkpoints, by revision
//	$JS.API.CONSUMER.*.KV_tandem_world_W.>    and the same for KV_tandem_saves_W
//	$JS.FC.>                                  flow control of a watch
//	tandem.W.who, tandem.W.tick               questions to all zones
//
// It answers questions, so it also needs allow_responses. It subscribes to tandem.W.who,
// tandem.W.tick, tandem.W.drain.NAME and _INBOX.>.
//
// An operator writes map and origin, makes the buckets and asks zones to drain:
// $KV.tandem_world_W.>, $JS.API.> and tandem.W.drain.*. The first Open of a world makes the buckets
// and the first call of Origin writes it, so `zones map FILE` comes before the first zone where
// zones have no such rights.
package store
