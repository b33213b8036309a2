package interp

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for i, k := range Kinds() {
		if int(k) != i {
			t.Errorf("Kinds()[%d] is %v", i, k)
		}
		name := k.String()
		if name == "" || seen[name] || strings.ToLower(name) != name || strings.Contains(name, " ") {
			t.Errorf("kind %d is called %q: want a unique lower-case word", k, name)
		}
		seen[name] = true
		for _, text := range []string{name, strings.ToUpper(name)} {
			if got, err := ParseKind(text); err != nil || got != k {
				t.Errorf("ParseKind(%q) = %v, %v", text, got, err)
			}
		}
		if d := k.Display(); d == "" || utf8.RuneCountInString(d) > 20 {
			t.Errorf("%v is displayed as %q", k, d)
		}
		if New(k, Config{}) == nil {
			t.Errorf("New(%v) is nil", k)
		}
	}
	if k, err := ParseKind(""); k != Default || err != nil {
		t.Errorf("the empty name is %v, %v; want the default", k, err)
	}
	_, err := ParseKind("cubicle")
	if err == nil || !strings.Contains(err.Error(), "cubicle") || !strings.Contains(err.Error(), "default, naive") {
		t.Errorf("the error must name what was asked for and what there is: %v", err)
	}
	if s := Kind(200).String(); s != "Kind(200)" || Kind(200).Display() != s {
		t.Errorf("an unknown kind is called %q", s)
	}
}

func TestNewPanicsWithTheRemedy(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "ParseKind") {
			t.Errorf("panics with %q", text)
		}
	}()
	New(Kind(200), Config{})
}

func TestConfigDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	want := Config{
		Interval: time.Second / 30, Blend: time.Second / 30, Extrapolation: 100 * ms, Horizon: 250 * ms, ResumeAfter: 3 * time.Second,
	}
	if c != want {
		t.Errorf("the zero Config means %+v, documented is %+v", c, want)
	}
	if c := (Config{Horizon: -1, Extrapolation: -1, ResumeAfter: -1}).withDefaults(); c.Horizon != 0 || c.Extrapolation != 0 || c.ResumeAfter != 0 {
		t.Errorf("negative means none: %+v", c)
	}
}
