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

// authority signs the nodes' certificates. Its key stays in the directory that
// was written, and is copied to no node.
type authority struct {
	tls.Certificate
	pem []byte
}

// authority returns that of the directory, and makes it if need be.
func (p *Plan) authority() (*authority, error) {
	keyFile := filepath.Join(p.Dir, "ca.key")
	data, err := os.ReadFile(p.CA())
	if errors.Is(err, fs.ErrNotExist) {
		data, err = p.newAuthority(keyFile)
	}
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(p.CA(), keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s and ca.key beside it: %w", p.CA(), err)
	}
	return &authority{pair, data}, nil
}

func (p *Plan) newAuthority(keyFile string) ([]byte, error) {
	template := certTemplate("desk")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	cert, key, err := sign(template, nil)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	return cert, errors.Join(
		os.WriteFile(keyFile, key, 0o600),
		os.WriteFile(p.CA(), cert, 0o644), //nolint:gosec // a certificate is public
	)
}

// certify writes the certificate of a node into its directory, which it makes,
// for its host and for connections from its own machine, unless there is one for
// this host.
func (a *authority) certify(dir string, n Node) error {
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err == nil && pair.Leaf.VerifyHostname(n.Host) == nil && pair.Leaf.CheckSignatureFrom(a.Leaf) == nil {
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
	cert, key, err := sign(template, a)
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(keyFile, key, 0o600),
		os.WriteFile(filepath.Join(dir, "ca.pem"), a.pem, 0o644), //nolint:gosec // a certificate is public
		os.WriteFile(certFile, cert, 0o644),                      //nolint:gosec // a certificate is public
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

// sign makes a certificate, signed by an authority or by itself, and its key, both in
// PEM.
func sign(template *x509.Certificate, by *authority) (cert, key []byte, err error) {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	parent, signer := template, crypto.PrivateKey(pair)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	cert, err = x509.CreateCertificate(rand.Reader, template, parent, &pair.PublicKey, signer)
	if err == nil {
		key, err = x509.MarshalECPrivateKey(pair)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key}), err
}
