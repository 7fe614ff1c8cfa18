package call_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

// protected returns a realm whose API checks its tokens. made are the requests that had an
// effect.
func protected(t *testing.T) (m *realm, made *[]string) {
	m, made = newRealm(t), new([]string)
	scope := func(r *http.Request) []string {
		if r.URL.Path == resourceMeta {
			return nil
		}
		return []string{strings.TrimPrefix(r.URL.Path, "/api/")}
	}
	var mu sync.Mutex
	site := m.oauth.Protect(apiOrigin, scope, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		*made = append(*made, r.Method+" "+r.Header.Get("Authorization"))
	}))
	for _, path := range []string{resourceMeta, "/api/read", "/api/write"} {
		m.api.Handle(path, site)
	}
	return m, made
}

// A resource that demands proofs gets one with each request, and its nonce, once. This causes
// neither a second question nor a second effect.
func TestACallWithABoundTokenHasOneEffect(t *testing.T) {
	for name, nonces := range map[string]bool{"proofs": false, "proofs with nonces": true} {
		bubble(t, func(t *testing.T) {
			m, did := protected(t)
			m.oauth.DPoP, m.oauth.Nonces = true, nonces
			y := &yes{verdict: call.AllowOnce}
			c := m.caller(machine(), func(o *call.Options) { o.Confirm = y.confirm })
			for i := range 3 {
				res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
				wantCode(t, res, err, made)
				if leaks(t, name, fmt.Sprintf("%+v", res)); len(*did) != i+1 || (*did)[i] != "POST DPoP s3cret-token-1" || y.count() != i+1 {
					t.Errorf("%s: made %q, %d questions", name, *did, y.count())
				}
				m.oauth.NewNonce()
			}
			proofs := map[string]bool{}
			for _, r := range m.api.Requests() {
				if auth := r.Header.Get("Authorization"); strings.Contains(auth, "Bearer") {
					t.Errorf("%s: %s", name, auth)
				}
				if proof := r.Header.Get("DPoP"); proof != "" && proofs[proof] {
					t.Errorf("%s: a proof was sent twice", name)
				} else if proof != "" {
					proofs[proof] = true
				}
			}
			if want := 3; nonces && len(proofs) != 2*want || !nonces && len(proofs) != want {
				t.Errorf("%s: %d proofs", name, len(proofs))
			}
		})
	}
}

// A site that demands its nonce repeatedly is answered once only.
func TestANonceIsAskedForOnceInACall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, did := protected(t)
		m.oauth.DPoP = true
		n := 0
		m.api.Handle("/api/read", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n++
			w.Header().Set("DPoP-Nonce", fmt.Sprint("n", n))
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			w.WriteHeader(http.StatusUnauthorized)
		}))
		res, err := m.caller(machine()).Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, call.CredentialRefused); n > 3 || len(*did) != 0 {
			t.Errorf("%d requests, made %q", n, *did)
		}
	})
}

// Simultaneous requests all get the nonce that the site demands, and each is made once.
func TestACrowdMeetsTheSameNonce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, did := protected(t)
		m.oauth.DPoP, m.oauth.Nonces = true, true
		c := m.caller(machine())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				res, err := c.Call(t.Context(), m.box, "read", nil)
				wantCode(t, res, err, made)
			})
		}
		if all.Wait(); len(*did) != 20 {
			t.Errorf("%d calls were made", len(*did))
		}
	})
}

// If a site demands proofs by its challenge and not in its metadata, it gets a token of that
// kind, and the call is made once. A challenge that accepts a bearer token too is answered
// with one.
func TestAChallengeForProofsIsMet(t *testing.T) {
	for name, tt := range map[string]struct {
		silent    bool // the document names no scheme
		challenge string
		want      string
	}{
		"a document with a scheme": {false, `DPoP algs="ES256"`, "DPoP"},
		"an invalid token":         {false, `DPoP error="invalid_token", algs="ES256 RS256"`, "DPoP"},
		"a silent document":        {true, `DPoP algs="ES256", resource_metadata="https://api.example.com/meta"`, "DPoP"},
		"both schemes":             {false, `DPoP algs="ES256", Bearer error="invalid_token"`, "Bearer"},
		"both, and silence":        {true, `DPoP algs="ES256", Bearer, Basic realm="x"`, "Bearer"},
	} {
		bubble(t, func(t *testing.T) {
			m := newRealm(t)
			if tt.silent {
				m = newSilent(t, "")
			}
			m.login.Handle("/token", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m.oauth.DPoP = r.Header.Get("DPoP") != "" // who brings no proof gets a bearer token
				m.oauth.ServeHTTP(w, r)
			}))
			var did []string
			site := m.oauth.Protect(apiOrigin, func(*http.Request) []string { return []string{} }, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				did = append(did, r.Method+" "+r.Header.Get("Authorization"))
			}))
			refused := 0
			m.api.Handle("/api/write", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if refused++; refused == 1 {
					w.Header().Set("WWW-Authenticate", tt.challenge)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				site.ServeHTTP(w, r)
			}))
			c := m.caller(machine())
			for n := range 2 {
				res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
				if wantCode(t, res, err, made); len(did) != n+1 || !strings.HasPrefix(did[n], "POST "+tt.want+" s3cret-token-") || refused != n+2 {
					t.Errorf("%s: made %q, %d requests: %v", name, did, refused, err)
				}
			}
			for _, r := range m.api.Requests() {
				if proof := r.Header.Get("DPoP"); (proof != "") != strings.HasPrefix(r.Header.Get("Authorization"), "DPoP ") {
					t.Errorf("%s: %v", name, r.Header)
				}
			}
		})
	}
}

// A token of the user that is bound to a key is not sent without a proof.
func TestABoundTokenOfTheUserIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		bound := part(`{"alg":"ES256"}`) + "." + part(`{"cnf":{"jkt":"x"}}`) + ".s3cret"
		c := m.caller(nil, func(o *call.Options) {
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer(bound, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
		})
		res, err := c.Call(t.Context(), m.box, "read", nil)
		if wantReason(t, "a bound token", res, err, call.CredentialRefused, "is bound to a key"); len(m.calls()) != 0 {
			t.Errorf("sent %+v", m.calls())
		}
		leaks(t, "a bound token", fmt.Sprintf("%+v %v", res, err))
	})
}

// A person is shown all scopes if there are many. After a refusal the site gets no token.
func TestAPersonIsAskedAboutManyScopes(t *testing.T) {
	for _, verdict := range []call.Verdict{call.AllowOnce, call.Deny, call.Later} {
		bubble(t, func(t *testing.T) {
			m := newRealm(t)
			many := []string{"write"}
			for i := range tokens.ManyScopes {
				many = append(many, fmt.Sprint("scope-", i))
			}
			m.status = func(token string, _ *http.Request) (int, string) {
				if token == "s3cret-token-2" {
					return 200, ""
				}
				return 403, `Bearer error="insufficient_scope", scope="` + strings.Join(many[1:], " ") + `"`
			}
			var scopes []string
			c := m.caller(machine(), func(o *call.Options) {
				o.Confirm = func(_ context.Context, q *call.Question) (call.Answer, error) {
					if !slices.Contains(q.Reasons, call.ReasonManyScopes) {
						return call.Answer{Verdict: call.AllowOnce}, nil
					}
					scopes = q.Scopes
					return call.Answer{Verdict: verdict}, nil
				}
			})
			res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
			want, tokens := call.CredentialRefused, 1
			if verdict == call.AllowOnce {
				want, tokens = made, 2
			}
			wantCode(t, res, err, want)
			if slices.Sort(many); !slices.Equal(scopes, many) || len(m.forms()) != tokens {
				t.Errorf("asked about %q, %d tokens", scopes, len(m.forms()))
			}
		})
	}
}

// A temporary failure is reported as temporary, and the call is not made.
func TestAPassingFailureOfTheAuthorizationServerIsNoMissingCredential(t *testing.T) {
	for status, want := range map[int]call.Code{429: call.Throttled, 503: call.Throttled, 500: call.Unreachable, 502: call.Unreachable} {
		bubble(t, func(t *testing.T) {
			m := newRealm(t)
			m.oauth.Fail("/token", 1, status, "")
			c := m.caller(machine())
			res, err := c.Call(t.Context(), m.box, "read", nil)
			if wantCode(t, res, err, want); len(m.calls()) != 0 {
				t.Errorf("%d: sent %+v", status, m.calls())
			}
			time.Sleep(time.Hour)
			res, err = c.Call(t.Context(), m.box, "read", nil)
			wantCode(t, res, err, made)
		})
	}
}

// Two users with one store log in separately. Forgetting one of them also removes its values
// from the store.
func TestAStoreServesNoOtherUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, kept, shown := newRealm(t), &store{}, 0
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { shown++; return nil }}
		process := func() *call.Caller {
			return m.caller(cfg, func(o *call.Options) { o.Tokens, o.Principal = kept, principal })
		}
		c := process()
		for i, user := range []string{"alice", "bob", "alice", "bob"} {
			if i == 2 {
				c = process()
			}
			res, err := c.Call(as(t, user), m.box, "read", nil)
			wantCode(t, res, err, made)
		}
		if shown != 2 {
			t.Errorf("%d logins of two users", shown)
		}
		if err := c.Forget("bob"); err != nil {
			t.Fatal(err)
		}
		for i, user := range []string{"alice", "bob"} {
			res, err := process().Call(as(t, user), m.box, "read", nil)
			if wantCode(t, res, err, made); shown != 2+i {
				t.Errorf("%d logins when %s calls again", shown, user)
			}
		}
	})
}
