// Package rates measures the costs and gains of the choice of rates. It runs the whole product, a
// server and two clients on engines of their own, at several tick, snapshot and action rates over
// several networks.
//
// The parent package compares ways to draw a body, from the same packets and with exact times of
// arrival. This package includes all costs of a game: sockets are read once per frame, packets also
// carry the own player's state and the feedback on its inputs, inputs are sent again until they are
// acknowledged, and encryption is counted.
//
// [Run] measures one [Setting]. [Tables] are those of docs/tuning.md, which `make conformance`
// writes. A test of this package fails when the page no longer matches the code. Time is virtual,
// every random draw is seeded, and figures are rounded.
package rates
