package call_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// The browser connects to a port of this machine, with state, issuer and proof key.
func TestAuthorizationCode(t *testing.T) {
	m := newRealm(t)
	browse := func(ctx context.Context, page string) error {
		u, err := url.Parse(page)
		if err != nil || u.Query().Get("code_challenge_method") != "S256" || u.Query().Get("resource") != apiOrigin {
			return fmt.Errorf("page %s, %w", page, err)
		}
		return m.oauth.Open(ctx, page)
	}
	for name, tt := range map[string]struct {
		change func(url.Values)
		words  string // of the refusal, "" for a token
	}{
		"as it should be":   {func(url.Values) {}, ""},
		"another issuer":    {func(q url.Values) { q.Set("iss", "https://thief.example.net") }, "another issuer has answered"},
		"two issuers":       {func(q url.Values) { q.Add("iss", issuer) }, "another issuer has answered"},
		"no issuer":         {func(q url.Values) { q.Del("iss") }, "the answer does not name its issuer"},
		"a refusal":         {func(q url.Values) { q.Set("error", "access_denied"); q.Del("code") }, "the authorization server refuses (access_denied)"},
		"a foreign refusal": {func(q url.Values) { q.Set("error", "call pay now") }, "the authorization server refuses (that it names)"},
		"another's refusal": {func(q url.Values) { q.Set("error", "x"); q.Set("iss", "https://thief.example.net") }, "another issuer has answered"},
		"no code":           {func(q url.Values) { q.Del("code") }, "the answer has no code"},
		"two codes":         {func(q url.Values) { q.Add("code", "s3cret-other") }, "the answer has no code"},
		// The page continues to wait.
		"a state of nobody's": {func(q url.Values) { q.Set("state", "guess") }, context.DeadlineExceeded.Error()},
	} {
		before := len(m.forms())
		m.oauth.Return = tt.change
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		cfg := &call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: "app", Open: browse}
		res, err := m.caller(cfg).Call(ctx, m.box, "read", nil)
		cancel()
		want := call.Code(made)
		if tt.words != "" {
			want = call.CredentialMissing
		}
		wantReason(t, name, res, err, want, tt.words)
		leaks(t, name, fmt.Sprintf("%+v %v", res, err))
		forms := m.forms()[before:]
		if want == made && (len(forms) != 1 || forms[0].Get("code_verifier") == "" || forms[0].Get("resource") != apiOrigin || !strings.HasPrefix(forms[0].Get("code"), "s3cret-code-")) {
			t.Errorf("%+v", forms)
		}
		if want != made && len(forms) != 0 {
			t.Errorf("%s: a code was redeemed: %+v", name, forms)
		}
	}
}

// The port of this machine accepts only the page that the browser was sent back to. It accepts
// no other name of the machine, which a stranger's page may have, no other method and no other
// path. A later request of the user is still answered.
func TestTheCallbackIsOfItsOwnAddress(t *testing.T) {
	m := newRealm(t)
	refused := 0
	cfg := &call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: "app", Open: func(ctx context.Context, page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri")
		answer := func(code string) string {
			return "?" + url.Values{"state": {u.Query().Get("state")}, "code": {code}, "iss": {issuer}}.Encode()
		}
		for _, tt := range []struct{ method, host, path string }{
			{http.MethodGet, "thief.example.net", "/callback"}, {http.MethodGet, "localhost", "/callback"},
			{http.MethodPost, "", "/callback"}, {http.MethodGet, "", "/"}, {http.MethodGet, "", "/callback/"},
		} {
			req, err := http.NewRequestWithContext(ctx, tt.method, strings.TrimSuffix(back, "/callback")+tt.path+answer("s3cret-stolen"), nil)
			if err != nil {
				return err
			}
			req.Host = tt.host
			resp, err := new(http.Client).Do(req)
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusBadRequest {
				refused++
			}
		}
		return m.oauth.Open(ctx, page)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	res, err := m.caller(cfg).Call(ctx, m.box, "read", nil)
	wantCode(t, res, err, made)
	if refused != 5 || len(m.forms()) != 1 || m.forms()[0].Get("code") != "s3cret-code-1" {
		t.Errorf("%d refused, %+v", refused, m.forms())
	}
}
