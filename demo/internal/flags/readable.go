package flags

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// replaced maps removed flags to their successors.
var replaced = map[string]string{
	"-link-jitter": "-jitter, with the time by which round trips vary, such as 20ms",
}

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
	value, flag, why, ok := invalid(text)
	if !ok {
		return err
	}
	return fmt.Errorf("-%s %s: it takes %s", flag, value, cmp.Or(takes(flag), why))
}

// invalid takes the error for a value that does not parse apart: the value in quotes, the flag
// without its dash, and the reason.
func invalid(text string) (value, flag, why string, ok bool) {
	rest, ok := strings.CutPrefix(text, "invalid value ")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "invalid boolean value "); !ok {
			return "", "", "", false
		}
	}
	value, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", "", "", false
	}
	rest = strings.TrimPrefix(rest[len(value):], " for ")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "flag "), "-")
	flag, why, ok = strings.Cut(rest, ": ")
	return value, flag, why, ok
}
