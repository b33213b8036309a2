// Package rates measures what the choice of rates costs and gains: the whole product, a server and
// two clients on engines of their own, at several tick, snapshot and action rates over several
// networks.
//
// The parent package compares ways to draw a body, from the same packets and with exact times of
// arrival. This package includes everything that a game pays for: sockets are read once per frame,
// the own player's state and the feedback on its inputs travel along, inputs are sent again until
// they are acknowledged, and encryption is counted.
//
// [Run] measures one [Setting]. [Tables] are those of docs/tuning.md, which `make conformance`
// writes. A test of this package fails when the page no longer matches the code. Time is virtual,
// every random draw is seeded, and figures are rounded.
package rates
