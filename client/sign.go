package client

import (
	"crypto/ed25519"
	"fmt"
	"net/http"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/websign"
)

// Sign is the key for signing requests, for [Network]: HTTP message signatures (RFC 9421) with the
// profile of Web Bot Auth. Each request, including each hop of a redirect, has a signature of its
// own, which is valid for two minutes. Requests over http are never signed. If a response with the
// status 403 or 429 asks for another signature ("Accept-Signature"), a request for a document is
// sent once more.
//
// Signatures are in no cache key, no recording and no log. The key and the agent are part of the view of
// a Client, so that stored answers of signed and unsigned requests are kept apart (Network.View). A Sign hides its key from fmt, log/slog
// and encoding/json.
type Sign struct {
	// Key is the key that signs.
	Key ed25519.PrivateKey
	// Agent is the https URL that leads sites to the public key. It is an origin, such as
	// "https://bot.example.com", which publishes its keys at
	// /.well-known/http-message-signatures-directory, or the URL of a card (a client ID metadata
	// document). "wayfind keys" writes both.
	Agent string
	// Credentials also signs requests with a credential of a user: a credential from
	// Options.Credentials or WithCredential, a field of Options.IdentityFields, or a client
	// certificate. If it is false, such requests do not reveal to the site which agent a user uses.
	Credentials bool
}

// String returns the agent without the key.
func (s Sign) String() string { return "signatures of " + s.Agent + " (key: redacted)" }

// GoString hides the key from %#v.
func (s Sign) GoString() string { return "client.Sign{" + s.String() + "}" }

// MarshalText hides the key from encoding/json and log/slog.
func (s Sign) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// setSigner makes the signer from Network.Sign.
func (o *Options) setSigner() (err error) {
	s := o.Network.Sign
	if s == nil {
		return nil
	}
	own := *s
	o.Network.Sign = &own
	if o.signer, err = websign.New(own.Key, own.Agent); err != nil {
		return invalidOption("Network.Sign: %w", err)
	}
	return nil
}

// signature identifies the signer, or is "": a site may answer a request that it recognises in another way.
func (o *Options) signature() string {
	s := o.Network.Sign
	if s == nil {
		return ""
	}
	public, _ := s.Key.Public().(ed25519.PublicKey)
	return fmt.Sprintf(" signed by %x, %t, %s", public, s.Credentials, s.Agent)
}

// signing returns Network.Sign in the form of package fetch.
func (o *Options) signing() fetch.Signing {
	if o.signer == nil {
		return fetch.Signing{}
	}
	fields := o.IdentityFields
	if fields == nil {
		fields = cache.IdentityFields()
	}
	s := fetch.Signing{Signer: o.signer, Identified: o.Network.Sign.Credentials}
	for _, name := range fields {
		s.Identity = append(s.Identity, http.CanonicalHeaderKey(name))
	}
	return s
}
