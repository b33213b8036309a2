package view

import (
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Record records what the client receives, from the moment on at which it plays.
func (c *Client) Record(to replay.Recorder) error {
	c.recorders = append(c.recorders, to)
	return nil
}

// startRecording begins the recordings once the client plays.
func (c *Client) startRecording() {
	if status, _ := c.net.Status(); len(c.recorders) == 0 || status != netcode.Playing {
		return
	}
	for _, to := range c.recorders {
		if err := c.net.Record(to); err != nil {
			c.Say(err.Error())
		}
	}
	c.recorders = nil
}
