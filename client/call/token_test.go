package call_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// botDocument has keys in the place of tokens.
var botDocument = document(`, "components": {"securitySchemes": {
	"bot": {"type": "apiKey", "in": "header", "name": "Authorization", "description": "Discord bot token"},
	"kube": {"type": "apiKey", "in": "header", "name": "authorization", "description": "Bearer Token authentication of a robot"},
	"said": {"type": "apiKey", "in": "header", "name": "Authorization", "description": "Send \"Authorization: Api-Token YOUR_TOKEN\", no Bearer."},
	"mute": {"type": "apiKey", "in": "header", "name": "Authorization"},
	"other": {"type": "apiKey", "in": "header", "name": "X-Bot", "description": "Bot token"},
	"query": {"type": "apiKey", "in": "query", "name": "Authorization", "description": "Bot token"}}}`,
	secured("bot", `{"bot": []}`), secured("kube", `{"kube": []}`), secured("said", `{"said": []}`), secured("mute", `{"mute": []}`), secured("other", `{"other": []}`), secured("query", `{"query": []}`))

// A bearer token fits a key that is sent as a token, after the word that the document gives
// it. A key is sent unchanged.
func TestATokenFitsAKeyThatIsSentAsOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, botDocument, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
		for _, tt := range []struct {
			tool  string
			grant *call.Grant
			code  call.Code
			want  string
		}{
			{"bot", call.Bearer("s3cret"), made, "Bot s3cret"},
			{"kube", call.Bearer("s3cret"), made, "Bearer s3cret"},
			{"said", call.Bearer("s3cret"), made, "Api-Token s3cret"},
			{"mute", call.Bearer("s3cret"), made, "Bearer s3cret"},
			{"bot", call.Key("User s3cret"), made, "User s3cret"},
			{"bot", call.Bearer("s3cret\n"), call.CredentialRefused, ""},
			{"bot", call.Basic("a", "s3cret"), call.CredentialRefused, ""},
			{"other", call.Bearer("s3cret"), call.CredentialRefused, ""},
			{"query", call.Bearer("s3cret"), call.CredentialRefused, ""},
		} {
			tt.grant.For = []call.Binding{{Origin: "https://shop.example", Proof: call.ProofSameOrigin}}
			c := s.caller(&call.Options{
				Confirm:     (&yes{verdict: call.AllowOnce}).confirm,
				Credentials: func(context.Context, *call.CredentialRequest) (*call.Grant, error) { return tt.grant, nil },
			})
			before := len(s.calls())
			res, err := c.Call(t.Context(), s.box, tt.tool, nil)
			wantCode(t, res, err, tt.code)
			var got strings.Builder
			for _, r := range s.calls()[before:] {
				got.WriteString(r.header.Get("Authorization"))
			}
			if got.String() != tt.want {
				t.Errorf("%s with %s: sent %q, want %q", tt.tool, tt.grant, got.String(), tt.want)
			}
			leaks(t, tt.tool, mustJSON(t, res))
		}
	})
}
