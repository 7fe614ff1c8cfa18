package credentials

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
)

// bound returns the origin of a request with its first proof. If it has none, the proof is the
// person's word, if person is set.
func bound(q *call.CredentialRequest, person bool) (call.Binding, bool) {
	switch {
	case len(q.Proofs) > 0:
		return call.Binding{Origin: q.Origin, Proof: q.Proofs[0]}, true
	case person:
		return call.Binding{Origin: q.Origin, Proof: call.ProofPerson}, true
	}
	return call.Binding{}, false
}

// StandIn returns a credential in place of one that is not read. It is never sent.
func StandIn(scheme wayfind.Scheme, to call.Binding) (*call.Grant, error) {
	if authkind.Of(scheme).Made() == authkind.Certificate {
		cert, err := shownCertificate()
		return call.Certificate(cert, to), err
	}
	return grantOf(scheme, []byte("hidden:hidden"), to)
}

// shownCertificate returns a certificate that is shown in place of the real one. It is never sent.
func shownCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, err
}
