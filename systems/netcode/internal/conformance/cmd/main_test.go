package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrongFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-out", t.TempDir() + "/nowhere"}, "no such directory"},
		{[]string{"docs"}, "is no flag"},
		{[]string{"-colour"}, "flag provided but not defined"},
	} {
		var errs bytes.Buffer
		if code := run(tt.args, &errs); code != 2 || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%v: exit code %d, %q", tt.args, code, errs.String())
		}
	}
}

func TestProgressIsMonotone(t *testing.T) {
	var out bytes.Buffer
	done := progress(&out, 300)
	for range 300 {
		done()
	}
	if got := out.String(); strings.Count(got, "\r") != 101 || !strings.HasPrefix(got, "\r  0 %\r  1 %") || !strings.HasSuffix(got, "\r100 %\n") {
		t.Errorf("printed %q", got)
	}
}
