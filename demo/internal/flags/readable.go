package flags

import (
	"fmt"
	"strings"
)

// replaced maps removed flags to their successors.
var replaced = map[string]string{
	"-link-jitter": "-jitter, with the time by which round trips vary, such as 20ms",
}

// readable words a parsing error like the other errors of the command line. takes describes the
// values of the flag of a name, without its dash. If takes returns "", the error stays as it is.
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
	// invalid value "x" for flag -hz: parse error
	var value, name string
	for _, form := range []string{"invalid value %q for flag -%s", "invalid boolean value %q for -%s"} {
		if n, _ := fmt.Sscanf(text, form, &value, &name); n == 2 {
			name = strings.TrimSuffix(name, ":")
			if kind := takes(name); kind != "" {
				return fmt.Errorf("-%s %q: it takes %s", name, value, kind)
			}
		}
	}
	return err
}
