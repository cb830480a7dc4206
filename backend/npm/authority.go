package npm

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"time"
)

// What the two registries are called in front of the door: names that nothing else can have (RFC 6761).
const (
	registryHost = "npm.portico.invalid"
	jsrHost      = "jsr.portico.invalid"
)

// Environ tells Deno what the registries are called, when it fetches and when it looks for what was fetched.
func Environ() []string {
	return []string{"NPM_CONFIG_REGISTRY=" + inFront, "JSR_URL=https://" + jsrHost + "/"}
}

// inFront is the address of the registry in front of the door.
const inFront = "https://" + registryHost + "/"

// authority vouches for the door's two names, for one process and as long as the door is open. Its keys are on no disk.
type authority struct {
	pem   []byte
	names map[string]*tls.Config
}

// certificateLife is far longer than any install.
const certificateLife = 24 * time.Hour

func newAuthority() (*authority, error) {
	now := time.Now()
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Portico, for one install"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, PermittedDNSDomains: []string{registryHost, jsrHost}, PermittedDNSDomainsCritical: true,
	}
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	made, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	if err != nil {
		return nil, err
	}
	a := &authority{pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), names: map[string]*tls.Config{}}
	for n, name := range []string{registryHost, jsrHost} {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(int64(n) + 2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		signed, err := x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, rootKey)
		if err != nil {
			return nil, err
		}
		config := newTLS()
		config.Certificates = []tls.Certificate{{Certificate: [][]byte{signed, made}, PrivateKey: key}}
		config.NextProtos = []string{"http/1.1"}
		a.names[name] = config
	}
	return a, nil
}

// passed is a listener of connections that were let through.
type passed struct {
	connections chan net.Conn // unbuffered: one is served or closed
	closed      chan struct{}
	once        sync.Once
	address     net.Addr
}

func (p *passed) pass(c net.Conn) {
	select {
	case p.connections <- c:
	case <-p.closed:
		c.Close()
	}
}

func (p *passed) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *passed) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *passed) Addr() net.Addr { return p.address }
