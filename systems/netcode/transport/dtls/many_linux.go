package dtls

import (
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
)

// manySocket is a socket on all of a machine's addresses. There may be many: several of IPv4, or
// those of IPv6 that change every day. By default the kernel answers from the address that its
// routes prefer, and a client that has dialed another one drops the answer. The socket therefore
// asks the kernel for the address that each datagram was sent to (RFC 3542, 6.2; ip(7),
// IP_PKTINFO), and answers from there.
type manySocket struct {
	*net.UDPConn
	level, kind int32 // of the control message
	control     [128]byte
}

// manySocketOf returns nil for a socket with one address, or if the kernel does not report
// addresses.
func manySocketOf(udp *net.UDPConn) socket {
	at, ok := udp.LocalAddr().(*net.UDPAddr)
	if !ok || !at.IP.IsUnspecified() {
		return nil
	}
	level, option, kind := syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, syscall.IPV6_PKTINFO
	if at.IP.To4() != nil {
		level, option, kind = syscall.IPPROTO_IP, syscall.IP_PKTINFO, syscall.IP_PKTINFO
	}
	raw, err := udp.SyscallConn()
	if err != nil {
		return nil
	}
	failed := raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), level, option, 1) })
	if err != nil || failed != nil {
		return nil
	}
	return &manySocket{UDPConn: udp, level: int32(level), kind: int32(kind)}
}

// read is for one goroutine at a time.
func (s *manySocket) read(b []byte) (int, netip.AddrPort, []byte, error) {
	n, controls, _, from, err := s.ReadMsgUDPAddrPort(b, s.control[:])
	if err != nil {
		return n, netip.AddrPort{}, nil, err
	}
	return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), s.wayBack(s.control[:controls]), nil
}

// wayBack changes the control message of a datagram, in place, into that of an answer to it, or
// returns nil.
func (s *manySocket) wayBack(controls []byte) []byte {
	const header = syscall.SizeofCmsghdr // a length in machine words, level and kind
	if len(controls) < header {
		return nil
	}
	length := uint64(binary.NativeEndian.Uint32(controls))
	if header == 16 {
		length = binary.NativeEndian.Uint64(controls)
	}
	if length < header || length > uint64(len(controls)) {
		return nil
	}
	level, kind := int32(binary.NativeEndian.Uint32(controls[header-8:])), int32(binary.NativeEndian.Uint32(controls[header-4:]))
	data := controls[header:length]
	switch {
	case level != s.level || kind != s.kind: // nothing else was requested
		return nil
	case level == syscall.IPPROTO_IPV6 && len(data) == syscall.SizeofInet6Pktinfo:
		clear(data[16:]) // after the address: the interface, which routes decide
	case level == syscall.IPPROTO_IP && len(data) == syscall.SizeofInet4Pktinfo:
		clear(data[:4]) // before the address: likewise
		clear(data[8:]) // after it: the destination, which may be a group
	default:
		return nil
	}
	return controls[:length]
}

func (s *manySocket) write(b []byte, to netip.AddrPort, via []byte) error {
	_, _, err := s.WriteMsgUDPAddrPort(b, via, to)
	if err != nil && via != nil { // for example, the address is not this machine's any more
		_, err = s.WriteToUDPAddrPort(b, to)
	}
	return err
}
