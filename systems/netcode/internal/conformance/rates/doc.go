// Package rates measures the costs and gains of the choice of rates. Its tests play matches of the
// whole product (package match) at several tick, snapshot and action rates over several networks,
// and compare the figures with the tables of docs/tuning.md. With the flag -write they measure
// every row and write the tables:
//
//	go test ./systems/netcode/internal/conformance/rates -write
//
// Package report compares ways to draw a body, from the same packets and with exact times of
// arrival. Here encryption is counted too.
package rates
