package articles

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Every bad field is refused by an error that names it, and the zero value is always valid.
func TestConfigs(t *testing.T) {
	check := func(config any, field string, err error) {
		t.Helper()
		switch {
		case field == "" && err != nil:
			t.Errorf("%+v: %v", config, err)
		case field != "" && err == nil:
			t.Errorf("no error for a bad %s: %+v", field, config)
		case field != "" && !strings.Contains(err.Error(), field):
			t.Errorf("%q does not name %s", err, field)
		}
	}
	for _, test := range []struct {
		field  string
		config ViewConfig
	}{
		{"", ViewConfig{}},
		{"", ViewConfig{MaxRate: 0.005}}, // LowerRate's default follows
		{"TimeConstant", ViewConfig{TimeConstant: 1}},
		{"MaxRate", ViewConfig{MaxRate: 0.6}},
		{"MaxRate", ViewConfig{MaxRate: math.NaN()}},
		{"LowerRate", ViewConfig{LowerRate: 0.2}},
		{"Snap", ViewConfig{Snap: ms}},
	} {
		_, err := NewView(test.config)
		check(test.config, test.field, err)
	}
	for _, test := range []struct {
		field  string
		config TickPLLConfig
	}{
		{"", TickPLLConfig{}},
		{"", TickPLLConfig{TimeConstant: time.Minute}},
		{"rate", TickPLLConfig{Rate: 2000}},
		{"TimeConstant", TickPLLConfig{TimeConstant: ms}},
		{"IntegralTime", TickPLLConfig{IntegralTime: ms}},
		{"MaxSlew", TickPLLConfig{MaxSlew: -1}},
		{"MaxDrift", TickPLLConfig{MaxDrift: 1}},
		{"Snap", TickPLLConfig{Snap: 1}},
	} {
		_, err := NewTickPLL(test.config)
		check(test.config, test.field, err)
	}
}
