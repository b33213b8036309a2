package examples_test

import (
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/programs"
	_ "github.com/tandem-ecs/tandem/systems/hierarchy" // imports all that the programs import
	_ "github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	_ "github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Each program prints what its page of the guide says. Programs in modules of their own have tests
// of their own.
func TestProgramsPrintTheirPages(t *testing.T) {
	for program, page := range map[string]string{
		"./01-move":            "01-first-motion.md",
		"./02-values":          "03-values.md",
		"./03-hierarchy/plane": "04-hierarchies.md",
		"./03-hierarchy/space": "04-hierarchies.md",
		"./06-shots":           "06-shots.md",
		"./07-platform":        "08-platforms-and-bodies.md",
		"./10-wrap-around":     "08-platforms-and-bodies.md",
	} {
		t.Run(strings.TrimPrefix(program, "./"), func(t *testing.T) {
			t.Parallel()
			programs.PrintsItsPage(t, program, "../docs/"+page)
		})
	}
}
