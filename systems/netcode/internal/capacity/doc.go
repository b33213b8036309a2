// Package capacity measures what one server costs by itself, and tests that its bytes do not depend
// on how it shares its work. Its clients are ghosts: they acknowledge packets and send inputs, but
// show nothing.
//
//	go test ./systems/netcode/internal/capacity -run '^$' -bench Alone -benchtime 1x
//
// prints a row for each number of players and of entities, and the hash of all bytes that the
// server has sent. Two commits are compared by two programs that `go test -c` has built, which run
// in turn. -bench DTLS measures the largest scene in real time over encrypted UDP, with the clients
// in a second process.
package capacity
