package coretest

import (
	"strings"
	"testing"
)

func MustSay(t *testing.T, what string, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		text, _ := recover().(string)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s panicked with %q, which does not say %q", what, text, word)
			}
		}
	}()
	f()
	t.Errorf("%s did not panic", what)
}
