package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
	"github.com/wayfindhq/wayfind/security/pins"
)

// A pin of the definition may be the proof of a grant. Without the pin nothing is sent.
func TestGrantsOfAPin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		var offered []call.Proof
		opts := &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			offered = q.Proofs
			return call.Key("s3cret", call.Binding{Origin: q.Origin, Proof: call.ProofPin}), nil
		}}
		res, err := s.caller(opts).Call(t.Context(), s.box, "head", nil)
		wantCode(t, res, err, call.CredentialRefused)
		if len(s.calls()) != 0 || !slices.Equal(offered, []call.Proof{call.ProofSameOrigin}) {
			t.Errorf("%q, sent %+v", offered, s.calls())
		}
		opts.Pinned = func(_ context.Context, tool *tools.Tool) bool { return tool.Name == "head" }
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

// pinsOfAlice returns Options.Pinned for two users, one of whom, alice, has pinned a tool.
func pinsOfAlice(t *testing.T, s *shop) (*tools.Tool, func(context.Context, *tools.Tool) bool) {
	t.Helper()
	tool, err := s.box.Tool("head")
	if err != nil {
		t.Fatal(err)
	}
	site, err := s.client.Resolve(t.Context(), strings.TrimPrefix(tool.Origin, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	detail, err := s.client.Describe(t.Context(), site, tool.Key)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := new(pins.Set).WithDetail(site, detail)
	if err != nil {
		t.Fatal(err)
	}
	users := map[string]*pins.Set{"alice": whole, "bob": nil}
	return tool, func(ctx context.Context, tool *tools.Tool) bool { return call.Pinned(users[principal(ctx)])(ctx, tool) }
}

// A pin is valid for one definition in one document.
func TestAChangedDefinitionIsNotPinned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tool, pinned := pinsOfAlice(t, newShop(t, securedDocument, nil))
		changed := *tool.Capability
		changed.Effects = &wayfind.Effects{Destructive: new(true)}
		other, elsewhere := *tool, *tool
		other.Capability = &changed
		elsewhere.Sources = []wayfind.Ref{{Source: tool.Origin + "/other.json"}}
		if !pinned(as(t, "alice"), tool) || pinned(as(t, "alice"), &other) || pinned(as(t, "alice"), &elsewhere) {
			t.Errorf("%v, changed: %v, elsewhere: %v", pinned(as(t, "alice"), tool), pinned(as(t, "alice"), &other), pinned(as(t, "alice"), &elsewhere))
		}
	})
}

// The signature of a card may be the proof of a grant if the caller trusts its key.
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
				return call.Bearer("s3cret", call.Binding{Origin: q.Origin, Proof: call.ProofSigned}), nil
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

// A call to another site than the resolved one needs approval, even if that site has the
// document: the Trust in the Site decides. The request for approval names the document, the
// definition and the destination.
func TestDocumentsOnOtherSites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		net, sniff := clienttest.New(t), &sniffer{}
		home := net.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin})
		home.Handle("/openapi.json", clienttest.Redirect(http.StatusFound, "https://cdn.example.net/openapi.json"))
		net.Host("cdn.example.net", sniff.watch("cdn.example.net", clienttest.Pages{"/openapi.json": document("", operation("get", "/api/read", "read", ""))}, okay))
		c := net.Client(func(o *client.Options) { o.Approve = approving(new([]string)) })
		led, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil || led.Len() != 1 {
			t.Fatal(err, led.Skipped())
		}
		h := &hooks{}
		var approvals []security.ApprovalRequest
		var no error
		caller, err := call.New(c, h.counted(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Approve: func(_ context.Context, q security.ApprovalRequest) error {
			approvals = append(approvals, q)
			return no
		}}))
		if err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			box      *tools.Box
			document string
		}{
			"led there":   {led, "https://shop.example"},
			"found there": {edited(t, led, "https://shop.example/openapi.json", "https://cdn.example.net/openapi.json"), "https://cdn.example.net"},
		} {
			for _, no = range []error{errors.New("not there"), nil} {
				before := len(sniff.calls())
				approvals = nil
				res, err := caller.Call(t.Context(), tt.box, "read", nil)
				if no != nil {
					wantReason(t, name, res, err, call.Refused, "it goes to another site than the one that describes it: not there")
					h.wantAsked(t, name, "approve")
				} else {
					wantCode(t, res, err, made)
					h.wantAsked(t, name, "approve", "confirm")
				}
				if sent := len(sniff.calls()) - before; (sent == 1) != (no == nil) {
					t.Errorf("%s: %d requests", name, sent)
				}
				if len(approvals) != 1 {
					t.Fatalf("%s: %+v", name, approvals)
				}
				if q := approvals[0]; q.Document != tt.document+"/openapi.json" || q.DocumentOrigin != tt.document || q.Endpoint != "https://cdn.example.net/api/read" ||
					q.Domain != "example.net" || q.Purpose != "call" || q.Protocol != "http" || !slices.Equal(q.Methods, []string{"GET"}) || q.Subject != "openapi:openapi/read" || q.Digest == "" || q.Definition == nil {
					t.Errorf("%s: %+v", name, q)
				}
			}
		}
		unasked, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		if err != nil {
			t.Fatal(err)
		}
		res, err := unasked.Call(t.Context(), led, "read", nil)
		wantReason(t, "nobody approves", res, err, call.Refused, "it goes to another site")
	})
}
