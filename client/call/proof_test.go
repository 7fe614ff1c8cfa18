package call_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/security/cards"
)

// A grant may rest on a pin of the definition. Without the pin nothing is sent.
func TestGrantsOfAPin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		var offered []call.Proof
		opts := &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			offered = q.Proofs
			return call.Key("s3cret", call.Bound{Origin: q.Origin, Proof: call.ProofPin}), nil
		}}
		res, err := s.caller(opts).Call(t.Context(), s.box, "head", nil)
		wantCode(t, res, err, call.CredentialRefused)
		if len(s.calls()) != 0 || !slices.Equal(offered, []call.Proof{call.ProofSameOrigin}) {
			t.Errorf("%q, sent %+v", offered, s.calls())
		}
		opts.Pinned = func(tool *tools.Tool) bool { return tool.Name == "head" }
		res, err = s.caller(opts).Call(t.Context(), s.box, "head", nil)
		wantCode(t, res, err, made)
		if got := s.calls(); len(got) != 1 || got[0].header.Get("X-Key") != "s3cret" || !slices.Contains(offered, call.ProofPin) {
			t.Errorf("%q, sent %+v", offered, got)
		}
		if placed := res.Program.Request.Credentials; len(placed) != 1 || placed[0].Proof != call.ProofPin {
			t.Errorf("%+v", placed)
		}
	})
}

// A grant may rest on the signature of a card, for a caller who trusts its key.
func TestGrantsOfASignature(t *testing.T) {
	var vectors struct {
		Trusted json.RawMessage `json:"trusted_jwks"`
		Cases   []struct {
			Card string `json:"card_text"`
		}
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "jws", "own_agentcards.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	keys, err := cards.ParseKeys([]byte(strings.Replace(string(vectors.Trusted), `"kty"`, `"origins": ["https://shop.example.com"], "kty"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	card := vectors.Cases[0].Card // with a valid signature
	for keys, want := range map[*cards.Keys]call.Code{keys: made, nil: call.CredentialRefused} {
		bubble(t, func(t *testing.T) {
			var sent []string
			net := clienttest.New(t)
			net.Host("shop.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/a2a" {
					clienttest.Pages{"/.well-known/agent-card.json": card}.ServeHTTP(w, r)
					return
				}
				sent = append(sent, r.Header.Get("Authorization"))
				if sent[len(sent)-1] == "" {
					w.Header().Set("WWW-Authenticate", "Bearer")
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				var m rpc
				_ = json.NewDecoder(r.Body).Decode(&m)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"message":{"role":"ROLE_AGENT","messageId":"m","parts":[{"text":"hi"}]}}}`))
			}))
			c := net.Client(func(o *client.Options) { o.Trust.Keys = keys })
			box, err := tools.Load(t.Context(), c, []string{"shop.example.com"}, nil)
			if err != nil || box.Len() != 1 {
				t.Fatal(err, box.Skipped())
			}
			caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer("s3cret", call.Bound{Origin: q.Origin, Proof: call.ProofSigned}), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			res, err := caller.Call(t.Context(), box, box.Tools()[0].Name, []byte(`{"message":"hi"}`))
			wantCode(t, res, err, want)
			if arrived := slices.Contains(sent, "Bearer s3cret"); arrived != (want == made) {
				t.Errorf("sent %q", sent)
			}
			if want == made && res.Program.Request.Credentials[0].Proof != call.ProofSigned {
				t.Errorf("%+v", res.Program.Request.Credentials)
			}
		})
	}
}
