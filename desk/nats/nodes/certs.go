package nodes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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

// lasting is how long certificates are good. They are the desk's own: whoever
// loses one writes the directory anew.
const lasting = 10 * 365 * 24 * time.Hour

// authority signs the nodes' certificates. Its key stays in the directory that
// was written, and goes to no node.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// authority returns that of the directory, and makes it if need be.
func (p *Plan) authority() (*authority, error) {
	keyFile := filepath.Join(p.Dir, "ca.key")
	certPEM, err := os.ReadFile(p.CA())
	if errors.Is(err, fs.ErrNotExist) {
		return p.newAuthority(keyFile)
	}
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	certBlock, _ := pem.Decode(certPEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("%s and ca.key beside it hold no certificate and key", p.CA())
	}
	cert, err := x509.ParseCertificate(certBlock.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.CA(), err)
	}
	key, err := x509.ParseECPrivateKey(keyBlock.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	return &authority{cert, key, certPEM}, nil
}

func (p *Plan) newAuthority(keyFile string) (*authority, error) {
	shape := form("desk")
	shape.IsCA, shape.BasicConstraintsValid, shape.KeyUsage = true, true, x509.KeyUsageCertSign
	key, certPEM, keyPEM, err := sign(shape, nil)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(keyFile, keyPEM, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(p.CA(), certPEM, 0o644); err != nil { //nolint:gosec // a certificate is public
		return nil, err
	}
	block, _ := pem.Decode(certPEM)
	cert, err := x509.ParseCertificate(block.Bytes)
	return &authority{cert, key, certPEM}, err
}

// certify writes the certificate of a node, for its host and for connections
// from its own machine, unless there is one for this host.
func (a *authority) certify(dir string, n Node) error {
	certFile := filepath.Join(dir, "cert.pem")
	if data, err := os.ReadFile(certFile); err == nil {
		if block, _ := pem.Decode(data); block != nil {
			if cert, err := x509.ParseCertificate(block.Bytes); err == nil && cert.VerifyHostname(n.Host) == nil && cert.CheckSignatureFrom(a.cert) == nil {
				return nil
			}
		}
	}
	shape := form(n.Name)
	shape.KeyUsage = x509.KeyUsageDigitalSignature
	shape.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	shape.DNSNames = []string{n.Name, "localhost"}
	shape.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := net.ParseIP(n.Host); ip != nil {
		shape.IPAddresses = append(shape.IPAddresses, ip)
	} else {
		shape.DNSNames = append(shape.DNSNames, n.Host)
	}
	_, certPEM, keyPEM, err := sign(shape, a)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "key.pem"), keyPEM, 0o600),
		os.WriteFile(filepath.Join(dir, "ca.pem"), a.pem, 0o644), //nolint:gosec // a certificate is public
		os.WriteFile(certFile, certPEM, 0o644),                   //nolint:gosec // a certificate is public
	)
}

func form(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes([]byte(rand.Text())),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-24 * time.Hour), // of a node whose clock is behind
		NotAfter:     time.Now().Add(lasting),
	}
}

// sign makes a key and its certificate, signed by an authority or by itself.
func sign(shape *x509.Certificate, by *authority) (key *ecdsa.PrivateKey, certPEM, keyPEM []byte, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, nil, err
	}
	parent, signer := shape, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	cert, err := x509.CreateCertificate(rand.Reader, shape, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, nil, nil, err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, nil, err
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), nil
}
