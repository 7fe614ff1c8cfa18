package tokens_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

// claimsOf returns the header and the claims of the proof for a request.
func claimsOf(t *testing.T, token *tokens.Token, method, target string) (head, claims map[string]any) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := token.Proof(method, u)
	parts := strings.Split(proof.Value, ".")
	if err != nil || len(parts) != 3 {
		t.Fatalf("%q, %v", proof.Value, err)
	}
	for i, into := range []*map[string]any{&head, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(raw, into) != nil {
			t.Fatalf("%q", raw)
		}
	}
	return head, claims
}

func TestABoundTokenBringsAProofForEachRequest(t *testing.T) {
	inRealm(t, &clienttest.OAuth{DPoP: true}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		token, err := k.Token(t.Context(), m.device("alice", "read"))
		if err != nil || token.Authorization() != "DPoP s3cret-token-1" {
			t.Fatal(token, err)
		}
		head, claims := claimsOf(t, token, "POST", apiOrigin+"/a%2Fb?secret=1#x")
		if head["typ"] != "dpop+jwt" || head["alg"] != "ES256" || claims["htm"] != "POST" || claims["htu"] != apiOrigin+"/a%2Fb" ||
			claims["iat"] != float64(time.Now().Unix()) || claims["ath"] == nil || claims["nonce"] != nil {
			t.Errorf("%v %v", head, claims)
		}
		if key, _ := head["jwk"].(map[string]any); len(key) != 4 || key["d"] != nil {
			t.Errorf("%v", key)
		}
		_, again := claimsOf(t, token, "POST", apiOrigin+"/a%2Fb")
		if again["jti"] == claims["jti"] || again["jti"] == "" {
			t.Errorf("%v", again)
		}
		bob, err := k.Token(t.Context(), m.device("bob", "read"))
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := claimsOf(t, bob, "GET", apiOrigin); other["jwk"].(map[string]any)["x"] == head["jwk"].(map[string]any)["x"] {
			t.Error("two users have one key")
		}
	})
}

func TestANonceIsUsedUntilThereIsAnother(t *testing.T) {
	inRealm(t, &clienttest.OAuth{DPoP: true, Nonces: true}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		token, err := k.Token(t.Context(), m.machine("read"))
		if err != nil || m.Count("client_credentials") != 2 {
			t.Fatalf("%v, %d requests", err, m.Count("client_credentials"))
		}
		old, err := token.Proof("GET", &url.URL{Scheme: "https", Host: "api.example.com"})
		if err != nil {
			t.Fatal(err)
		}
		challenge := http.Header{"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {"n1"}}
		for _, tt := range []struct {
			name   string
			status int
			header http.Header
			again  bool
			nonce  string
		}{
			{"a refusal", 401, challenge, true, "n1"},
			{"the same again", 401, challenge, false, "n1"},
			{"an answer", 200, http.Header{"Dpop-Nonce": {"n2"}}, false, "n2"},
			{"another refusal", 401, http.Header{"Www-Authenticate": {`DPoP error="invalid_token"`}, "Dpop-Nonce": {"n3"}}, false, "n3"},
			{"a nonce that is none", 401, http.Header{"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {"a b"}}, false, "n3"},
			{"a long one", 401, http.Header{"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {strings.Repeat("n", 600)}}, false, "n3"},
		} {
			sent, err := token.Proof("GET", &url.URL{Scheme: "https", Host: "api.example.com"})
			if err != nil {
				t.Fatal(err)
			}
			if again := token.Answered(apiOrigin, sent, tt.status, tt.header); again != tt.again {
				t.Errorf("%s: again %v", tt.name, again)
			}
			if _, claims := claimsOf(t, token, "GET", apiOrigin+"/x"); claims["nonce"] != tt.nonce {
				t.Errorf("%s: %v", tt.name, claims)
			}
		}
		for range 2 { // of two requests at once
			if !token.Answered(apiOrigin, old, 401, challenge) {
				t.Error("a request without the nonce is not sent again")
			}
		}
		if _, claims := claimsOf(t, token, "GET", "https://other.example.com/x"); claims["nonce"] != nil {
			t.Error("a nonce goes to another origin")
		}
		m.NewNonce()
		time.Sleep(2 * time.Hour)
		get(t, k, m.machine("read"))
		if m.Count("client_credentials") != 4 {
			t.Errorf("%d requests", m.Count("client_credentials"))
		}
	})
}

func TestTheKeyOfARefreshTokenOutlivesTheProcess(t *testing.T) {
	inRealm(t, &clienttest.OAuth{DPoP: true, Nonces: true}, func(t *testing.T, m *realm) {
		kept := newStore()
		for range 3 {
			get(t, tokens.NewKeeper(m.client, kept), m.device("alice", "read"))
			time.Sleep(2 * time.Hour)
		}
		m.wantLogins(t, "three processes", 1)
	})
}

// boundToken returns a token that contains the thumbprint of its key.
func boundToken(thumbprint string) string {
	code := base64.RawURLEncoding.EncodeToString
	return code([]byte(`{"alg":"ES256"}`)) + "." + code([]byte(`{"cnf":{"jkt":"`+thumbprint+`"}}`)) + "." + code([]byte("s3cret"))
}

func TestABoundTokenIsNeverABearerToken(t *testing.T) {
	for name, tt := range map[string]struct {
		dpop  bool
		token string
		kind  string
		why   tokens.Why
	}{
		"a bound token, said to be none":       {false, boundToken("key"), "Bearer", tokens.Missing},
		"a bound token that was not asked for": {false, "s3cret", "DPoP", tokens.Missing},
		"a bearer token for a strict resource": {true, "s3cret", "Bearer", tokens.Refused},
		"a token of another key":               {true, boundToken("key"), "DPoP", tokens.Refused},
	} {
		inRealm(t, &clienttest.OAuth{DPoP: tt.dpop, Edit: func(r *http.Request, status int, answer map[string]any) int {
			if r.URL.Path == "/token" && status == http.StatusOK {
				answer["access_token"], answer["token_type"] = tt.token, tt.kind
			}
			return status
		}}, func(t *testing.T, m *realm) {
			k := tokens.NewKeeper(m.client, nil)
			wantFailure(t, name, k, m.machine("read"), tt.why)
			wantFailure(t, name, k, m.device("alice", "read"), tt.why)
		})
	}
	if tokens.BoundTo(boundToken("key")) != "key" || tokens.BoundTo("a.b.c") != "" || tokens.BoundTo("s3cret") != "" {
		t.Error("the key of a token is not seen")
	}
}

func TestAServerThatTakesNoProofsIsNotAskedForABoundToken(t *testing.T) {
	inRealm(t, &clienttest.OAuth{DPoP: true, Edit: func(r *http.Request, status int, answer map[string]any) int {
		if _, there := answer["dpop_signing_alg_values_supported"]; there {
			answer["dpop_signing_alg_values_supported"] = []string{"RS256"}
		}
		return status
	}}, func(t *testing.T, m *realm) {
		wantFailure(t, "another algorithm", tokens.NewKeeper(m.client, nil), m.machine("read"), tokens.Refused)
		if len(m.Requests()) != 0 {
			t.Errorf("%d requests for a token", len(m.Requests()))
		}
	})
}

func TestACodeIsBoundToTheKeyToo(t *testing.T) {
	net := clienttest.New(t) // the browser comes back over a socket of this machine
	oauth := &clienttest.OAuth{Issuer: issuer, DPoP: true, Nonces: true}
	net.Host("login.example.com", oauth)
	net.Host("api.example.com", oauth.Protect(apiOrigin, func(*http.Request) []string { return nil }, http.NotFoundHandler()))
	page := ""
	r := &tokens.Request{Principal: "alice", Resource: apiOrigin, Config: &tokens.Config{Grant: tokens.AuthorizationCode, ClientID: "app", Open: func(ctx context.Context, at string) error {
		page = at
		return oauth.Open(ctx, at)
	}}}
	get(t, tokens.NewKeeper(net.Client(), nil), r)
	if !strings.Contains(page, "dpop_jkt=") {
		t.Error(page)
	}
}

// A server that gives no token without a proof is asked once more, and never a third time.
func TestAServerThatWantsProofsGetsThem(t *testing.T) {
	inRealm(t, &clienttest.OAuth{DPoP: true}, func(t *testing.T, m *realm) {
		m.api.Handle("/.well-known/oauth-protected-resource", clienttest.Page{
			Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"resource": "` + apiOrigin + `", "authorization_servers": ["` + issuer + `"]}`,
		})
		k := tokens.NewKeeper(m.client, nil)
		if got := get(t, k, m.machine("read")); got != "DPoP s3cret-token-1" || m.Count("client_credentials") != 2 {
			t.Errorf("%s after %d requests", got, m.Count("client_credentials"))
		}
		time.Sleep(2 * time.Hour)
		m.Fail("/token", 9, http.StatusBadRequest, "invalid_dpop_proof")
		before := len(m.login.Paths())
		if token, err := k.Token(t.Context(), m.machine("write")); err == nil || len(m.login.Paths()) > before+4 {
			t.Errorf("%v, asked for %v", token, m.login.Paths()[before:])
		}
	})
}

// A token without a key is not used for a resource that has demanded a proof.
func TestAHeldTokenWithoutAKeyMeetsNoChallengeForProofs(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		get(t, k, m.machine("read"))
		m.DPoP = true
		r := m.machine("read")
		if r.Proofs = true; get(t, k, r) != "DPoP s3cret-token-2" {
			t.Errorf("%s is sent", get(t, k, r))
		}
	})
}
