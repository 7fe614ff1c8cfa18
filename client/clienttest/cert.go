package clienttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"sync"
	"time"
)

// certKind is the fault of a certificate.
type certKind int

const (
	certSound certKind = iota
	certExpired
	certFuture
	certWrongName
	certUnknownCA
	certSelfSigned
	certNoIntermediate
)

// Valid certificates are valid both today and in a synctest bubble, which begins in 2000.
const (
	firstYear   = 1970
	lastYear    = 2100
	expiredYear = 1999
	futureYear  = 2099
)

// processAuthority is the authority of all hosts of this process.
var processAuthority = sync.OnceValues(newAuthority)

// authority issues certificates and keeps them. All leaves have one key.
type authority struct {
	pool         *x509.CertPool
	root         issuer
	intermediate issuer
	stranger     issuer // not in pool
	key          *ecdsa.PrivateKey

	mu     sync.Mutex
	leaves map[leafID]*tls.Certificate
}

type leafID struct {
	name string
	kind certKind
}

// issuer is a certificate that signs others.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{pool: x509.NewCertPool(), key: key, leaves: map[leafID]*tls.Certificate{}}
	if a.root, err = newIssuer("wayfind test root", nil); err != nil {
		return nil, err
	}
	if a.stranger, err = newIssuer("wayfind test stranger", nil); err != nil {
		return nil, err
	}
	if a.intermediate, err = newIssuer("wayfind test intermediate", &a.root); err != nil {
		return nil, err
	}
	a.pool.AddCert(a.root.cert)
	return a, nil
}

// newIssuer makes an authority, signed by parent or, if parent is nil, by itself.
func newIssuer(name string, parent *issuer) (issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return issuer{}, err
	}
	template := newTemplate(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	if parent == nil {
		parent = &issuer{cert: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key.Public(), parent.key)
	if err != nil {
		return issuer{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return issuer{cert: cert, key: key}, err
}

func newTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes([]byte(rand.Text()[:16])),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    yearStart(firstYear),
		NotAfter:     yearStart(lastYear),
	}
}

func yearStart(year int) time.Time {
	return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
}

// leafFor returns the certificate that a host presents.
func leafFor(name string, kind certKind) (*tls.Certificate, error) {
	a, err := processAuthority()
	if err != nil {
		return nil, err
	}
	return a.leaf(name, kind)
}

// leaf returns the certificate of a host, with the fault of kind.
func (a *authority) leaf(name string, kind certKind) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := leafID{name, kind}
	if c, ok := a.leaves[id]; ok {
		return c, nil
	}
	template := newTemplate(name)
	template.DNSNames = []string{name}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	parent := a.root
	switch kind {
	case certExpired:
		template.NotAfter = yearStart(expiredYear)
	case certFuture:
		template.NotBefore = yearStart(futureYear)
	case certWrongName:
		template.DNSNames = []string{"another-name.example"}
	case certUnknownCA:
		parent = a.stranger
	case certSelfSigned:
		parent = issuer{cert: template, key: a.key}
	case certNoIntermediate:
		parent = a.intermediate
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, a.key.Public(), parent.key)
	if err != nil {
		return nil, err
	}
	a.leaves[id] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	return a.leaves[id], nil
}
