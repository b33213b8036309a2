package play

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// renewed is a certificate of an authority in two files, which are replaced while the server runs: such certificates are good for weeks. Handshakes ask for it in goroutines of their own.
type renewed struct {
	certificate, key string // names of the files
	log              *slog.Logger
	now              func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
	stamps  [2]stamp
	looked  time.Time
	failed  string // what was logged last
}

// stamp tells a file from what it was.
type stamp struct {
	at   time.Time
	size int64
}

// lookEvery is how often it is looked whether there are new files, at most.
const lookEvery = 10 * time.Second

// openRenewed reads the files for the first time.
func openRenewed(certificate, key string, log *slog.Logger, now func() time.Time) (*renewed, error) {
	r := &renewed{certificate: certificate, key: key, log: log, now: now, looked: now()}
	r.stamps, _ = r.look() // before they are read, so that nothing new is missed
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	r.take(&pair)
	return r, nil
}

func (r *renewed) take(pair *tls.Certificate) {
	r.current, r.failed = pair, ""
	if pair.Leaf != nil && r.now().After(pair.Leaf.NotAfter) {
		r.log.Warn("the certificate of the WebSocket has expired, and programs refuse it; renew it, and it is taken without a restart", "file", r.certificate, "expired", pair.Leaf.NotAfter)
	}
}

func (r *renewed) look() (s [2]stamp, err error) {
	for i, name := range [...]string{r.certificate, r.key} {
		info, err := os.Stat(name)
		if err != nil {
			return s, err
		}
		s[i] = stamp{info.ModTime(), info.Size()}
	}
	return s, nil
}

// get is for tls.Config.GetCertificate. Where new files cannot be used, perhaps since only one of them is there yet, the old certificate goes on.
func (r *renewed) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if since := now.Sub(r.looked); since >= 0 && since < lookEvery {
		return r.current, nil
	}
	r.looked = now
	stamps, err := r.look()
	if err == nil && stamps == r.stamps {
		return r.current, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(r.certificate, r.key)
	}
	if err != nil {
		if r.failed != err.Error() {
			r.failed = err.Error()
			r.log.Warn("the new certificate of the WebSocket cannot be read; the old one goes on", "file", r.certificate, "error", err)
		}
		return r.current, nil
	}
	r.stamps = stamps
	r.take(&pair)
	r.log.Info("the WebSocket has a new certificate", "file", r.certificate)
	return r.current, nil
}
