package tokens

import (
	"cmp"
	"context"
	"crypto/rand"
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
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// fetcher fetches one token for an account while it holds the turn of the account.
type fetcher struct {
	*Request
	client *client.Client
	store  Store
	at     *url.URL // the Resource
	own    *account
	server *server
	id     string // the ID of the client at the server
	secret string // of the client, or ""
	// audience is the resource as its metadata write it (RFC 8707 §2). It is the origin only if the
	// metadata are at the place of the origin: no other place speaks for all that is there.
	audience string
	walls    bool   // a place of metadata answered neither with them nor that there are none
	method   string // by which the client authenticates; "" for what the server takes
}

// fetch requests a token from an authorization server, with a refresh token if there is one.
// If the server gives no token without a proof, it repeats the request with proofs, once. If
// the client was registered by this package and the server no longer knows it, fetch registers
// it again, once.
func (f *fetcher) fetch(ctx context.Context) (t *Token, err error) {
	if f.server, err = f.findServer(ctx); err != nil {
		return nil, err
	}
	if f.own.issuer != f.server.issuer { // no data of one issuer is sent to another
		f.own.reset(f.server.issuer)
	}
	for again := false; ; again = true {
		if err = f.identify(ctx); err != nil {
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

// change changes the state of a client; id is "" for the client that this package registers.
// If the function returns an error, the state does not change. If only the store fails, the tokens are
// used all the same, for the life of the Keeper, which is logged.
func (f *fetcher) change(ctx context.Context, id string, what func(kept *state) error) error {
	if f.Grant == ClientCredentials {
		return what(&f.own.machine)
	}
	var refusal error
	var next *state
	var held string
	err := f.store.Update(ctx, Key{f.Principal, f.server.issuer, f.Resource, id}, func(kept []byte) ([]byte, error) {
		s := readState(kept)
		if own, ok := f.own.unkept[id]; ok && own.held == string(kept) {
			s = own.state
		}
		held = string(kept)
		if refusal = what(&s); f.own.isGone() {
			refusal = errForgotten
		}
		if refusal != nil {
			return nil, refusal
		}
		next = &s
		return s.encode()
	})
	switch {
	case err == nil:
		delete(f.own.unkept, id)
		return nil
	case refusal != nil:
		return err
	case next == nil:
		return fmt.Errorf("the store of tokens: %w", err)
	}
	if f.own.unkept == nil {
		f.own.unkept = make(map[string]unkept)
	}
	f.own.unkept[id] = unkept{*next, held}
	access.Of(f.client).Logger().Warn("a login could not be kept: it holds until this process ends", "issuer", f.server.issuer, "err", err)
	return nil
}

// identify finds out as which client the server is asked. If the Config names no client, one is
// registered, and again when its secret has expired.
func (f *fetcher) identify(ctx context.Context) error {
	if f.ClientID != "" {
		f.id, f.secret = f.ClientID, f.ClientSecret
		return nil
	}
	return f.change(ctx, "", func(kept *state) error {
		if kept.Registered == "" || kept.Until != 0 && time.Now().Unix() >= kept.Until {
			made, err := f.register(ctx)
			if err != nil {
				return err
			}
			*kept = made
		}
		f.id, f.secret, f.method = kept.Registered, kept.Secret, kept.Method
		return nil
	})
}

// unregister forgets a client that this package registered, with its tokens.
func (f *fetcher) unregister(ctx context.Context) error {
	f.own.reset(f.server.issuer)
	drop := func(kept *state) error { *kept = state{}; return nil }
	return errors.Join(f.change(ctx, f.id, drop), f.change(ctx, "", drop))
}

// renewed uses the refresh token, if there is one for the scopes. If the user must log in, it
// returns a nil Token, and the state. A new refresh token is kept even if the access token
// that came with it cannot be used, or if the caller has given up in the meantime.
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
		if kept.Refresh != "" && covers(kept.Scopes, f.wanted()) && cmp.Or(kept.Audience, f.Resource) == f.audience {
			var raw *oauth2.Token
			switch raw, err = f.renew(ctx, kept); {
			case err == nil:
				kept.Refresh, kept.Login = raw.RefreshToken, cmp.Or(kept.Login, rand.Text())
				t, unusable = f.read(raw, kept)
			case codeOf(err) == "invalid_grant", codeOf(err) == "invalid_target":
				kept.Refresh, err = "", nil
			}
		}
		now = *kept
		return err
	})
	return t, now, cmp.Or(err, unusable)
}

// renew uses a refresh token. x/oauth2 cannot add the parameter "resource" to this request, so
// oauthTransport adds it.
func (f *fetcher) renew(ctx context.Context, kept *state) (*oauth2.Token, error) {
	o, err := f.config(kept.Scopes)
	if err != nil {
		return nil, err
	}
	ctx = f.guarded(ctx, kept.Proofs, f.audience)
	raw, err := o.TokenSource(ctx, &oauth2.Token{RefreshToken: kept.Refresh, Expiry: time.Unix(1, 0)}).Token()
	if err != nil {
		return nil, told(err)
	}
	return raw, nil
}

// login gets a token without a refresh token. A person is asked at once for all scopes that
// the person's tokens need.
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
	now.Refresh, now.Scopes, now.Audience = raw.RefreshToken, scopes, f.audience
	if now.Login = f.id; f.NeedsPeople() {
		now.Login = rand.Text()
	}
	t, err := f.read(raw, &now)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), linger) // a login is kept even if the caller has given up
	defer cancel()
	return t, f.change(ctx, f.id, func(kept *state) error { *kept = now; return nil })
}

// agree asks a person about many scopes, unless the Config names them or the person has agreed
// to them before.
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

// codeOf returns the code with which an authorization server refused a request for a token
// (RFC 6749 §5.2).
func codeOf(err error) string {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e.code
	}
	return ""
}

// endsClient reports whether a server no longer knows the client.
func endsClient(err error) bool {
	code := codeOf(err)
	return code == "invalid_client" || code == "unauthorized_client"
}

// wantsProofs reports whether a server refuses a request because it had no proof (RFC 9449 §5,
// §8).
func wantsProofs(err error) bool {
	code := codeOf(err)
	return code == "invalid_dpop_proof" || code == nonceWanted
}

// refusal is an answer of an authorization server without a token. It does not contain the
// text of the server, which may repeat the request.
type refusal struct {
	status int
	code   string
}

// Error returns the status and the code of the answer.
func (r *refusal) Error() string {
	return fmt.Sprintf("the authorization server refuses with %d (%s)", r.status, r.code)
}

// told returns an error of package oauth2 in words of this package. If the failure is
// temporary, its [Why] is Throttled or Unreachable.
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

// failing returns the error for the status of a temporary failure; nil for any other status.
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

// maxRetryAfter is the longest pause of a server that is accepted, in seconds.
const maxRetryAfter = 24 * 60 * 60

// passing marks a network error that may be gone when the server is contacted again.
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

// approved asks for approval before an authorization server on another site is contacted,
// unless the Config names the server.
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

// parseURL reads a URL that a server names. An origin of Guard.AllowNames is accepted only if
// it is the origin of the resource, or of the issuer that the caller names, so that no other
// site can lead to it. A server under development may name others: all of them are in
// Guard.AllowDev. The Client checks the URL when it sends the request.
func (f *fetcher) parseURL(ref string) (*url.URL, error) {
	to, err := url.Parse(ref)
	if err != nil {
		return security.ParseURL(ref, nil)
	}
	for _, own := range []string{f.Resource, f.Issuer} {
		u, err := url.Parse(own)
		if err != nil {
			continue
		}
		origin := security.Origin(u)
		if access.Of(f.client).AllowsDev(origin) && access.Of(f.client).AllowsDev(security.Origin(to)) {
			origin = security.Origin(to)
		}
		if to, err := security.DevGuard(origin).ParseURL(ref, nil); err == nil {
			return to, nil
		}
	}
	return security.ParseURL(ref, nil)
}

// near reports whether two URLs are on the same site. A server in a private network is a site
// of its own.
func near(c *client.Client, a, b *url.URL) bool {
	return security.Origin(a) == security.Origin(b) || access.Of(c).SameSite(a.Host, b.Host)
}
