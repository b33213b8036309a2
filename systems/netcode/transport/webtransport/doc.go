// Package webtransport carries datagrams over WebTransport, which is QUIC, for browsers and for
// programs.
package webtransport
