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
		{[]string{"-workers", "0"}, "use 1 or more"},
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
	if progress(nil, true) != nil {
		t.Error("quiet, and yet it reports")
	}
	var out bytes.Buffer
	report := progress(&out, false)
	for _, done := range []int{1, 2, 1, 150, 300} {
		report(done, 300)
	}
	if got := out.String(); got != "\r  0 %\r 50 %\r100 %\n" {
		t.Errorf("printed %q", got)
	}
}
