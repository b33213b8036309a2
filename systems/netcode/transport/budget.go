package transport

// Budgeted is a [Conn] that reads only so many datagrams and bytes of the other end per second. A
// server that opens a connection before it has authenticated the player marks it as untrusted. An
// untrusted connection has a tenth of the budget.
type Budgeted interface {
	Conn

	// SetUntrusted says whether the other end is untrusted. At first it is not.
	SetUntrusted(untrusted bool)
}

// SetUntrusted says whether the other end of any connection is untrusted. It does nothing for a
// connection that is not [Budgeted].
func SetUntrusted(c Conn, untrusted bool) {
	if b, is := c.(Budgeted); is {
		b.SetUntrusted(untrusted)
	}
}
