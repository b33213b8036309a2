package agones

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// GameServer is the server as Agones sees it.
type GameServer struct {
	Name, Namespace string
	State           string // Scheduled, Ready, Allocated, Shutdown and others
	Address         string // of the machine, for players
	Ports           []Port
	// an allocation can set them: the map to play, and the like
	Labels, Annotations map[string]string
}

// Port is a port of the machine that leads to a port of this process.
type Port struct {
	Name string // of the fleet's template
	Port int
}

// maxServer bounds the text of a GameServer in bytes. Kubernetes keeps no object above 1.5 MiB.
const maxServer = 2 << 20

// watch reads the changes of the server until the sidecar is not in use any more.
func (s *Sidecar) watch(ctx context.Context) {
	watching := trouble{log: s.log, what: "watch"}
	for {
		watching.note(s.watchOnce(ctx, func() { watching.note(nil) }))
		if !s.sleep(ctx) {
			return
		}
	}
}

// watchOnce reads changes until the connection ends. It calls well when it got one.
func (s *Sidecar) watchOnce(ctx context.Context, well func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/watch/gameserver", nil)
	if err != nil {
		return err
	}
	res, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return &refusal{res.StatusCode, "of /watch/gameserver"}
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxServer)
	for lines.Scan() {
		server, players, err := parseServer(lines.Bytes(), s.config.List)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.seen, s.unseen = server, true
		s.list.sync(players)
		s.mu.Unlock()
		well()
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("watching the server: %w", err)
	}
	return nil // the sidecar has ended the connection
}

// parseServer reads a message of the watch: the server, and the values of a list.
func parseServer(line []byte, list string) (server GameServer, values []string, err error) {
	var m struct {
		Result *struct {
			Meta struct {
				Name, Namespace     string
				Labels, Annotations map[string]string
			} `json:"object_meta"`
			Status struct {
				State, Address string
				Ports          []Port
				Lists          map[string]struct{ Values []string }
			}
		}
		Error struct{ Message string }
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return server, nil, fmt.Errorf("the description of the server: %w", err)
	}
	if m.Result == nil {
		return server, nil, fmt.Errorf("the sidecar describes no server: %s", m.Error.Message)
	}
	r := m.Result
	return GameServer{
		Name: r.Meta.Name, Namespace: r.Meta.Namespace, Labels: r.Meta.Labels, Annotations: r.Meta.Annotations,
		State: r.Status.State, Address: r.Status.Address, Ports: r.Status.Ports,
	}, r.Status.Lists[list].Values, nil
}
