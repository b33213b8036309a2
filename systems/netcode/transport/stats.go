package transport

// Stats counts the datagrams of one end of a connection. Bytes are those of the caller's datagrams,
// without the transport's overhead.
type Stats struct {
	Sent, SentBytes         uint64 // handed to the network
	Received, ReceivedBytes uint64 // returned by Recv
	// SendDropped counts datagrams refused by Send with ErrQueueFull, or dropped from the queue
	// towards the network.
	SendDropped uint64
	// ReceiveDropped counts datagrams that arrived, but were too large, not genuine, beyond the
	// budget, or found the queue for Recv full.
	ReceiveDropped uint64
	// SendQueued is the number of datagrams that wait to be handed to the network. It grows if an
	// ordered transport's reader is slow.
	SendQueued      int
	SendQueuedBytes int // their bytes
	// Overhead is an estimate of the bytes that the network carries in addition to each datagram:
	// IP, UDP or TCP, and encryption.
	Overhead int
}

// ListenerStats counts the attempts to connect.
type ListenerStats struct {
	Accepted uint64 // connections that became Open
	Refused  uint64 // attempts refused by an admission limit, before or during the handshake
	Failed   uint64 // handshakes that failed or timed out
	Pending  int    // handshakes under way, and connections that wait for Accept

	// These count packets of strangers over UDP, where a sender may forge its address. They rise by
	// thousands a second in a flood. Other transports count none.

	Hellos     uint64 // first packets of handshakes
	Challenges uint64 // hellos answered by the request to prove the sender's address
	Unanswered uint64 // hellos and strangers' packets dropped because too many arrived
	Strays     uint64 // packets that are no hello and belong to no connection (dtls counts them)
}
