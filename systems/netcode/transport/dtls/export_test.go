package dtls

// These are the package's internals that external tests use.
var (
	ListenOn        = listenOn
	LoadCertificate = loadCertificate
)

// Hellos returns how many hellos reached the listener, and how many of them it answered.
func (l *Listener) Hellos() (arrived, answered uint64) {
	traffic, _ := l.front.stats()
	return traffic.hellos, traffic.challenged
}
