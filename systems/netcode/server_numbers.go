package netcode

import "fmt"

// freeNumber returns the next number that no player has, here or elsewhere. Without NumberTaken
// there are as many numbers as places, so there is always one.
func (s *Server[S, I]) freeNumber() (uint16, error) {
	first, last, taken := s.config.FirstNumber, s.config.LastNumber, s.config.NumberTaken
	for range int(last-first) + 1 {
		n := s.next
		if s.next++; n == last {
			s.next = first
		}
		if s.Player(n) == nil && (taken == nil || !taken(n)) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("netcode: all numbers from %d to %d are taken; give this server more of them", first, last)
}
