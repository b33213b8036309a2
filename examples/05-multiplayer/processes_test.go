package main

import (
	"io"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/programs"
)

// Two processes play: the client dials the link that the server prints, and a key moves its player.
func TestProcesses(t *testing.T) {
	server := programs.Start(t, ".")
	if !server.Out.Scan() || !strings.HasPrefix(server.Out.Text(), "tandem://") {
		t.Fatalf("the server prints %q, not a link", server.Out.Text())
	}
	client := programs.Start(t, ".", server.Out.Text())
	pressed := false
	for client.Out.Scan() {
		switch at := strings.IndexByte(client.Out.Text(), '1'); {
		case at == 10 && !pressed:
			io.WriteString(client.In, "d\n")
			pressed = true
		case at >= 15:
			return
		}
	}
	t.Errorf("the player does not walk; a key was pressed: %v", pressed)
}
