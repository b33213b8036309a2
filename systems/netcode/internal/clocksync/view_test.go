package clocksync_test

import (
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

func init() {
	clocksync.NewView = func() clocksync.View {
		view, err := articles.NewView(articles.ViewConfig{})
		if err != nil {
			panic(err) // the zero configuration is valid, as documented
		}
		return view
	}
}
