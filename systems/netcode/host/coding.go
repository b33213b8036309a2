package host

import (
	"strconv"
	"strings"
)

// coding is a form in which a file is sent: a Content-Encoding.
type coding uint8

// These are the codings in the order of preference.
const (
	brotli coding = iota
	gzip
	identity
)

// name returns the coding's name in HTTP.
func (c coding) name() string { return [...]string{"br", "gzip", "identity"}[c] }

// suffix returns the end of the names of files in the coding.
func (c coding) suffix() string { return [...]string{".br", ".gz", ""}[c] }

// choose returns the coding to send, by the values of Accept-Encoding (RFC 9110, 12.5.3): of those
// that there are the one with the highest weight, and the first of equals. Identity is acceptable
// unless it is excluded. It is also the answer to a client that accepts nothing.
func choose(accept []string, exists func(coding) bool) coding {
	weights := [3]int{-1, -1, -1} // in thousandths; -1: not named
	others := -1                  // that of *
	for _, value := range accept {
		for item := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			weight, ok := weightOf(parameters)
			if !ok {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "br":
				weights[brotli] = weight
			case "gzip", "x-gzip":
				weights[gzip] = weight
			case "identity":
				weights[identity] = weight
			case "*":
				others = weight
			}
		}
	}
	best, most := identity, 0
	for c := brotli; c <= identity; c++ {
		weight := weights[c]
		if weight < 0 {
			weight = others
		}
		if weight > most && exists(c) {
			best, most = c, weight
		}
	}
	return best
}

// weightOf reads the parameters of a coding, which are empty or a weight such as q=0.5, and returns
// the weight in thousandths.
func weightOf(parameters string) (weight int, ok bool) {
	text := strings.TrimSpace(parameters)
	if text == "" {
		return 1000, true
	}
	name, value, _ := strings.Cut(text, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0, false
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0, false
	}
	return int(q*1000 + 0.5), true
}
