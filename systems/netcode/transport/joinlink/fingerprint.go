package joinlink

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// Fingerprint is the SHA-256 hash of a server's certificate in DER form. A client that has it needs
// no certificate authority: only the server can present the certificate and prove that it has the
// key. The zero value means none.
type Fingerprint [sha256.Size]byte

// fingerprintText is the length of a fingerprint's text.
const fingerprintText = 43

// encoding is strict: only one text is valid for given bytes.
var encoding = base64.RawURLEncoding.Strict()

// FingerprintOf returns the fingerprint of a certificate in DER form.
func FingerprintOf(der []byte) Fingerprint { return sha256.Sum256(der) }

// ParseFingerprint reads the text of [Fingerprint.String]. It returns an error for any other text,
// and for the zero fingerprint.
func ParseFingerprint(text string) (Fingerprint, error) {
	var f Fingerprint
	if len(text) == fingerprintText {
		if n, err := encoding.Decode(f[:], []byte(text)); err == nil && n == len(f) && !f.IsZero() {
			return f, nil
		}
	}
	// The text is not quoted: it may be a token that lost its +.
	return Fingerprint{}, fmt.Errorf("joinlink: the fingerprint is damaged: want %d letters, digits, - and _, not %d: copy the whole line that the server printed", fingerprintText, len(text))
}

// String returns the fingerprint as it stands in a link: 43 characters of unpadded URL-safe base64.
func (f Fingerprint) String() string { return encoding.EncodeToString(f[:]) }

// IsZero reports whether there is none.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }
