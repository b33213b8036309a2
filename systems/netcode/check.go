package netcode

import arche "github.com/mlange-42/arche/ecs"

// checker is a resource of the world of a server or a client. It finds the entities that are drawn
// at a wrong pose.
type checker struct{ find func() []string }

// Check returns a sentence with a remedy for each entity that is drawn at a wrong pose: on a server
// those that clients cannot place since an entity above them is not replicated, on a client those
// to which the game has given a parent. It is called by ecs.Check.
func (*Replicated) Check(w *arche.World) []string {
	c, _ := w.Resources().Get(arche.ResourceID[checker](w)).(*checker)
	if c == nil {
		return nil
	}
	return c.find()
}
