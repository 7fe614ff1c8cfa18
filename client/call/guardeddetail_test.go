package call_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// details serves a manifest of ADP whose only detail demands what an accept function checks.
func details(n *clienttest.Internet, auth string, accept func(*http.Request) bool, header string) {
	n.Host("shop.example", clienttest.Pages{"/.well-known/agent": fmt.Sprintf(`{"spec_version": "1.0", "name": "Shop", "description": "A shop.",
		"base_url": "https://shop.example", "auth": %s, "capabilities": [{"name": "find", "description": "Finds.", "detail_url": "/c/find"}]}`, auth)}).
		Handle("/c/find", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !accept(r) {
				w.Header().Set("WWW-Authenticate", header)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = w.Write([]byte(`{"name": "find", "description": "Finds in detail", "endpoint": "/v1/find", "method": "GET", "parameters": [],
				"request_example": {"method": "GET", "url": "x"}, "response_example": {"status": 200}}`))
		})).Handle("/v1/find", clienttest.Page{Body: `{"found": true}`, Header: http.Header{"Content-Type": {"application/json"}}})
}

// Load under WithCredentials gets the details that demand a credential, by a scheme that their
// document states or by a challenge, for the principal of the context alone.
func TestLoadGetsTheDetailsThatWantACredential(t *testing.T) {
	basic := func(r *http.Request) bool { user, _, ok := r.BasicAuth(); return ok && user == "alice" }
	for name, test := range map[string]struct {
		auth, header string
		accept       func(*http.Request) bool
		grant        func(to call.Binding) *call.Grant
		asked        string // the scheme that the hook is asked for
	}{
		"a stated key": {`{"type": "api_key", "header": "X-Api-Key"}`, "ApiKey", func(r *http.Request) bool { return r.Header.Get("X-Api-Key") == "key-of-alice" },
			func(to call.Binding) *call.Grant { return call.Key("key-of-alice", to) }, "api_key false"},
		"a token": {`{"type": "none"}`, `Bearer scope="list"`, func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer token-of-alice" },
			func(to call.Binding) *call.Grant { return call.Bearer("token-of-alice", to) }, "bearer true"},
		"a password": {`{"type": "none"}`, `Basic realm="shop"`, basic, func(to call.Binding) *call.Grant { return call.Basic("alice", "s3cret", to) }, "basic true"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n := clienttest.New(t)
				details(n, test.auth, test.accept, test.header)
				c := n.Client()
				asked := ""
				caller, err := call.New(c, &call.Options{Principal: principal, Confirm: (&yes{verdict: call.AllowOnce}).confirm,
					Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
						if q.Principal != "alice" {
							return nil, nil
						}
						if q.Tool == "" {
							asked = fmt.Sprint(q.Name, " ", q.Challenged)
						}
						return test.grant(call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
					}})
				if err != nil {
					t.Fatal(err)
				}
				for _, user := range []string{"alice", "bob"} {
					box, err := tools.Load(caller.WithCredentials(as(t, user)), c, []string{"shop.example"}, nil)
					if err != nil || (box.Len() == 1) != (user == "alice") || box.Private() != (user == "alice") {
						t.Fatalf("%s: %v, %d tools, private %t, %+v", user, err, box.Len(), box.Private(), box.Skipped())
					}
					if user != "alice" || test.header == "ApiKey" {
						continue
					}
					// The refusal of the document is no demand of the call, which needs no credential.
					res, err := caller.Call(as(t, user), box, "find", nil)
					wantCode(t, res, err, made)
				}
				if asked != test.asked {
					t.Errorf("the hook was asked for %q, want %q", asked, test.asked)
				}
			})
		})
	}
}

// Forget lets a principal be asked again for the credential of a place that it did not open, and no other
// principal.
func TestForgetLetsAPrincipalBeAskedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"}).Handle("/agents/v1", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		}))
		c := n.Client()
		asked := map[string]int{}
		caller, err := call.New(c, &call.Options{Principal: principal, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			asked[q.Principal]++
			return nil, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		resolve := func() {
			for _, user := range []string{"alice", "bob"} {
				if _, err := c.Resolve(caller.WithCredentials(as(t, user)), "shop.example"); err != nil {
					t.Fatal(err)
				}
			}
		}
		resolve()
		resolve()
		if asked["alice"] != 1 || asked["bob"] != 1 {
			t.Fatalf("asked %v", asked)
		}
		if err := caller.Forget("alice"); err != nil {
			t.Fatal(err)
		}
		resolve()
		if asked["alice"] != 2 || asked["bob"] != 1 {
			t.Errorf("asked %v after Forget", asked)
		}
	})
}
