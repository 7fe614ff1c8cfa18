package call

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// Proof is the reason why an origin may get a credential.
type Proof string

// The proofs. This package checks all of them except ProofPerson.
const (
	// ProofSameOrigin: the document that describes the call comes from the origin.
	ProofSameOrigin Proof = "same_origin"
	// ProofSigned: the document is signed with a key that the caller trusts.
	ProofSigned Proof = "signed"
	// ProofPin: the user has pinned the definition.
	ProofPin Proof = "pin"
	// ProofPerson: the user was shown the origin and has approved it.
	ProofPerson Proof = "person"
)

// Binding is an origin that a credential is for, with the proof that it may get the credential.
type Binding struct {
	Origin string `json:"origin"`
	Proof  Proof  `json:"proof"`
}

// CredentialRequest asks for a credential. Its strings are cleaned text of strangers.
type CredentialRequest struct {
	// Principal is the user on whose behalf the call is made. Tool is the tool that is called.
	Principal, Tool string
	// Origin is the origin that would get the credential: "https://api.example.com".
	Origin string
	// Proofs are the proofs that were checked and hold. ProofPerson is never among them.
	Proofs []Proof
	// Name is the name of the scheme in the document. Scheme is the description of the scheme
	// in the document.
	Name   string
	Scheme wayfind.Scheme
	// Challenged is true if no document names a scheme and the site demands a credential in its
	// answer. Name is then "bearer", or "basic" if the answer demands a user name and a password.
	Challenged bool
	// Scopes are the scopes that the call needs, according to the document or the challenge.
	Scopes []string
	// Resource is the URL that a token would be for (RFC 8707).
	Resource string
}

// Grant is a credential with the origins that it is for. Make one with [Key], [Basic],
// [Bearer], [OAuth] or [Certificate]. A Grant hides its value from fmt, log/slog and
// encoding/json.
type Grant struct {
	// For are the origins that may get the credential.
	For []Binding

	kind authkind.Grant
	// hidden is a pointer because fmt does not follow pointers inside of other values.
	hidden *hidden
}

// hidden is the secret part of a Grant.
type hidden struct {
	value, user string
	config      *tokens.Config
	cert        *tls.Certificate
}

// The kinds of grants.
const (
	kindKey    = authkind.Key
	kindBasic  = authkind.Basic
	kindBearer = authkind.Bearer
	kindOAuth  = authkind.OAuth
	kindCert   = authkind.Certificate
)

// Key returns a grant of an API key. The document defines its place in the request.
func Key(value string, to ...Binding) *Grant {
	return &Grant{For: to, kind: kindKey, hidden: &hidden{value: value}}
}

// Basic returns a grant of a user name and a password (RFC 7617).
func Basic(user, password string, to ...Binding) *Grant {
	return &Grant{For: to, kind: kindBasic, hidden: &hidden{user: user, value: password}}
}

// Bearer returns a grant of an existing token (RFC 6750). It also fits a scheme of kind
// api_key whose key goes into the field Authorization. The word before the token is then the
// Prefix of the scheme, or the word that the text of the document mentions, such as "Bot" for
// the token of a bot. To choose the word, use a [Key] that begins with it.
func Bearer(token string, to ...Binding) *Grant {
	return &Grant{For: to, kind: kindBearer, hidden: &hidden{value: token}}
}

// Certificate returns a grant of a client certificate with its key (mutual TLS). It is shown
// only to the origins in the grant, over connections that no other request shares.
func Certificate(cert tls.Certificate, to ...Binding) *Grant {
	return &Grant{For: to, kind: kindCert, hidden: &hidden{cert: &cert}}
}

// String describes the grant without its value.
func (g Grant) String() string { return fmt.Sprintf("grant of kind %q for %v", g.kind, g.For) }

// Format hides the value from all verbs.
func (g Grant) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(g.String())) }

// MarshalText hides the value from encoding/json and log/slog.
func (g Grant) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// part is one credential of a call: its place, and the grant from which its value is made.
type part struct {
	name   string
	scheme wayfind.Scheme
	scopes []string
	grant  *Grant
	placed Placed
	prefix string
	// The following fields come from a challenge. stale is a token that the site no longer
	// accepts, more are additional scopes, metadata is the URL of the metadata that names the
	// authorization servers, and proofs is true if each token needs a proof.
	stale    string
	more     []string
	metadata string
	proofs   bool
}

// alternatives returns the alternatives of the site. Each is a list of requirements that are
// needed together. If there is no alternative, no credential is needed.
func alternatives(a *wayfind.Auth) [][]wayfind.Requirement {
	if a == nil {
		return nil
	}
	if len(a.Requirements) > 0 || !a.Unknown {
		return a.Requirements
	}
	var list [][]wayfind.Requirement
	for _, name := range sortedKeys(a.Schemes) {
		list = append(list, []wayfind.Requirement{{Scheme: name}})
	}
	return append(list, []wayfind.Requirement{{Scheme: string(wayfind.SchemeNone)}})
}

// bind returns the place of a credential, or the reason why it cannot be sent. A credential
// that cannot be sent is never silently left out.
func bind(q *CredentialRequest, g *Grant) (part, error) {
	p := part{name: q.Name, scheme: q.Scheme, scopes: q.Scopes, grant: g, proofs: strings.EqualFold(q.Scheme.HTTPScheme, "DPoP")}
	p.placed = Placed{Scheme: q.Name, Origin: q.Origin}
	p.placed.In, p.placed.Name = authkind.Of(q.Scheme).Place(q.Scheme)
	for _, b := range g.For {
		if b.Origin != q.Origin {
			continue
		}
		if b.Proof == "" {
			return p, fmt.Errorf("the grant for %s has no Binding.Proof; use one of CredentialRequest.Proofs, or ProofPerson", b.Origin)
		}
		if b.Proof != ProofPerson && !slices.Contains(q.Proofs, b.Proof) {
			return p, fmt.Errorf("the grant for %s rests on %q, which nothing bears out", b.Origin, b.Proof)
		}
		p.placed.Proof = b.Proof
	}
	if p.placed.Proof == "" {
		return p, fmt.Errorf("the grant is not for %s", q.Origin)
	}
	return p, p.fit()
}

// fitting names the grants that fit a scheme. It is empty if none does.
func fitting(s wayfind.Scheme) string {
	var names []string
	for _, g := range authkind.Of(s).Grants {
		names = append(names, fmt.Sprintf("%q", g))
	}
	if names == nil {
		return ""
	}
	return ", which takes " + strings.Join(names, " or ")
}

// fit checks that the grant fits the scheme.
func (p *part) fit() error {
	g := p.grant
	if g.hidden == nil {
		return errors.New("the grant is empty")
	}
	if !authkind.Of(p.scheme).Takes(g.kind) && (g.kind != kindBearer || !isToken(p.scheme)) {
		return fmt.Errorf("a grant of kind %q does not fit a scheme of kind %q%s", g.kind, p.scheme.Kind, fitting(p.scheme))
	}
	switch g.kind {
	case kindCert:
		return p.fitCertificate(time.Now())
	case kindKey:
		return p.fitKey()
	case kindBasic:
		if strings.ContainsFunc(g.hidden.user+g.hidden.value, isControl) || strings.Contains(g.hidden.user, ":") {
			return errors.New("the user name or the password has a character that cannot be sent")
		}
	case kindBearer:
		if !text.IsFieldValue(g.hidden.value) {
			return errors.New("the token has octets that no header field can hold")
		}
		if tokens.BoundTo(g.hidden.value) != "" {
			return errors.New("the token is bound to a key (DPoP), whose proofs cannot be made")
		}
		return p.fitToken()
	}
	return nil
}

// maxCredential is the maximum size of a credential in bytes. Servers accept 8 to 16 KiB of
// header fields.
const maxCredential = 64 << 10

// size refuses a credential that is longer than maxCredential.
func (p *part) size(value string) error {
	if len(value) > maxCredential {
		return fail(CredentialTooLarge, nil, fmt.Sprintf("more than %d bytes", maxCredential))
	}
	return nil
}

// fitKey checks an API key and its place.
func (p *part) fitKey() error {
	s := p.scheme
	if p.prefix = ""; s.Prefix != nil && *s.Prefix != "" {
		p.prefix = *s.Prefix + " "
	}
	value := p.prefix + p.grant.hidden.value
	if err := fieldname.CheckPlace(s.In, s.Name); err != nil {
		return err
	}
	switch {
	case s.In == "header" && !text.IsFieldValue(value):
		return errors.New("the key has octets that no header field can hold")
	case s.In == "cookie" && !fieldname.IsCookieText(value):
		return errors.New("the key has octets that no cookie can hold")
	}
	return nil
}

// fitCertificate checks a client certificate.
func (p *part) fitCertificate(now time.Time) error {
	cert := p.grant.hidden.cert
	if len(cert.Certificate) == 0 || cert.PrivateKey == nil {
		return errors.New("the certificate has no key, or is empty")
	}
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	switch {
	case err != nil:
		return errors.New("the certificate cannot be read")
	case now.Before(leaf.NotBefore), now.After(leaf.NotAfter):
		return errors.New("the certificate is not valid now")
	}
	return nil
}

// value returns the value of a credential. fetch gets the token if the grant is OAuth.
func (p *part) value(fetch func() (*tokens.Token, error)) (c value, err error) {
	c.Credential = security.Credential{Origin: p.placed.Origin, Field: p.placed.Name}
	if p.placed.In != "header" {
		c.In = p.placed.In
	}
	switch p.grant.kind {
	case kindBearer:
		if p.proofs {
			return c, fail(CredentialRefused, nil, "the site takes only tokens with a proof (DPoP), and a token from call.Bearer has none; an OAuthConfig makes them")
		}
		c.Value = p.prefix + p.grant.hidden.value
	case kindKey:
		c.Value = p.prefix + p.grant.hidden.value
	case kindBasic:
		c.Value = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.grant.hidden.user+":"+p.grant.hidden.value))
	case kindOAuth:
		if c.token, err = fetch(); err != nil {
			return c, err
		}
		c.Value = c.token.Authorization()
	}
	return c, nil
}

// fitToken chooses the word before a token: "Bearer", unless the document describes the token
// as a key with another word.
func (p *part) fitToken() error {
	p.prefix = "Bearer "
	switch {
	case !isToken(p.scheme):
		return nil
	case p.scheme.Prefix != nil:
		return p.fitKey()
	}
	if found := tokenWord.FindStringSubmatch(p.scheme.Description); found != nil && found[1] != "" {
		p.prefix = found[1] + " "
	} else if found != nil && strings.EqualFold(found[2], "bot") {
		p.prefix = "Bot "
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// isToken reports whether the key of a scheme goes into the place of tokens: the field
// Authorization, after the name of an authentication scheme (RFC 9110 §11.4).
func isToken(s wayfind.Scheme) bool {
	return s.Kind == wayfind.SchemeAPIKey && s.In == "header" && strings.EqualFold(s.Name, "Authorization")
}

// tokenWord finds the word before a token in the text of a document.
var tokenWord = regexp.MustCompile(`(?i)authorization:\s*([a-z][a-z-]*)\s|\b(bearer|bot)\b`)
