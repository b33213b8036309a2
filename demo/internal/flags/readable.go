package flags

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// replaced maps removed flags to their successors.
var replaced = map[string]string{
	"-link-jitter": "-jitter, with the time by which round trips vary, such as 20ms",
}

// invalid matches the error for a value that does not parse.
var invalid = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^:]+): (.*)$`)

// readable words a parsing error like the other errors of the command line. takes describes the
// values of the flag of a name, without its dash. If takes returns "", the error does so.
func readable(err error, takes func(name string) string) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		if other, ok := replaced[name]; ok {
			return fmt.Errorf("there is no flag %s any more: use %s", name, other)
		}
		return fmt.Errorf("there is no flag %s", name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return fmt.Errorf("%s needs a value", name)
	}
	if m := invalid.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("-%s %s: it takes %s", m[2], m[1], cmp.Or(takes(m[2]), m[3]))
	}
	return err
}
