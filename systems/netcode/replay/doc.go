// Package replay keeps recorded matches: in files, or as a ring of the last seconds in memory.
//
// A [File] or a [Ring] takes the recording, and a [Tape] gives it back. The server or the client
// writes frames in each step, and a [Cursor] reads them again in order, from any keyframe on. A
// frame is mostly a snapshot packet: the same bytes that a client with a perfect line would get.
// Package netcode writes and plays them. This package knows bytes and ticks only, no world.
//
// A recording of kind [Exact] is a capture: what one client took from outside, in frames of kind
// [Events]. It has one keyframe, at its begin. So a File that lost a part of it, or a damaged file,
// plays up to there.
//
// # The file
//
// A file is a header, chunks, an index and a trailer, all little-endian:
//
//	header   "TANDEMRP", format (uint32), length of the JSON (uint32), CRC-32C, JSON of [Info]
//	chunk    33 bytes, and a second of frames, packed by DEFLATE or as they are
//	index    a chunk of another mark: where the chunks are, and the marks of the match
//	trailer  "TRPE", the place of the index (uint64), CRC-32C
//
// A program that ends without [File.Close] leaves no index: the chunks are then found one by one.
// A cut file plays up to its last whole chunk. After a damaged chunk it goes on at the next
// keyframe. Each chunk has a checksum, so damage does not play.
//
// Files may come from strangers. Reading one takes memory in proportion to its size, at most 4 MiB
// for a chunk, and neither panics nor loops.
//
// The format is read for ever: a later version of this package reads the files of this one. What
// the frames hold is the game's protocol of its day; [Info].Hello tells whether a program has it.
package replay
