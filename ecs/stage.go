package ecs

// Stage is a part of a frame. The package documentation says which work belongs into each.
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

// Order places a system within its stage. Lower orders run first, equal ones in the sequence in
// which they were added. [Engine.Add] uses OrderUser.
//
// Plugins use other orders through [Engine.AddAt]. So plugins may be installed in any sequence, and
// they still frame every user's system: samples are attached before the first of them in a step and
// captured after the last, and visual values are drawn before the first of them in VisualSync. A
// plugin that runs in between defines its orders relative to these.
type Order int

// The orders between which all others lie.
const (
	OrderBegin   Order = -4000 // FixedUpdate: new entities are prepared for the step
	OrderSync    Order = -2000 // VisualSync: visual values are drawn
	OrderUser    Order = 0
	OrderCapture Order = 3000 // FixedEnd: the changes of the step are captured
)
