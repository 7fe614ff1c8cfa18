package call_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A bearer token is not sent to a site that takes only tokens with a proof (RFC 9449 §7.1), whether a
// challenge or a document says so.
func TestABearerTokenIsNotSentWhereAProofIsDemanded(t *testing.T) {
	const declared = `, "security": [{"d": []}], "components": {"securitySchemes": {"d": {"type": "http", "scheme": "DPoP"}}}`
	for _, c := range []struct {
		top, challenge string
		sent           bool
	}{
		{"", `DPoP algs="ES256"`, false},
		{"", `DPoP error="use_dpop_nonce"`, false},
		{"", `DPoP algs="ES256", error="invalid_token"`, false},
		{"", `DPoP`, false},
		{declared, `DPoP algs="ES256"`, false},
		{"", `Bearer, DPoP algs="ES256"`, true},
		{"", `Bearer`, true},
	} {
		bubble(t, func(t *testing.T) {
			s := newShop(t, document(c.top, operation("get", "/api/g", "g", "")), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", c.challenge)
				w.WriteHeader(http.StatusUnauthorized)
			})
			o := &call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
				return call.Answer{Verdict: call.AllowOnce}, nil
			}}
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer("toktoktoktoktok1", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
			res, err := s.caller(o).Call(t.Context(), s.box, "g", []byte(`{}`))
			sent := false
			for _, made := range s.calls() {
				sent = sent || made.header.Get("Authorization") != ""
			}
			if sent != c.sent {
				t.Errorf("%s %q: sent %v, %v", c.top, c.challenge, sent, err)
			}
			if !c.sent {
				wantCode(t, res, err, call.CredentialRefused)
			}
		})
	}
}
