package transport

// Budgeted is a [Conn] that reads a bounded number of datagrams and bytes of the other end per
// second. A server that opens a connection before it has authenticated the player marks it as
// untrusted. An untrusted connection has a tenth of the budget.
type Budgeted interface {
	Conn

	// SetUntrusted marks the other end as untrusted or trusted. A new connection is trusted.
	SetUntrusted(untrusted bool)
}

// SetUntrusted marks the other end of any connection as untrusted or trusted. It does nothing for a
// connection that is not [Budgeted].
func SetUntrusted(c Conn, untrusted bool) {
	if b, is := c.(Budgeted); is {
		b.SetUntrusted(untrusted)
	}
}
