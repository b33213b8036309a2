package clocksync_test

import (
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

func init() {
	clocksync.NewView = func() clocksync.View { return articles.NewView() }
}
