package examples_test

import (
	"testing"

	_ "github.com/mlange-42/arche-model/model"
	_ "github.com/mlange-42/arche-model/reporter"
	_ "github.com/mlange-42/arche-model/system"

	"github.com/tandem-ecs/tandem/internal/programs"
	_ "github.com/tandem-ecs/tandem/systems/interpolation"
	_ "github.com/tandem-ecs/tandem/systems/motion"
)

// Both programs print what their page says.
func TestProgramsPrintTheirPage(t *testing.T) {
	for _, program := range []string{"./systems", "./loop"} {
		programs.PrintsItsPage(t, program, "../../docs/02-embed.md")
	}
}
