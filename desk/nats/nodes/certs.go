package nodes

import (
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
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is that of certificates. They are the desk's own: to replace one, write the
// directory again.
const validity = 10 * 365 * 24 * time.Hour

// authority returns the certificate that signs the nodes', and makes it if need be. Its key
// stays in the directory that was written, and is copied to no node.
func (p *Plan) authority() (ca tls.Certificate, err error) {
	keyFile := filepath.Join(p.Dir, "ca.key")
	if _, err := os.Stat(p.CA()); errors.Is(err, fs.ErrNotExist) {
		template := certTemplate("desk")
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		if err := errors.Join(os.MkdirAll(p.Dir, 0o700), writePair(p.CA(), keyFile, template, nil)); err != nil {
			return ca, err
		}
	}
	if ca, err = tls.LoadX509KeyPair(p.CA(), keyFile); err != nil {
		err = fmt.Errorf("%s and ca.key beside it: %w", p.CA(), err)
	}
	return ca, err
}

// certify writes the certificate of a node into its directory, which it makes,
// for its host and for connections from its own machine, unless there is one for
// this host.
func (p *Plan) certify(dir string, n Node, ca *tls.Certificate) error {
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err == nil && pair.Leaf.VerifyHostname(n.Host) == nil && pair.Leaf.CheckSignatureFrom(ca.Leaf) == nil {
		return nil
	}
	template := certTemplate(n.Name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames = []string{n.Name, "localhost"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := net.ParseIP(n.Host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, n.Host)
	}
	data, err := os.ReadFile(p.CA())
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "ca.pem"), data, 0o644), //nolint:gosec // a certificate is public
		writePair(certFile, keyFile, template, ca),
	)
}

func certTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes([]byte(rand.Text())),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-24 * time.Hour), // of a node whose clock is behind
		NotAfter:     time.Now().Add(validity),
	}
}

// writePair writes a new key and its certificate, signed by an authority or by itself.
func writePair(certFile, keyFile string, template *x509.Certificate, by *tls.Certificate) error {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	parent, signer := template, crypto.PrivateKey(pair)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, parent, &pair.PublicKey, signer)
	if err != nil {
		return err
	}
	key, err := x509.MarshalECPrivateKey(pair)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key}), 0o600),
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644), //nolint:gosec // a certificate is public
	)
}
