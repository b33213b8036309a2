//go:build !linux

package dtls

import "net"

// manySocketOf returns nil: on this system answers leave from the address that routes prefer. Where
// a machine has several, listen on the one that links name.
func manySocketOf(*net.UDPConn) socket { return nil }
