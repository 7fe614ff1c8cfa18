package describe

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/security"
)

// endpoint is the state of requests to one endpoint with a credential of the caller.
type endpoint struct {
	holder
	prober live.Prober
	at     wayfind.Interface
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
		err := wayfind.NewError("describe", l.url.String(), wayfind.CodeSecret, errRepeats)
		return &live.Reply{Err: err, At: reply.At, Expiry: reply.Expiry}
	}
	return reply
}

// repeats reports whether an answer contains the credential, which no model may see.
func (l *endpoint) repeats(ctx context.Context, reply *live.Reply) bool {
	said := []any{}
	if reply.Reading != nil {
		located, diags := reply.Located(l.Place(l.url, l.url))
		said = append(said, located.Services, located.Documents, located.Policies, diags)
	}
	list, _, err := discover.CredentialSourceOf(ctx).For(http.MethodPost, l.url)
	return err != nil || repeats(list, reply.Err, said...)
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
	return demanded(l.credentialRequest("live", l.url, auth), auth)
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
