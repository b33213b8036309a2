package transport

// Stats counts the datagrams of one end of a connection. Bytes are those of the caller's datagrams,
// without the transport's overhead.
type Stats struct {
	Sent, SentBytes         uint64 // handed to the network
	Received, ReceivedBytes uint64 // returned by Recv
	// refused by Send with ErrQueueFull, or dropped from the queue towards the network
	SendDropped uint64
	// arrived, but too large, not genuine, beyond the budget, or with the queue for Recv full
	ReceiveDropped uint64
	// datagrams that wait to be handed to the network; grows when an ordered transport's reader is
	// slow
	SendQueued      int
	SendQueuedBytes int // their bytes
	// bytes that the network carries in addition to each datagram: IP, UDP or TCP, and encryption;
	// an estimate
	Overhead int
}

// ListenerStats counts the attempts to connect.
type ListenerStats struct {
	Accepted uint64 // became Open
	Refused  uint64 // turned away by an admission limit, before or during the handshake
	Failed   uint64 // handshakes that broke off or ran out of time
	Pending  int    // handshakes under way, and connections that wait for Accept
}
