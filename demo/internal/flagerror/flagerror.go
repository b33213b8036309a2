// Package flagerror words the flag package's errors as the rest of the command line words its own.
package flagerror

import (
	"fmt"
	"strings"
)

// Readable returns the error of parsing in such words. takes says what values a flag, named without its dash, can be given; nothing: the error stays as it is.
func Readable(err error, takes func(name string) string) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
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
