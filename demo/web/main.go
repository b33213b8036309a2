// Command web is the demo for a browser: the scenes, and a player of the arena on the page's own
// server. It is built for js and wasm:
//
//	make web
//
// builds it with its page into a folder. Command demo/web/scenes is the same without the arena, and
// smaller. The parameters of the page's address are the demo's flags, as in
// ?scene=orbits&hz=5&speed=0.5. An address that ends in # and a token is the link of a match.
package main

func main() { start() }
