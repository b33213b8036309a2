package clocksync

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Every bad field is refused by an error that names it, and the zero value is always valid.
func TestConfigs(t *testing.T) {
	make := map[string]func(any) error{
		"ReferenceConfig":  func(c any) error { _, err := NewReference(c.(ReferenceConfig)); return err },
		"SimulationConfig": func(c any) error { _, err := NewSimulation(c.(SimulationConfig)); return err },
		"LeadConfig":       func(c any) error { _, err := NewLead(c.(LeadConfig)); return err },
	}
	for _, test := range []struct {
		kind, field string
		config      any
	}{
		{"ReferenceConfig", "", ReferenceConfig{}},
		{"ReferenceConfig", "Window", ReferenceConfig{Window: time.Second}},
		{"ReferenceConfig", "Window", ReferenceConfig{Window: time.Hour}},
		{"ReferenceConfig", "Window", ReferenceConfig{Window: -1}},
		{"ReferenceConfig", "MinSpan", ReferenceConfig{MinSpan: ms}},
		{"ReferenceConfig", "MinSpan", ReferenceConfig{MinSpan: 61 * time.Second}},
		{"ReferenceConfig", "MaxDrift", ReferenceConfig{MaxDrift: -0.1}},
		{"ReferenceConfig", "MaxDrift", ReferenceConfig{MaxDrift: 0.1}},
		{"ReferenceConfig", "MaxDrift", ReferenceConfig{MaxDrift: math.NaN()}},
		{"ReferenceConfig", "MaxRTT", ReferenceConfig{MaxRTT: -1}},
		{"ReferenceConfig", "MaxRTT", ReferenceConfig{MaxRTT: time.Hour}},
		{"ReferenceConfig", "Bleed", ReferenceConfig{Bleed: math.Inf(1)}},
		{"ReferenceConfig", "Bleed", ReferenceConfig{Bleed: -1}},
		{"SimulationConfig", "", SimulationConfig{}},
		{"SimulationConfig", "rate", SimulationConfig{Rate: 1001}},
		{"SimulationConfig", "TimeConstant", SimulationConfig{TimeConstant: ms}},
		{"SimulationConfig", "TimeConstant", SimulationConfig{TimeConstant: time.Minute}},
		{"SimulationConfig", "MaxStretch", SimulationConfig{MaxStretch: 0.051}},
		{"SimulationConfig", "MaxStretch", SimulationConfig{MaxStretch: math.NaN()}},
		{"SimulationConfig", "SnapTicks", SimulationConfig{SnapTicks: -1}},
		{"SimulationConfig", "SnapTime", SimulationConfig{SnapTime: time.Hour}},
		{"LeadConfig", "", LeadConfig{}},
		{"LeadConfig", "rate", LeadConfig{Rate: -1}},
		{"LeadConfig", "Redundancy", LeadConfig{Redundancy: 33}},
		{"LeadConfig", "Batch", LeadConfig{Batch: 65}},
		{"LeadConfig", "Quantile", LeadConfig{Quantile: 1.1}},
		{"LeadConfig", "Quantile", LeadConfig{Quantile: math.NaN()}},
		{"LeadConfig", "MaxLead", LeadConfig{MaxLead: time.Hour}},
		{"LeadConfig", "MaxAge", LeadConfig{MaxAge: -1}},
	} {
		switch err := make[test.kind](test.config); {
		case test.field == "" && err != nil:
			t.Errorf("%+v: %v", test.config, err)
		case test.field != "" && err == nil:
			t.Errorf("%s: no error for a bad %s: %+v", test.kind, test.field, test.config)
		case test.field != "" && !strings.Contains(err.Error(), test.field):
			t.Errorf("%s: %q does not name %s", test.kind, err, test.field)
		}
	}
}

func TestClientConfig(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{}, ""},
		{Config{Rate: 30}, ""},
		{Config{Rate: 30, Lead: LeadConfig{Rate: 30}, Simulation: SimulationConfig{Rate: 30}}, ""},
		{Config{Rate: 30, Lead: LeadConfig{Rate: 60}}, "set Config.Rate alone"},
		{Config{Simulation: SimulationConfig{Rate: 60}}, "set Config.Rate alone"},
		{Config{Rate: -1}, "rate"},
		{Config{Reference: ReferenceConfig{Bleed: 1}}, "Bleed"},
		{Config{Simulation: SimulationConfig{MaxStretch: 1}}, "MaxStretch"},
		{Config{Lead: LeadConfig{Batch: -1}}, "Batch"},
	} {
		_, err := NewClient(test.config)
		if test.want == "" && err != nil {
			t.Errorf("%+v: %v", test.config, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want an error with %q", test.config, err, test.want)
		}
	}
	if _, err := NewAgeMeter(-1); err == nil {
		t.Error("NewAgeMeter(-1) gives no error")
	}
}
