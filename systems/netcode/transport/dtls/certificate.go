package dtls

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/atomicfile"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// GenerateCertificate returns a new self-signed certificate with an ECDSA P-256 key from the random
// source (nil means crypto/rand). It has no name and does not expire, since clients check its
// fingerprint only.
func GenerateCertificate(random io.Reader) (tls.Certificate, error) {
	if random == nil {
		random = rand.Reader
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), random)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("dtls: cannot make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "tandem"},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		// RFC 5280, 4.1.2.5: this date means that there is no end.
		NotAfter:    time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(random, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("dtls: cannot make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// SaveCertificate writes the certificate and its key to a file in PEM form that only its owner may
// read. An existing file is replaced as a whole, or is unchanged on an error.
func SaveCertificate(path string, c tls.Certificate) error {
	if err := checkCertificate(c); err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return fmt.Errorf("dtls: cannot save the certificate's key: %w", err)
	}
	var b bytes.Buffer
	for _, der := range c.Certificate {
		b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	b.Write(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	if err := atomicfile.Write(path, b.Bytes()); err != nil {
		return fmt.Errorf("dtls: cannot save the certificate: %w", err)
	}
	return nil
}

// loadCertificate reads a file that [SaveCertificate] wrote.
func loadCertificate(path string) (tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(path, path)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("dtls: cannot read the certificate and its key from %s: %w", path, err)
	}
	return c, checkCertificate(c)
}

// LoadOrCreateCertificate reads the certificate from the file. If there is no such file, it makes a
// certificate and saves it there. A server that restarts therefore keeps its fingerprint, and its
// join links stay valid.
func LoadOrCreateCertificate(path string, random io.Reader) (tls.Certificate, error) {
	c, err := loadCertificate(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	if c, err = GenerateCertificate(random); err == nil {
		err = SaveCertificate(path, c)
	}
	return c, err
}

// FingerprintOf returns the fingerprint of the certificate, for join links. It panics for the zero
// certificate.
func FingerprintOf(c tls.Certificate) joinlink.Fingerprint {
	if len(c.Certificate) == 0 {
		panic("dtls: FingerprintOf a certificate without bytes: make one with GenerateCertificate")
	}
	return joinlink.FingerprintOf(c.Certificate[0])
}

// checkCertificate returns an error for a certificate that a server cannot use.
func checkCertificate(c tls.Certificate) error {
	signer, ok := c.PrivateKey.(crypto.Signer)
	if len(c.Certificate) == 0 || !ok {
		return errors.New("dtls: the certificate has no bytes or no private key: make one with GenerateCertificate")
	}
	if _, ok := signer.Public().(*ecdsa.PublicKey); !ok {
		return fmt.Errorf("dtls: the certificate's key is a %T: use an ECDSA key, such as GenerateCertificate makes", signer.Public())
	}
	return nil
}
