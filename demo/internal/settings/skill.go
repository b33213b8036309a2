package settings

import "errors"

// Skill is how well the bots of a match play.
type Skill uint8

// The skills. A person usually beats a fair bot. A hard one aims without an error.
const (
	Fair Skill = iota
	Easy
	Hard
)

var skillNames = [...]string{Fair: "fair", Easy: "easy", Hard: "hard"}

// MarshalText implements [encoding.TextMarshaler].
func (s Skill) MarshalText() ([]byte, error) { return []byte(skillNames[s]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Skill) UnmarshalText(text []byte) error {
	for i, name := range skillNames {
		if name == string(text) {
			*s = Skill(i)
			return nil
		}
	}
	return errors.New("easy, fair or hard")
}
