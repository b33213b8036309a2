//go:build !js

package webtransport

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// checkOrigins returns an error for a pattern that cannot match.
func checkOrigins(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" || strings.Contains(p, "/") {
			return fmt.Errorf("webtransport: %q is no host of pages: it takes hosts, such as play.example.org or *.example.org", p)
		}
	}
	return nil
}

// allowed reports whether the page that makes the request may connect: one of the server's own
// host, or of those in the patterns. Programs outside of browsers send no origin.
func allowed(r *http.Request, patterns []string) bool {
	text := r.Header.Get("Origin")
	if text == "" {
		return true
	}
	origin, err := url.Parse(text)
	if err != nil || origin.Host == "" {
		return false
	}
	if strings.EqualFold(origin.Host, r.Host) {
		return true
	}
	for _, p := range patterns {
		if ok, _ := path.Match(strings.ToLower(p), strings.ToLower(origin.Host)); ok {
			return true
		}
	}
	return false
}
