//go:build !js

package websocket

import (
	"cmp"
	"net/http"
	"strings"
)

// below returns a path without the prefix, if the path lies below it. So "/game/a" below "/game" is
// "/a", and "/game" is the empty path. A proxy may have taken the prefix off.
func below(prefix, path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, prefix)
	if prefix == "" || !ok || rest != "" && rest[0] != '/' {
		return path, false
	}
	return rest, true
}

// sameBelow reports whether two paths are the same, with or without the prefix.
func sameBelow(prefix, a, b string) bool {
	a, _ = below(prefix, a)
	b, _ = below(prefix, b)
	return cmp.Or(a, "/") == cmp.Or(b, "/")
}

// pageBelow returns a handler that takes the prefix off the paths of requests for a page. It
// redirects from the prefix itself, below which the page's relative links would not be.
func pageBelow(prefix string, page http.Handler) http.Handler {
	if prefix == "" {
		return page
	}
	stripped := http.StripPrefix(prefix, page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch rest, ok := below(prefix, r.URL.Path); {
		case !ok:
			page.ServeHTTP(w, r)
		case rest == "":
			to := prefix + "/"
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		default:
			stripped.ServeHTTP(w, r)
		}
	})
}
