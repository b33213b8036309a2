package linksim

import (
	"slices"
	"sort"
	"time"
)

// flight is a datagram under way.
type flight struct {
	at       time.Duration // arrival
	datagram []byte
}

// flights are the datagrams under way in the reverse order of their arrival. Of those that arrive
// at one time, the one that was pushed first is the last.
type flights []flight

// earliest returns the arrival of the next datagram, and false if none is under way.
func (f flights) earliest() (at time.Duration, ok bool) {
	if len(f) == 0 {
		return 0, false
	}
	return f[len(f)-1].at, true
}

func (f *flights) push(at time.Duration, datagram []byte) {
	i := sort.Search(len(*f), func(i int) bool { return (*f)[i].at <= at })
	*f = slices.Insert(*f, i, flight{at, datagram})
}

// pop removes the earliest datagram.
func (f *flights) pop() []byte {
	last := len(*f) - 1
	datagram := (*f)[last].datagram
	*f = (*f)[:last]
	return datagram
}
