package describe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// maxChallenges is the number of times that a server may refuse: a first request without a
// credential, and one with an expired token.
const maxChallenges = 2

// holder is the state of requests to one URL with a credential of the caller.
type holder struct {
	*describer
	url *url.URL
	// source is nil if requests carry no credential or only a credential of client.WithCredential.
	// given is true in the second case.
	source discover.CredentialSource
	given  bool
	// sent are the credentials of the last request for a document.
	sent []security.Credential
}

// credentialRequest returns the request for the credential of a request to u.
func (d *describer) credentialRequest(purpose string, u *url.URL, auth *wayfind.Auth) security.CredentialRequest {
	r := security.CredentialRequest{Origin: security.Origin(u), URL: u.String(), Purpose: purpose + " " + d.key}
	if d.from.Requested.Host != "" {
		r.DocumentOrigin = security.Origin(d.from.Requested)
	}
	if auth != nil {
		r.Schemes = auth.Schemes
	}
	return r
}

// purpose returns the first word of the purpose of requests for documents.
func (d *describer) purpose() string {
	if d.place {
		return "resolve"
	}
	return "describe"
}

// credential asks Options.Credentials; a zero Credential means that there is none.
func (d *describer) credential(ctx context.Context, r security.CredentialRequest) (security.Credential, error) {
	if d.Opts.Credentials == nil {
		return security.Credential{}, nil
	}
	c, err := d.Opts.Credentials(ctx, r)
	if errors.Is(err, wayfind.ErrInternal) {
		return c, err
	}
	if err == nil && !c.IsZero() {
		err = unsendable(c, r.Origin)
	}
	if err != nil {
		return security.Credential{}, wayfind.NewError(d.purpose(), r.URL, wayfind.CodeCredential, err)
	}
	return c, nil
}

// unsendable returns the reason why a credential cannot be sent to an origin, or nil.
func unsendable(c security.Credential, origin string) error {
	if c.Origin != origin {
		return fmt.Errorf("the credential is for %q", c.Origin)
	}
	if strings.ContainsFunc(c.Value, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }) {
		return errors.New("the credential has octets that no header field can hold")
	}
	if c.In != "" {
		return fmt.Errorf("documents are asked for with header fields only, and the credential belongs into %q", c.In)
	}
	if err := fieldname.CheckHeader(c.Field); err != nil && !strings.EqualFold(c.Field, "Authorization") {
		return fmt.Errorf("the credential's field cannot be sent: %w", err)
	}
	return nil
}

// getSource asks the caller for a credential, unless the context has one.
func (h *holder) getSource(ctx context.Context, r security.CredentialRequest) (err error) {
	if h.given {
		return nil
	}
	if provider := discover.CredentialProviderOf(ctx); provider != nil {
		if h.source, err = provider(ctx, r, h.source); err != nil {
			return wayfind.NewError(h.purpose(), r.URL, wayfind.CodeCredential, err)
		}
		return nil
	}
	c, err := h.credential(ctx, r)
	if h.source = nil; err == nil && !c.IsZero() && c != r.Refused {
		h.source = discover.StaticCredentials(c)
	}
	return err
}

// demanded returns a request for a credential with the scopes that its schemes need.
func demanded(r security.CredentialRequest, auth *wayfind.Auth) security.CredentialRequest {
	if auth != nil {
		for _, alternative := range auth.Requirements {
			for _, q := range alternative {
				r.Scopes = append(r.Scopes, q.Scopes...)
			}
		}
	}
	return r
}

// asking requests a document in a session.
type asking func(work context.Context, a *discover.Session) *discover.Outcome

// document requests a document. If its origin refuses it, the caller is asked for a credential,
// which the later documents of the origin in this call carry at once. If early is true, the caller
// is asked before the first request.
func (d *describer) document(ctx context.Context, a *discover.Session, u *url.URL, early bool, ask asking) (*discover.Outcome, error) {
	origin := security.Origin(u)
	source, asked := d.sources[origin]
	declined := asked && source == nil
	h := &holder{describer: d, url: u, given: discover.HasCredential(ctx, origin), source: source}
	if early && h.source == nil {
		if err := h.getSource(ctx, d.credentialRequest(d.purpose(), u, d.auth())); err != nil {
			return nil, err
		}
	}
	for n := 0; ; n++ {
		o, err := h.once(a, ask)
		if err != nil {
			return nil, err
		}
		request, refused := h.refused(o)
		if !refused || declined || n == maxChallenges {
			return o, nil
		}
		if err := h.again(ctx, request); err != nil || h.source == nil {
			return o, err
		}
		fresh, end := d.begin(ctx) // because the caller may have taken long to answer
		defer end()
		a = fresh
	}
}

// again gets a credential after a refusal. There is none if the credential of the context was
// refused.
func (h *holder) again(ctx context.Context, r security.CredentialRequest) error {
	switch {
	case h.given && h.source == nil:
		h.source = discover.CredentialSourceOf(ctx)
		return nil
	case h.given:
		h.source = nil
		return nil
	}
	err := h.getSource(ctx, r)
	h.sources[security.Origin(h.url)] = h.source
	return err
}

// once requests the document with the credential, if there is one.
func (h *holder) once(a *discover.Session, ask asking) (*discover.Outcome, error) {
	if h.source == nil {
		return ask(a.Work, a), nil
	}
	own, answered, err := h.session(a)
	if err != nil {
		return nil, err
	}
	o := ask(own.Work, own)
	if n := len(o.Entries); n == 0 || answered == nil || o.Fact.From != cache.FromNetwork || !answered(o.Probe.Status, o.Entries[n-1].Header) {
		return o, nil
	}
	if own, _, err = h.session(a); err != nil {
		return nil, err
	}
	return ask(own.Work, own), nil
}

// session returns a session with the credential for the origin of the document.
func (h *holder) session(a *discover.Session) (*discover.Session, discover.Answered, error) {
	list, answered, err := h.source.For(http.MethodGet, h.url)
	own, origin := *a, security.Origin(h.url)
	h.sent = nil
	for _, c := range list {
		if c.IsZero() || h.given && c.Origin != origin {
			continue
		}
		err = errors.Join(err, unsendable(c, origin))
		h.sent = append(h.sent, c)
		own.Credential = append(own.Credential, discover.AuthPart(c))
	}
	if err != nil {
		return nil, nil, wayfind.NewError(h.purpose(), h.url.String(), wayfind.CodeCredential, err)
	}
	if len(h.sent) > 0 {
		own.Partition = credentialID(h.sent[0]) // a proof follows its token, and differs each time
		h.carried = append(h.carried, h.sent...)
	}
	return &own, answered, nil
}

// refused returns the request for a credential that follows from the answer for a document. The
// schemes of the document that names it are tried first, then the challenge. An origin to which a
// redirect leads gets no credential.
func (h *holder) refused(o *discover.Outcome) (r security.CredentialRequest, refused bool) {
	n := len(o.Entries)
	if n == 0 || o.Probe.Verdict != wayfind.VerdictProtected || security.Origin(o.FinalURL()) != security.Origin(h.url) {
		return r, false
	}
	if auth := h.auth(); h.source == nil && auth != nil && statesScheme(auth) {
		return h.credentialRequest(h.purpose(), h.url, auth), true
	}
	auth := h.challenge(o.Entries[n-1].Header)
	if o.Probe.Status == http.StatusForbidden && len(auth.Schemes) == 0 {
		return r, false
	}
	r = demanded(h.credentialRequest(h.purpose(), h.url, auth), auth)
	if r.Challenged = true; len(h.sent) > 0 {
		r.Refused = h.sent[0]
	}
	return r, true
}

// challenge returns the authentication that the header of a refusal demands.
func (h *holder) challenge(header http.Header) *wayfind.Auth {
	auth, metadata, _ := oauth.Challenge(h.url, header)
	if auth == nil {
		return &wayfind.Auth{}
	}
	if metadata == "" {
		metadata = oauth.ResourceMetadataURL(h.url)
	}
	auth = oauth.Announced(auth, metadata)
	for name, scheme := range auth.Schemes {
		scheme.Description, _ = text.Clean(scheme.Description, false, maxRealm)
		auth.Schemes[name] = scheme
	}
	return auth
}

// maxRealm is the longest realm that is shown, in bytes.
const maxRealm = 256

// statesScheme reports whether a document names a scheme.
func statesScheme(auth *wayfind.Auth) bool {
	for _, s := range auth.Schemes {
		if s.Kind != wayfind.SchemeNone {
			return true
		}
	}
	return false
}

// auth returns the authentication at the described thing, as far as the Site knows it.
func (d *describer) auth() *wayfind.Auth {
	if c := d.detail.Capability; c != nil && c.Auth != nil {
		return c.Auth
	}
	return d.detail.Service.Auth
}

// repeats reports whether an answer contains a credential, which no model may see, in any spelling that
// the veil over shown texts knows.
func repeats(list []security.Credential, said error, parts ...any) bool {
	var veil secret.Veil
	for _, c := range list {
		for _, part := range secret.FieldParts(c.Value) {
			if len(part) >= minSecret {
				veil = veil.And(part)
			}
		}
	}
	var all bytes.Buffer
	_, _ = fmt.Fprintln(&all, said)
	plain := json.NewEncoder(&all)
	plain.SetEscapeHTML(false)
	for _, part := range parts {
		if plain.Encode(part) != nil {
			return true
		}
	}
	return veil.Repeated(all.Bytes())
}

// minSecret is the least length of a credential, and of a part of it, that is searched for in answers. A
// shorter one may be an ordinary word.
const minSecret = 8

// errRepeats is the cause of the error if an answer contains the credential.
var errRepeats = errors.New("the server's answer repeats the credential")
