package ecs

// Stage is a part of a frame. The package documentation says what belongs into each.
type Stage uint8

// The stages, in the order in which a frame runs them. The first two run once per fixed step, the
// others once per Update.
const (
	FixedUpdate Stage = iota
	FixedEnd
	VisualSync
	NormalUpdate
	Render
	stageCount
)

var stageNames = [stageCount]string{"FixedUpdate", "FixedEnd", "VisualSync", "NormalUpdate", "Render"}

// String returns the name of the stage's constant.
func (s Stage) String() string {
	if s < stageCount {
		return stageNames[s]
	}
	return "unknown stage"
}

// Order places a system within its stage: lower runs first, equal in the order of adding.
// [Engine.Add] uses OrderUser.
//
// Plugins use the others through [Engine.AddAt], so that they may be installed in any order and
// still frame every user's system: samples are set up before the first of them in a step and
// captured after the last, and visual values are there before the first of them in VisualSync.
type Order int

// The places that Tandem's own plugins use.
const (
	OrderBegin Order = -4000 // FixedUpdate: values that have no samples yet get them
	// FixedUpdate: replicated entities are written; NormalUpdate: clocks and sockets
	OrderNetwork   Order = -3000
	OrderSync      Order = -2000 // VisualSync: visual values are interpolated
	OrderPropagate Order = -1000 // VisualSync: world poses are composed
	OrderUser      Order = 0
	OrderSweep     Order = 2000 // FixedEnd: subtrees of despawned parents go
	OrderReplicate Order = 2500 // FixedEnd: a server looks at what the step has changed
	OrderCapture   Order = 3000 // FixedEnd: what changed in this step?
)
