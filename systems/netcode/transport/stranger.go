package transport

// Budgeted is a [Conn] that looks at so many datagrams and bytes of the other end per second, and
// no more. A server that lets a connection in before it knows who is there says so: a stranger has
// a tenth of the budget.
type Budgeted interface {
	Conn

	// SetStranger says whether the other end is a stranger. At first it is none.
	SetStranger(stranger bool)
}

// SetStranger says whether the other end of any connection is a stranger, which matters to those
// that are [Budgeted].
func SetStranger(c Conn, stranger bool) {
	if b, is := c.(Budgeted); is {
		b.SetStranger(stranger)
	}
}
