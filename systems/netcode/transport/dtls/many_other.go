//go:build !linux

package dtls

import "net"

// manySocketOf returns nil: on this system answers are sent from the address that routes prefer. On
// a machine with several addresses, listen on the one that links name.
func manySocketOf(*net.UDPConn) socket { return nil }
