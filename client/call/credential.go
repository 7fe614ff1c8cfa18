package call

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
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
	// Challenged is true if no document names a scheme and the site demands a token in its
	// answer. Name is then "bearer".
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

// auth returns the statement of the site about authentication that is nearest to the call.
func (t *target) auth() *wayfind.Auth {
	if c := t.tool.Capability; c != nil && c.Auth != nil {
		return c.Auth
	}
	if t.at != nil && t.at.Auth != nil {
		return t.at.Auth
	}
	return t.tool.Service.Auth
}

// declares reports whether a document names a scheme for the call. A document that declares no
// authentication may be wrong, so the scheme "none" is ignored.
func (t *target) declares() bool {
	auth := t.auth()
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if s.Kind != wayfind.SchemeNone {
			return true
		}
	}
	return false
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

// authenticate finds the first alternative that the caller can meet. It sends no request and
// fetches no token.
func (d *draft) authenticate(ctx context.Context) ([]part, error) {
	if c := d.caller.challengeOf(d); c != nil {
		if parts, err := d.meetChallenge(ctx, c); err != nil || len(parts) > 0 {
			return parts, err
		}
	}
	auth := d.auth()
	list := alternatives(auth)
	if len(list) == 0 {
		return nil, nil
	}
	for _, needed := range list {
		parts, err := d.meet(ctx, auth, needed)
		if err != nil || parts != nil {
			return parts, err
		}
	}
	return nil, fail(CredentialMissing, nil, fmt.Sprintf("it needs one of the kind %s", kindsOf(auth, list)))
}

// meet asks for each part of one alternative. It returns nil if the caller does not have all
// of them.
func (d *draft) meet(ctx context.Context, auth *wayfind.Auth, needed []wayfind.Requirement) ([]part, error) {
	parts := []part{}
	for _, q := range needed {
		scheme, known := auth.Schemes[q.Scheme]
		if scheme.Kind == wayfind.SchemeNone || !known && q.Scheme == string(wayfind.SchemeNone) {
			continue
		}
		if !known || d.caller.opts.Credentials == nil {
			return nil, nil
		}
		request := &CredentialRequest{
			Principal: d.principal, Tool: d.tool.Name, Origin: d.origin, Proofs: d.proofs(ctx), Name: q.Scheme, Scheme: scheme, Scopes: q.Scopes,
			Resource: d.resource(&d.message), Challenged: !d.declares(),
		}
		grant, err := askHook("Credentials", func() (*Grant, error) { return d.caller.opts.Credentials(ctx, request) })
		if err == nil {
			err = d.broken
		}
		if err != nil {
			return nil, fail(CredentialMissing, err, "")
		}
		if grant == nil {
			return nil, nil
		}
		p, err := bind(request, grant)
		if err != nil {
			return nil, fail(CredentialRefused, err, "it cannot be sent for this call")
		}
		if err := p.size(grant.hidden.value); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// resource returns the URL that a token would be for (RFC 8707): the endpoint of a protocol
// or, for plain HTTP, the origin.
func (t *target) resource(m *message) string {
	if t.at == nil {
		return m.origin
	}
	u := *m.url
	u.RawQuery = ""
	return u.String()
}

// bind returns the place of a credential, or the reason why it cannot be sent. A credential
// that cannot be sent is never silently left out.
func bind(q *CredentialRequest, g *Grant) (part, error) {
	p := part{name: q.Name, scheme: q.Scheme, scopes: q.Scopes, grant: g}
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
	switch s.In {
	case "header":
		if err := fieldname.CheckHeader(s.Name); err != nil && !strings.EqualFold(s.Name, "Authorization") {
			return fmt.Errorf("the key cannot be sent: %w", err)
		}
		if !text.IsFieldValue(value) {
			return errors.New("the key has octets that no header field can hold")
		}
	case "query":
		if s.Name == "" {
			return errors.New("the document does not name the parameter of the key")
		}
	case "cookie":
		if s.Name == "" || strings.ContainsFunc(s.Name+value, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`",;\`, c) }) || strings.Contains(s.Name, "=") {
			return errors.New("the key has octets that no cookie can hold")
		}
	default:
		return fmt.Errorf("the document does not say where the key goes (%q)", s.In)
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

func isControl(c rune) bool { return c < ' ' || c == 0x7f }
