package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/door"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// fetcher fetches one token for an account, whose turn it has.
type fetcher struct {
	*Request
	client *client.Client
	store  Store
	at     *url.URL // the Resource
	own    *account
	server *server
	id     string // of the client at the server
}

// fetch asks an authorization server, with a refresh token if there is one. It asks once more
// with proofs if the server gives no token without one. A client that we registered and that
// the server does not know any more is registered again, once.
func (f *fetcher) fetch(ctx context.Context) (t *Token, err error) {
	if f.server, err = f.findServer(ctx); err != nil {
		return nil, err
	}
	if f.own.issuer != f.server.issuer { // nothing of one issuer goes to another
		f.own.reset(f.server.issuer)
	}
	for again := false; ; again = true {
		if f.id, err = f.clientID(ctx); err != nil {
			return nil, err
		}
		t, kept, err := f.renewed(ctx)
		if t == nil && err == nil {
			t, err = f.login(ctx, kept)
		}
		if !again && !f.server.proofs && wantsProofs(err) {
			f.server.proofs = true
			continue
		}
		if f.ClientID != "" || again || !endsClient(err) {
			return t, err
		}
		if err := f.unregister(ctx); err != nil {
			return nil, err
		}
	}
}

// change changes the state of a client; "" is the one that we register. If the function
// returns an error, the state stays.
func (f *fetcher) change(ctx context.Context, id string, what func(kept *state) error) error {
	if f.Grant == ClientCredentials {
		return what(&f.own.machine)
	}
	var refusal error
	err := f.store.Update(ctx, Key{f.Principal, f.server.issuer, f.Resource, id}, func(kept []byte) ([]byte, error) {
		s := readState(kept)
		if refusal = what(&s); f.own.isGone() {
			refusal = errForgotten
		}
		if refusal != nil {
			return nil, refusal
		}
		return s.encode()
	})
	if err != nil && refusal == nil {
		return fmt.Errorf("the store of tokens: %w", err)
	}
	return err
}

// clientID is who we are to the server. A client is registered if the Config names none.
func (f *fetcher) clientID(ctx context.Context) (id string, err error) {
	if f.ClientID != "" {
		return f.ClientID, nil
	}
	err = f.change(ctx, "", func(kept *state) (err error) {
		if kept.Registered == "" {
			kept.Registered, err = f.register(ctx)
		}
		id = kept.Registered
		return err
	})
	return id, err
}

// unregister forgets a client that we registered, with its tokens.
func (f *fetcher) unregister(ctx context.Context) error {
	f.own.reset(f.server.issuer)
	drop := func(kept *state) error { *kept = state{}; return nil }
	return errors.Join(f.change(ctx, f.id, drop), f.change(ctx, "", drop))
}

// renewed uses the refresh token, if there is one for the scopes. It returns a nil Token if
// the user must log in, and the state. A new refresh token is kept also if the access token
// beside it cannot be used, and if the caller has given up meanwhile.
func (f *fetcher) renewed(ctx context.Context) (t *Token, now state, err error) {
	var unusable error
	ctx, begin, end := lingering(ctx)
	defer end()
	err = f.change(ctx, f.id, func(kept *state) (err error) {
		if err = begin(); err != nil {
			return err
		}
		if f.server.proofs && kept.Proofs == nil {
			if kept.Proofs, err = newProver(); err != nil {
				return err
			}
		}
		if kept.Refresh != "" && covers(kept.Scopes, f.wanted()) {
			var raw *oauth2.Token
			switch raw, err = f.renew(ctx, kept); {
			case err == nil:
				kept.Refresh = raw.RefreshToken
				t, unusable = f.read(raw, kept)
			case codeOf(err) == "invalid_grant":
				kept.Refresh, err = "", nil
			}
		}
		now = *kept
		return err
	})
	return t, now, cmp.Or(err, unusable)
}

// renew uses a refresh token. x/oauth2 has no way to name the resource there, so the
// parameter travels with the endpoint.
func (f *fetcher) renew(ctx context.Context, kept *state) (*oauth2.Token, error) {
	o, err := f.config(kept.Scopes)
	if err != nil {
		return nil, err
	}
	ctx = f.guarded(ctx, kept.Proofs, f.Resource)
	raw, err := o.TokenSource(ctx, &oauth2.Token{RefreshToken: kept.Refresh, Expiry: time.Unix(1, 0)}).Token()
	if err != nil {
		return nil, told(err)
	}
	return raw, nil
}

// login gets a token without a refresh token. People are asked for all scopes at once that
// their tokens need.
func (f *fetcher) login(ctx context.Context, now state) (*Token, error) {
	scopes := f.wanted()
	if len(scopes) == 0 {
		scopes = f.server.scopes
	}
	if f.NeedsPeople() {
		scopes = union(now.Scopes, scopes)
	}
	if err := f.agree(ctx, scopes); err != nil {
		return nil, err
	}
	o, err := f.config(scopes)
	if err != nil {
		return nil, err
	}
	raw, err := f.newToken(f.guarded(ctx, now.Proofs, ""), o, now.Proofs)
	if err != nil {
		return nil, told(err)
	}
	now.Refresh, now.Scopes = raw.RefreshToken, scopes
	t, err := f.read(raw, &now)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), linger) // a login is kept also if the caller has given up
	defer cancel()
	return t, f.change(ctx, f.id, func(kept *state) error { *kept = now; return nil })
}

// agree asks a person about many scopes, unless the Config names them or the person has
// agreed to them before.
func (f *fetcher) agree(ctx context.Context, scopes []string) error {
	foreign := slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return slices.Contains(f.Scopes, s) })
	if len(foreign) <= ManyScopes || covers(f.own.agreed, foreign) {
		return nil
	}
	if err := f.Agree(ctx, slices.Clone(foreign)); err != nil {
		return err
	}
	f.own.agreed = foreign
	return nil
}

// codeOf is the code by which an authorization server refuses a request for a token (RFC
// 6749 §5.2).
func codeOf(err error) string {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e.code
	}
	return ""
}

// endsClient reports whether a server does not know the client any more.
func endsClient(err error) bool {
	code := codeOf(err)
	return code == "invalid_client" || code == "unauthorized_client"
}

// wantsProofs reports whether a server refuses a request for want of a proof (RFC 9449 §5, §8).
func wantsProofs(err error) bool {
	code := codeOf(err)
	return code == "invalid_dpop_proof" || code == nonceWanted
}

// refusal is an answer of an authorization server that is no token, without what the server
// wrote, which may repeat the text that it was sent.
type refusal struct {
	status int
	code   string
}

// Error says what the server answered.
func (r *refusal) Error() string {
	return fmt.Sprintf("the authorization server refuses with %d (%s)", r.status, r.code)
}

// told is an error of package oauth2 in words of ours. A failure that passes says so.
func told(err error) error {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return passing(err)
	}
	r := &refusal{code: text.PlainWord(e.ErrorCode)}
	if e.Response != nil {
		r.status = e.Response.StatusCode
		if failure := failing(r.status, e.Response.Header); failure != nil {
			return failure
		}
	}
	return r
}

// failing is the error of a status by which a server fails for now; nil for another one.
func failing(status int, h http.Header) error {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		e := fail(Throttled, nil, fmt.Sprintf("a server of its authentication answers with %d", status))
		if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n > 0 && n <= maxRetryAfter {
			e.NotBefore = time.Now().Add(time.Duration(n) * time.Second).UTC().Truncate(time.Second)
		}
		return e
	case status >= 500:
		return fail(Unreachable, nil, fmt.Sprintf("a server of its authentication answers with %d", status))
	}
	return nil
}

// maxRetryAfter is the longest pause, in seconds, that a server is believed.
const maxRetryAfter = 24 * 60 * 60

// passing marks an error of the network that may be gone when the server is asked again.
func passing(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok:
	case errors.Is(e, wayfind.ErrThrottled):
		return &Error{Why: Throttled, Detail: "a server of its authentication is not asked now", Err: err, NotBefore: e.NotBefore}
	case errors.Is(e, wayfind.ErrUnreachable):
		return fail(Unreachable, err, "a server of its authentication")
	}
	return err
}

// approved asks before an authorization server on another site is contacted that the Config
// does not name.
func (f *fetcher) approved(ctx context.Context, issuer string) error {
	u, err := f.parseURL(issuer)
	if err != nil {
		return err
	}
	if f.Issuer == issuer || near(f.client, u, f.at) {
		return nil
	}
	return f.Approve(ctx, u)
}

// parseURL reads a URL that a server names. An origin of Guard.AllowNames is read if it is
// that of the resource, or of the issuer that the caller names: no other site leads there.
// The Client judges it when it is asked.
func (f *fetcher) parseURL(ref string) (*url.URL, error) {
	for _, own := range []string{f.Resource, f.Issuer} {
		u, err := security.ReadURL(own)
		if err != nil {
			continue
		}
		if to, err := security.DevGuard(security.Origin(u)).ParseURL(ref, nil); err == nil {
			return to, nil
		}
	}
	return security.ParseURL(ref, nil)
}

// near reports whether two URLs are on one site. A server of a private network is a site of
// its own.
func near(c *client.Client, a, b *url.URL) bool {
	return security.Origin(a) == security.Origin(b) || door.Of(c).SameSite(a.Host, b.Host)
}
