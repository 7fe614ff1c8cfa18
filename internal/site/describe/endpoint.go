package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/security"
)

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
		return security.Credential{}, wayfind.NewError("describe", r.URL, wayfind.CodeCredential, err)
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

// maxChallenges is the number of times that an endpoint may refuse: a first request without a
// credential, and one with an expired token.
const maxChallenges = 2

// endpoint is the state of requests to one endpoint with a credential of the caller.
type endpoint struct {
	*describer
	prober live.Prober
	at     wayfind.Interface
	url    *url.URL
	// source is nil if requests carry no credential or only a credential of client.WithCredential.
	// given is true in the second case.
	source discover.CredentialSource
	given  bool
}

// private reports whether the answer is for the caller alone.
func (l *endpoint) private() bool { return l.source != nil || l.given }

// ask asks the endpoint. A challenge is passed to the caller, which may return another credential.
// If the endpoint is at the origin, so that Resolve has asked it before, and there is no credential,
// the Reply is nil.
func (l *endpoint) ask(ctx context.Context) (*live.Reply, error) {
	if err := l.first(ctx); err != nil || !l.private() && (live.AtOrigin(l.at, l.site.Origin) || live.AtOrigin(l.at, l.OwnOrigin(l.site))) {
		return nil, err
	}
	return l.until(ctx, l.once)
}

// listen is ask for notices of changes.
func (l *endpoint) listen(ctx context.Context, changed func()) error {
	if err := l.first(ctx); err != nil {
		return err
	}
	reply, err := l.until(ctx, func(ctx context.Context) *live.Reply {
		road := l.HTTP(security.Origin(l.url), nil)
		to := road.Transport.(*discover.OneOrigin)
		to.Lasting, to.Led = true, l.isLed()
		return &live.Reply{Err: l.Live.Listen(l.with(ctx), l.prober, live.Request{URL: l.url, Interface: l.at, HTTP: road}, changed)}
	})
	if err != nil {
		return err
	}
	return reply.Err
}

// first asks the caller for the credential of the first request.
func (l *endpoint) first(ctx context.Context) error {
	request := l.request(l.auth())
	request.Challenged = l.refusedResolve()
	l.given = discover.HasCredential(ctx, request.Origin)
	return l.getSource(ctx, request)
}

// until repeats a request until the endpoint does not ask for another credential.
func (l *endpoint) until(ctx context.Context, once func(context.Context) *live.Reply) (*live.Reply, error) {
	for n := 0; ; n++ {
		reply := once(ctx)
		request, challenged := l.challenge(reply)
		if !challenged || l.given || n == maxChallenges {
			return reply, nil
		}
		if err := l.getSource(ctx, request); err != nil {
			return nil, err
		}
		if l.source == nil {
			return reply, nil
		}
	}
}

// with returns a context under which requests carry the caller's credential.
func (l *endpoint) with(ctx context.Context) context.Context {
	if l.source == nil {
		return ctx
	}
	return discover.WithCredentialSource(ctx, l.source)
}

// once asks the endpoint once.
func (l *endpoint) once(ctx context.Context) *live.Reply {
	a, end := l.begin(ctx) // begin now, because the caller may have taken long to answer
	defer end()
	work := l.with(a.Work)
	reply := l.Live.Ask(work, a, l.prober, live.Request{URL: l.url, Interface: l.at})
	if l.private() && l.repeats(work, reply) {
		err := wayfind.NewError("describe", l.url.String(), wayfind.CodeSecret, errors.New("the server's answer repeats the credential"))
		return &live.Reply{Err: err, At: reply.At, Expiry: reply.Expiry}
	}
	return reply
}

// repeats reports whether an answer contains the credential, which no model may see.
func (l *endpoint) repeats(ctx context.Context, reply *live.Reply) bool {
	var said strings.Builder
	_, _ = fmt.Fprint(&said, reply.Err)
	if reply.Reading != nil {
		located, diags := reply.Located(l.Place(l.url, l.url))
		for _, part := range []any{located.Services, located.Documents, located.Policies, diags} {
			raw, err := json.Marshal(part)
			if err != nil {
				return true
			}
			said.Write(raw)
		}
	}
	list, _, err := discover.CredentialSourceOf(ctx).For(http.MethodPost, l.url)
	return err != nil || slices.ContainsFunc(list, func(c security.Credential) bool {
		_, value, found := strings.Cut(c.Value, " ")
		if !found {
			value = c.Value
		}
		return len(value) >= minSecret && strings.Contains(said.String(), value)
	})
}

// minSecret is the least length of a credential that is searched for in answers. A shorter one may
// be an ordinary word.
const minSecret = 8

// borrow asks the caller for a credential, unless the context has one.
func (l *endpoint) getSource(ctx context.Context, r security.CredentialRequest) (err error) {
	if l.given {
		return nil
	}
	if provider := discover.CredentialProviderOf(ctx); provider != nil {
		if l.source, err = provider(ctx, r, l.source); err != nil {
			return wayfind.NewError("describe", r.URL, wayfind.CodeCredential, err)
		}
		return nil
	}
	c, err := l.credential(ctx, r)
	if l.source = nil; err == nil && !c.IsZero() && c != r.Refused {
		l.source = discover.StaticCredentials(c)
	}
	return err
}

// refusedResolve reports whether the endpoint has refused Resolve, whose request had no credential.
// Its challenge is part of the Site.
func (l *endpoint) refusedResolve() bool {
	return slices.ContainsFunc(l.site.Probes, func(p wayfind.Probe) bool {
		return p.URL == l.at.URL && p.Verdict == wayfind.VerdictProtected
	})
}

// auth returns the authentication at the endpoint, as far as the Site knows it.
func (l *endpoint) auth() *wayfind.Auth {
	if l.at.Auth != nil {
		return l.at.Auth
	}
	return l.detail.Service.Auth
}

func (l *endpoint) request(auth *wayfind.Auth) security.CredentialRequest {
	r := l.credentialRequest("live", l.url, auth)
	if auth != nil {
		for _, alternative := range auth.Requirements {
			for _, q := range alternative {
				r.Scopes = append(r.Scopes, q.Scopes...)
			}
		}
	}
	return r
}

// challenge returns the request for a credential that follows from a refusal.
func (l *endpoint) challenge(reply *live.Reply) (r security.CredentialRequest, challenged bool) {
	status, refused := errors.AsType[interface {
		error
		HTTPStatus() int
	}](reply.Err)
	if !refused || status.HTTPStatus() != http.StatusUnauthorized && status.HTTPStatus() != http.StatusForbidden {
		return r, false
	}
	auth := &wayfind.Auth{}
	if reply.Reading != nil {
		located, _ := reply.Located(l.Place(l.url, l.url))
		for i := range located.Services {
			for _, f := range located.Services[i].Interfaces {
				if f.Auth != nil {
					auth = f.Auth
				}
			}
		}
	}
	if status.HTTPStatus() == http.StatusForbidden && len(auth.Schemes) == 0 {
		return r, false
	}
	r = l.request(auth)
	r.Challenged = true
	if l.source != nil {
		list, _, err := l.source.For(http.MethodPost, l.url)
		if err != nil || len(list) == 0 {
			return r, false
		}
		r.Refused = list[0]
	}
	return r, true
}
