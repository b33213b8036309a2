package agones_test

import (
	"fmt"
	"log"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode/agones"
)

// A match in a fleet. Where there is no Agones, as here, all of it does nothing.
func ExampleStart() {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	level := "moor"
	fleet := agones.Start(agones.Config{Watch: func(g agones.GameServer) { level = g.Labels["map"] }})
	defer fleet.Close()
	engine.Install(fleet) // health is reported while there are fixed steps
	fleet.Ready()         // the server listens

	joined := func(key string) { fleet.Allocate(); fleet.Joined(key) } // from ServerConfig.Joined
	joined("anna")
	engine.Update(time.Second) // Host.Run
	fleet.Left("anna")         // from ServerConfig.Left

	fleet.Shutdown() // all have left: Agones starts another server
	fmt.Println(level)
	// Output: moor
}
