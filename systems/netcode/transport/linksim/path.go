package linksim

import (
	"fmt"
	"strings"
)

// Path is the condition of both directions, as one end sees them. The draws of the two are
// independent even with one seed.
type Path struct{ Send, Receive Condition }

// Symmetric returns the path on which both directions are alike.
func Symmetric(c Condition) Path { return Path{c, c} }

// String returns the path as one line that [ParsePath] reads back: "SEND | RECEIVE", or one
// condition if they are alike.
func (p Path) String() string {
	send, receive := p.Send.String(), p.Receive.String()
	if send == receive {
		return send
	}
	return send + " | " + receive
}

// ParsePath reads the text of [Path.String]: one condition for both directions, or two with a | in
// between.
func ParsePath(text string) (Path, error) {
	first, second, two := strings.Cut(text, "|")
	send, err := Parse(first)
	if err != nil {
		return Path{}, err
	}
	if !two {
		return Symmetric(send), nil
	}
	receive, err := Parse(second)
	if err != nil {
		return Path{}, fmt.Errorf("after the |: %w", err)
	}
	return Path{send, receive}, nil
}

// Links returns a link for each direction, with independent draws, or the error of
// [Condition.Validate].
func (p Path) Links() (send, receive *Link, err error) {
	if err := p.validate(); err != nil {
		return nil, nil, err
	}
	send, receive = p.links(0)
	return send, receive, nil
}

func (p Path) validate() error {
	if err := p.Send.Validate(); err != nil {
		return fmt.Errorf("sending: %w", err)
	}
	if err := p.Receive.Validate(); err != nil {
		return fmt.Errorf("receiving: %w", err)
	}
	return nil
}

// links returns the links of connection number n of several that share the path's seeds. The path
// is valid.
func (p Path) links(n uint64) (send, receive *Link) {
	return newLink(p.Send, 2*n), newLink(p.Receive, 2*n+1)
}
