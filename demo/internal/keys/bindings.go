package keys

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

type set = settings.Settings

const ms = time.Millisecond

// For returns the bindings of a scene, a match or a replay, in the order of the help texts. scenes
// are the names of the scenes chosen by the digits.
func For(scenes []string, info scene.Info) []Group {
	if info.Replay {
		return replays(info)
	}
	return Groups(scenes)
}

// Groups returns all bindings of scenes and matches in the order of the help texts. No key has two
// meanings in one place: T is for scenes and for matches. scenes are the names of the scenes chosen
// by the digits. Replays have others: see [For].
func Groups(scenes []string) []Group {
	var digits []render.Key
	for i := range scenes {
		digits = append(digits, render.Key('1'+i))
	}
	return []Group{
		{"Play", []Binding{
			{Cap: "W A S D", Text: "run", In: Match},
			{Cap: "Mouse", Text: "aim; shoot left, rocket right; the wheel zooms", In: Match},
			{Cap: "Space", Text: "jump", In: Match},
			{Keys: []render.Key{'E'}, Cap: "E", Text: "push nearby things away", In: Match, Action: Push},
			{Keys: []render.Key{render.KeyEnter}, Cap: "Enter", Text: "the last ten seconds again", Label: "last 10 s", In: Match, Action: Again},
		}},
		{"Time", []Binding{
			toggle(Binding{Keys: []render.Key{'P', render.KeyPause}, Cap: "P", Text: "pause, resume", Label: "pause", Flag: "paused", In: Scenes},
				func(s *set) *bool { return &s.Paused }, "paused", "resumed"),
			{Keys: []render.Key{render.KeyPeriod}, Cap: ".", Text: "one fixed step, and pause", In: Scenes, Action: Step,
				Change: func(s *set, _ Press) { s.Paused = true }, Remark: func(set) string { return "paused" }},
			ladder(Binding{Keys: []render.Key{render.KeyDown, render.KeyUp}, Cap: "↓ ↑", Text: "fixed rate: 5, 10, 15, 20, 30, 60, 120 Hz", Label: "rate", Flag: "hz", In: Scenes,
				Remark: func(s set) string {
					if s.Adaptive {
						return fmt.Sprintf("fixed rate at most %d Hz, restarted", s.Rate)
					}
					return fmt.Sprintf("fixed rate %d Hz", s.Rate)
				}},
				Slider{Step: 1, Log: true, Unit: " Hz"}, []int{5, 10, 15, 20, 30, 60, 120}, func(s *set) *int { return &s.Rate }, 1, 1),
			ladder(Binding{Keys: []render.Key{render.KeyLeft, render.KeyRight}, Cap: "← →", Text: "slower, faster: 1/10, 1/4, 1/2, 1, 2", Label: "speed", Flag: "speed", In: Scenes,
				Remark: func(s set) string { return fmt.Sprintf("speed %v", s.Speed) }},
				Slider{Step: 5, Log: true, Unit: " %"}, []float64{0.1, 0.25, 0.5, 1, 2}, func(s *set) *float64 { return &s.Speed }, 1, 100),
			{Keys: []render.Key{render.KeyBackspace}, Cap: "Backspace", Text: "restart the scene", In: Scenes, Action: Restart},
			ring(Binding{Keys: []render.Key{'X'}, Cap: "X", Text: "cost of a step: 0, 5, 10, 20, 40 ms", Flag: "step-cost", In: Scenes},
				[]time.Duration{0, 5 * ms, 10 * ms, 20 * ms, 40 * ms}, func(s *set) *time.Duration { return &s.StepCost },
				func(v time.Duration) string { return fmt.Sprintf("every step takes %d ms", v/ms) }),
			toggle(Binding{Keys: []render.Key{'Z'}, Cap: "Z", Text: "adaptive rate on, off (restarts)", Flag: "adaptive", In: Scenes},
				func(s *set) *bool { return &s.Adaptive }, "adaptive rate on, restarted", "adaptive rate off, restarted"),
		}},
		{"Picture", []Binding{
			toggle(Binding{Keys: []render.Key{'I'}, Cap: "I", Text: "interpolation on, off", Label: "interpolation", Flag: "interpolate", In: Scenes},
				func(s *set) *bool { return &s.Interpolate }, "interpolation on", "interpolation off"),
			toggle(Binding{Keys: []render.Key{'G'}, Cap: "G", Text: "ghosts: logical poses, or the server's newest", Label: "ghosts", Flag: "ghosts", In: Live},
				func(s *set) *bool { return &s.Ghosts }, "ghosts on", "ghosts off"),
			toggle(Binding{Keys: []render.Key{'T'}, Cap: "T", Text: "raw beside interpolated, in orbits, stress", Label: "raw beside", Flag: "split", In: Splitting},
				func(s *set) *bool { return &s.Split }, "raw beside interpolated", "one picture"),
			ring(Binding{Keys: []render.Key{'C'}, Cap: "C", Text: "frame-rate cap: 20, 30, 60, 144, none", Flag: "fps"},
				[]int{20, 30, 60, 144, 0}, func(s *set) *int { return &s.Cap }, capRemark),
			ring(Binding{Keys: []render.Key{'J'}, Cap: "J", Text: "frame jitter: 0, 25, 50, 90 %", Flag: "frame-jitter"},
				[]float64{0, 0.25, 0.5, 0.9}, func(s *set) *float64 { return &s.FrameJitter }, percent("frame jitter %.0f %%")),
			toggle(Binding{Keys: []render.Key{'U'}, Cap: "U", Text: "blend on the GPU, in scene stress (restarts)", Flag: "gpu", In: Blending},
				func(s *set) *bool { return &s.GPU }, "blending on the GPU on, restarted", "blending on the GPU off, restarted"),
			toggle(Binding{Keys: []render.Key{'V'}, Cap: "V", Text: "wait for the display (vsync)", Flag: "vsync", In: Program},
				func(s *set) *bool { return &s.VSync }, "vsync on", "vsync off"),
			ring(Binding{Keys: []render.Key{'O'}, Cap: "O", Text: "overlay: all, captions only, none", Label: "overlay", Flag: "overlay"},
				[]settings.Overlay{settings.OverlayAll, settings.OverlayCaptions, settings.OverlayNone}, func(s *set) *settings.Overlay { return &s.Overlay },
				func(v settings.Overlay) string { return [...]string{"overlay on", "captions only", "overlay off"}[v] }),
			toggle(Binding{Keys: []render.Key{'N'}, Cap: "N", Text: "graphs on, off", Flag: "graphs", In: Live},
				func(s *set) *bool { return &s.Graphs }, "graphs on", "graphs off"),
		}},
		{"Simulated line", []Binding{
			dial(Binding{Keys: []render.Key{'L'}, Cap: "L", Text: "round trip: 0, 50, 100, 200, 300, 400 ms", Label: "latency", Flag: "latency", In: Linked}, Slider{Step: 10, Unit: " ms"},
				[]time.Duration{0, 50 * ms, 100 * ms, 200 * ms, 300 * ms, 400 * ms}, func(s *set) *time.Duration { return &s.Link.Latency }, plain[time.Duration]("network: round trip %v"), ms, 1),
			dial(Binding{Keys: []render.Key{'K'}, Cap: "K", Text: "its jitter: 0, 10, 20, 50, 100, 200 ms", Label: "jitter", Flag: "jitter", In: Linked}, Slider{Step: 5, Unit: " ms"},
				[]time.Duration{0, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms}, func(s *set) *time.Duration { return &s.Link.Jitter }, plain[time.Duration]("network: round trip ± %v"), ms, 1),
			dial(Binding{Keys: []render.Key{'M'}, Cap: "M", Text: "loss: 0, 2, 5, 15, 30, 50 %", Label: "loss", Flag: "loss", In: Linked}, Slider{Step: 1, Unit: " %"},
				[]float64{0, 0.02, 0.05, 0.15, 0.3, 0.5}, func(s *set) *float64 { return &s.Link.Loss }, percent("network: %.0f %% lost"), 1, 100),
			bursts(Binding{Keys: []render.Key{'B'}, Cap: "B", Text: "losses in bursts (in lab 0, 1, 2, 5 %)", Flag: "burst", In: Linked}),
			ring(Binding{Keys: []render.Key{'Y'}, Cap: "Y", Text: "duplicates: 0, 10, 30 %", Flag: "duplicate", In: Linked},
				[]float64{0, 0.1, 0.3}, func(s *set) *float64 { return &s.Link.Duplicate }, percent("network: %.0f %% twice")),
			ring(Binding{Keys: []render.Key{'Q'}, Cap: "Q", Text: "overtaken on the way: 0, 10, 30 %", Flag: "reorder", In: Linked},
				[]float64{0, 0.1, 0.3}, func(s *set) *float64 { return &s.Link.Reorder }, percent("network: %.0f %% overtaken")),
			ring(Binding{Keys: []render.Key{render.KeySlash}, Cap: "/", Text: "snapshots: 5, 10, 20, 30, 60 a second", Flag: "send-hz", In: Lab},
				[]int{5, 10, 20, 30, 60}, func(s *set) *int { return &s.Link.SendRate }, plain[int]("network: %d snapshots a second")),
		}},
		{"Netcode", []Binding{
			toggle(Binding{Keys: []render.Key{render.KeyF2}, Cap: "F2", Text: "prediction of the own player on, off", Label: "prediction", Flag: "predict", In: Match},
				func(s *set) *bool { return &s.Predict }, "prediction on", "prediction off"),
			toggle(Binding{Keys: []render.Key{render.KeyF3}, Cap: "F3", Text: "reconciliation on, off", Label: "reconciliation", Flag: "reconcile", In: Match},
				func(s *set) *bool { return &s.Reconcile }, "reconciliation on", "reconciliation off"),
			ring(Binding{Keys: []render.Key{render.KeyF4}, Cap: "F4", Text: "the next interpolation of others", Flag: "kind", In: Match},
				articles.Kinds(), func(s *set) *interp.Kind { return &s.Interpolation }, func(v interp.Kind) string { return "others: " + articles.Display(v) }),
			toggle(Binding{Keys: []render.Key{render.KeyF5}, Cap: "F5", Text: "the camera follows, stands still", Flag: "still", In: Match},
				func(s *set) *bool { return &s.Still }, "the camera stands still", "the camera follows"),
			toggle(Binding{Keys: []render.Key{'T'}, Cap: "T", Text: "the timeline: why things moved so", Label: "timeline", Flag: "timeline", In: Match},
				func(s *set) *bool { return &s.Timeline }, "the timeline of the last seconds", "no timeline"),
		}},
		{"Scene", []Binding{
			{Keys: digits, Cap: "1–" + string(rune('0'+len(scenes))), Text: strings.Join(scenes, " "), Flag: "scene", In: Leavable, Labels: scenes,
				On:     func(s *set, key int) bool { return s.Scene == scenes[key] },
				Change: func(s *set, p Press) { s.Scene = scenes[p.Index] }, Remark: func(s set) string { return "scene " + s.Scene }},
			ring(Binding{Keys: []render.Key{render.KeyTab}, Cap: "Tab", Text: "the next scene, with Shift the previous one", Label: "next scene", Tour: true, In: Leavable},
				scenes, func(s *set) *string { return &s.Scene }, plain[string]("scene %s")),
			{Keys: []render.Key{render.KeyHome, '0'}, Cap: "Home 0", Text: "the scene's own camera", Action: ResetCamera},
		}},
		{"Files and window", []Binding{
			{Keys: []render.Key{render.KeyF12}, Cap: "F12", Text: "save a picture", Flag: "screenshot", In: Program, Action: Screenshot},
			{Keys: []render.Key{'R', render.KeyF10}, Cap: "R F10", Text: "record a clip, and stop", Flag: "record", In: Program, Action: Record},
			{Keys: []render.Key{render.KeyF11, 'F'}, Cap: "F F11", Text: "full screen", Label: "full screen", Action: Fullscreen},
			{Keys: []render.Key{render.KeyF6}, Cap: "F6", Text: "unfold, fold the panel for the mouse", Label: "fold", Action: Panel},
			toggle(Binding{Keys: []render.Key{'H', render.KeyF1}, Cap: "H F1", Text: "this list of keys", Label: "all keys", Flag: "keys"}, func(s *set) *bool { return &s.Keys }, "", ""),
			{Keys: []render.Key{render.KeyEscape}, Cap: "Esc", Text: "close this list, leave the demo", Action: Quit},
		}},
	}
}

// toggle completes a binding that switches a setting. on and off describe the setting.
func toggle(b Binding, field func(*set) *bool, on, off string) Binding {
	b.On = func(s *set, _ int) bool { return *field(s) }
	b.Change = func(s *set, _ Press) { *field(s) = !*field(s) }
	b.Remark = func(s set) string {
		if *field(&s) {
			return on
		}
		return off
	}
	return b
}

// ladder completes a binding of two keys that step a setting down and up through values, and gives
// it a slider.
func ladder[T number](b Binding, s Slider, values []T, field func(*set) *T, num, den T) Binding {
	b.Change = func(s *set, p Press) { *field(s) = rung(values, *field(s), p.Index == 0) }
	return slide(b, s, values, field, num, den)
}

// dial completes a binding as ring does, and gives it a slider.
func dial[T number](b Binding, s Slider, values []T, field func(*set) *T, remark func(T) string, num, den T) Binding {
	return slide(ring(b, values, field, remark), s, values, field, num, den)
}

// ring completes a binding that steps a setting through values, and from the last to the first.
// remark describes a value.
func ring[T cmp.Ordered](b Binding, values []T, field func(*set) *T, remark func(T) string) Binding {
	b.Change = func(s *set, p Press) { *field(s) = around(values, *field(s), p.Shift) }
	b.Remark = func(s set) string { return remark(*field(&s)) }
	return b
}

// bursts completes the binding of the losses in bursts: a probability in scene lab, a switch in a
// player's link.
func bursts(b Binding) Binding {
	chance := ring(b, []float64{0, 0.01, 0.02, 0.05}, func(s *set) *float64 { return &s.Link.Burst }, percent("network: bursts of losses %.0f %%"))
	on := toggle(b, func(s *set) *bool { return &s.Link.Bursts }, "network: losses in bursts on", "network: losses in bursts off")
	of := func(s set) Binding {
		if s.Link.SendRate == 0 {
			return on
		}
		return chance
	}
	b.Change = func(s *set, p Press) { of(*s).Change(s, p) }
	b.Remark = func(s set) string { return of(s).Remark(s) }
	return b
}

func capRemark(rate int) string {
	if rate == 0 {
		return "no frame-rate cap"
	}
	return fmt.Sprintf("at most %d frames per second", rate)
}

// plain returns a remark that writes a value by a format.
func plain[T any](format string) func(T) string {
	return func(v T) string { return fmt.Sprintf(format, v) }
}

// percent returns a remark that writes a share in percent.
func percent(format string) func(float64) string {
	return func(v float64) string { return fmt.Sprintf(format, 100*v) }
}

// rung returns the next value above or below v, or v itself where there is none. v need not be one
// of the values.
func rung[T cmp.Ordered](values []T, v T, down bool) T {
	i, found := slices.BinarySearch(values, v)
	switch {
	case down:
		i--
	case found:
		i++
	}
	if i < 0 || i == len(values) {
		return v
	}
	return values[i]
}

// around returns the next value of a ring, or the previous one. A value between two of the ring's
// counts as just below the upper one.
func around[T cmp.Ordered](values []T, v T, back bool) T {
	i := slices.Index(values, v)
	between := i < 0
	if between {
		i = max(slices.IndexFunc(values, func(other T) bool { return other > v }), 0)
	}
	switch {
	case back:
		i += len(values) - 1
	case !between:
		i++
	}
	return values[i%len(values)]
}
