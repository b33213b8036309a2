package agones

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// playerList is what the fleet's list of players should hold, and what it holds by our requests.
// Other values in it, such as places that a matchmaker reserved, are left alone.
type playerList struct {
	wanted, held map[string]bool
	missing      error // the fleet has no such list
}

func newPlayerList() playerList {
	return playerList{wanted: map[string]bool{}, held: map[string]bool{}}
}

// Joined puts a player into the fleet's list, with the next requests. Other programs can read the
// key, so it must not be enough to join: no token. The hexadecimal digits of a [netcode.ResumeID]
// are fit.
//
// [netcode.ResumeID]: https://pkg.go.dev/github.com/tandem-ecs/tandem/systems/netcode#ResumeID
func (s *Sidecar) Joined(key string) {
	if s.url == "" {
		return
	}
	s.mu.Lock()
	s.list.wanted[key] = true
	s.mu.Unlock()
}

// Left takes a player out of the fleet's list.
func (s *Sidecar) Left(key string) {
	s.mu.Lock()
	delete(s.list.wanted, key)
	s.mu.Unlock()
}

// sync takes the values that the list really holds: after a restart of the sidecar some are
// missing.
func (l *playerList) sync(values []string) {
	was := maps.Clone(l.held)
	clear(l.held)
	for _, v := range values {
		if was[v] || l.wanted[v] {
			l.held[v] = true
		}
	}
}

// without returns the keys of a set that another one lacks, in order.
func without(of, in map[string]bool) (keys []string) {
	for k := range of {
		if !in[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// sendPlayers brings the fleet's list up to date. Values are removed first, since it has a
// capacity.
func (s *Sidecar) sendPlayers(ctx context.Context) error {
	s.mu.Lock()
	add, remove, err := without(s.list.wanted, s.list.held), without(s.list.held, s.list.wanted), s.list.missing
	s.mu.Unlock()
	for _, key := range remove {
		if err == nil {
			err = s.change(ctx, "removeValue", "not found", key)
		}
	}
	for _, key := range add {
		if err == nil {
			err = s.change(ctx, "addValue", "already exists", key)
		}
	}
	return err
}

// change adds or removes a value. A refusal that begins with done means that this was so before.
func (s *Sidecar) change(ctx context.Context, method, done, key string) error {
	err := s.post(ctx, "/v1beta1/lists/"+url.PathEscape(s.config.List)+":"+method, map[string]string{"value": key})
	var r *refusal
	missing := errors.As(err, &r) && noList.MatchString(r.text)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case missing:
		s.list.missing = fmt.Errorf("%w: add a list %q to the fleet's template to see its players", err, s.config.List)
		return s.list.missing
	case err != nil && (r == nil || !strings.HasPrefix(r.text, done)):
		return err
	}
	if method == "addValue" {
		s.list.held[key] = true
	} else {
		delete(s.list.held, key)
	}
	return nil
}

// noList matches the texts of a sidecar without the list, in a cluster and on a developer's
// machine.
var noList = regexp.MustCompile("list not found|List not found|not enabled")
