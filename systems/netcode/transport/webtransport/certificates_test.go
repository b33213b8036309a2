//go:build !js

package webtransport_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

const day = 24 * time.Hour

// shown returns the certificate that a server shows now.
func shown(t *testing.T, c *webtransport.Certificates) *x509.Certificate {
	t.Helper()
	pair, err := c.Get(nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

func fingerprints(t *testing.T, c *webtransport.Certificates) []joinlink.Fingerprint {
	t.Helper()
	pins, err := c.Fingerprints()
	if err != nil {
		t.Fatal(err)
	}
	return pins
}

// For ten weeks, looked at every hour, the server shows a certificate that a browser accepts: an
// ECDSA key on P-256, valid for at most 14 days, and valid at that moment by a clock that is wrong
// by up to half a day. It changes every six days. A page that asked for the fingerprints within the
// six days before knows it, so one that asked just before a rotation connects after it.
func TestRotation(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	now := start
	c, err := webtransport.NewCertificates(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	type asked struct {
		at   time.Time
		pins []joinlink.Fingerprint
	}
	var pages []asked
	changes := 0
	last := fingerprints(t, c)
	for now = start; now.Before(start.Add(70 * day)); now = now.Add(time.Hour) {
		leaf := shown(t, c)
		if key, ok := leaf.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve != elliptic.P256() {
			t.Fatalf("the key is a %T", leaf.PublicKey)
		}
		if valid := leaf.NotAfter.Sub(leaf.NotBefore); valid != 13*day {
			t.Fatalf("it is valid for %v", valid)
		}
		if now.Before(leaf.NotBefore.Add(12*time.Hour)) || now.After(leaf.NotAfter.Add(-12*time.Hour)) {
			t.Fatalf("after %v it shows one that is valid from %v to %v", now.Sub(start), leaf.NotBefore.Sub(start), leaf.NotAfter.Sub(start))
		}
		pin := joinlink.FingerprintOf(leaf.Raw)
		pins := fingerprints(t, c)
		if len(pins) != 2 || pins[0] != pin || pins[0] == pins[1] {
			t.Fatalf("after %v it answers %v, and shows %v", now.Sub(start), pins, pin)
		}
		if pins[0] != last[0] {
			changes++
			if since := now.Sub(start); since != time.Duration(changes)*6*day || pins[0] != last[1] {
				t.Errorf("change %d after %v, from %v to %v", changes, since, last, pins)
			}
		}
		last = pins
		pages = append(pages, asked{now, pins})
		for _, page := range pages[max(0, len(pages)-6*24):] {
			if !slices.Contains(page.pins, pin) {
				t.Fatalf("after %v a page that asked %v before does not know what is shown", now.Sub(start), now.Sub(page.at))
			}
		}
	}
	if changes != 11 {
		t.Errorf("%d changes in ten weeks, want 11", changes)
	}
}

// A machine that slept for weeks, and a clock that was set back, make new certificates at once.
func TestRotationAfterAJumpOfTheClock(t *testing.T) {
	for name, jump := range map[string]time.Duration{"asleep for a week": 7 * day, "asleep for two weeks": 14 * day, "asleep for a year": 365 * day, "set back by an hour": -time.Hour, "set back by a week": -7 * day, "set back by a year": -365 * day} {
		now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		c, err := webtransport.NewCertificates(func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(jump)
		leaf := shown(t, c)
		if now.Before(leaf.NotBefore.Add(11*time.Hour)) || now.After(leaf.NotAfter.Add(-12*time.Hour)) {
			t.Errorf("%s: it shows one that is valid from %v to %v", name, leaf.NotBefore, leaf.NotAfter)
		}
		pins := fingerprints(t, c)
		now = now.Add(6*day - time.Second)
		if shown := joinlink.FingerprintOf(shown(t, c).Raw); !slices.Contains(pins, shown) {
			t.Errorf("%s: nearly six days later a page does not know what is shown", name)
		}
	}
}

func TestCertificatesOverHTTP(t *testing.T) {
	c := certificates(t)
	web := httptest.NewServer(c)
	defer web.Close()
	response, err := http.Get(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	pins := fingerprints(t, c)
	if want := pins[0].String() + "\n" + pins[1].String() + "\n"; string(text) != want {
		t.Errorf("the answer is %q, want %q", text, want)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Access-Control-Allow-Origin": "*"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	response, err = http.Post(web.URL, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST was answered with %s", response.Status)
	}
}
