package cards

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// trusted returns the public key of the vectors with further members.
func trusted(more string) string {
	return `{"kty":"EC","crv":"P-256","kid":"key-1","x":"ivpx_RhGG8INsXYRfUwUuqz3_M5G-q2IcVkwGVKTA5I","y":"YWaW_lPnbG8qO04VSAHEcw-zKFQyNWSka78oetKR7P0"` + more + `}`
}

func set(keys ...string) string { return `{"keys":[` + strings.Join(keys, ",\n") + `]}` }

// A caller's file is read strictly, and the error contains the line.
func TestParseKeys(t *testing.T) {
	store, err := ParseKeys([]byte(set(trusted(`,"use":"sig","key_ops":["verify"],"alg":"ES256","x5u":"https://x.example","origins":["https://Shop.example.com/","https://b.example"]`),
		trusted(`,"origins":["https://c.example"]`), strings.Replace(trusted(""), "key-1", "key-2", 1))))
	if err != nil || store.Len() != 3 {
		t.Fatalf("%d keys, %v", store.Len(), err)
	}
	for origin, want := range map[string]bool{"https://shop.example.com": true, "https://b.example": true, "https://c.example": true, "https://d.example": false} {
		if store.Expects(origin) != want {
			t.Errorf("%s: expected %t", origin, !want)
		}
	}
	var none *Keys
	if none.Len() != 0 || none.Expects("https://b.example") || none.withID("key-1") != nil {
		t.Error("a nil KeyStore has keys")
	}
	good := trusted("")
	for _, row := range []struct {
		text string
		line int
		code wayfind.Code
	}{
		{set(good, trusted(`,"use":"enc"`)), 2, wayfind.CodeSigKey},
		{set(good, "", "")[:10], 0, wayfind.CodeJSONSyntax},
		{`[]`, 1, wayfind.CodeSchema},
		{`{"keys":{}}`, 1, wayfind.CodeSchema},
		{set(good, good), 2, wayfind.CodeSigKey},
		{set(trusted(`,"origins":["https://a.example"]`), good, trusted(`,"origins":["https://b.example","https://a.example"]`)), 3, wayfind.CodeSigKey},
		{set(trusted(`,"d":"AA"`)), 1, wayfind.CodeSigKey},
		{set(`{"kty":"oct","k":"AA","kid":"a"}`), 1, wayfind.CodeSigKey},
		{set(`{"kty":"OKP","crv":"X25519","x":"AA","kid":"a"}`), 1, wayfind.CodeSigKey},
		{set(`{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"a"}`), 1, wayfind.CodeSigKey},
		{set(strings.Replace(good, `"kid":"key-1",`, "", 1)), 1, wayfind.CodeSigKey},
		{set(strings.Replace(good, `"key-1"`, "1", 1)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"key_ops":["sign"]`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"key_ops":"verify"`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"alg":7`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"origins":[]`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"origins":["http://a.example"]`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"origins":["https://a.example/path"]`)), 1, wayfind.CodeSigKey},
		{set(trusted(`,"origins":[7]`)), 1, wayfind.CodeSigKey},
		{set(`7`), 1, wayfind.CodeSigKey},
		{set(trusted(`,"kid":"again"`)), 0, wayfind.CodeJSONDuplicate},
	} {
		store, err := ParseKeys([]byte(row.text))
		if code(err) != row.code || store != nil {
			t.Errorf("%s: %v, want code %s", row.text, err, row.code)
		}
		if line := fmt.Sprintf("line %d: ", row.line); row.line > 0 && !strings.Contains(err.Error(), line) {
			t.Errorf("%s: %v does not name %s", row.text, err, line)
		}
	}
}

// The set of a site may contain keys that are not usable here. They are ignored.
func TestParseKeySet(t *testing.T) {
	store, err := ParseKeySet([]byte(set(`{"kty":"oct","k":"AA"}`, trusted(""), `{"kty":"new"}`, trusted(`,"use":"enc"`), `7`)))
	if err != nil || len(store.withID("key-1")) != 1 || store.Len() != 1 {
		t.Errorf("%d keys, %v", store.Len(), err)
	}
	for _, text := range []string{"", "[]", `{"keys":7}`, set(trusted(`,"kid":"twice"`)), set(strings.Split(strings.Repeat("{} ", 17), " ")[:17]...), set() + strings.Repeat(" ", MaxKeySetBytes)} {
		if store, err := ParseKeySet([]byte(text)); code(err) != wayfind.CodeSigJKU || store != nil {
			t.Errorf("%.50q: %v", text, err)
		}
	}
}

// Weak keys are refused from any source.
func TestParseKeySet_Weak(t *testing.T) {
	type group struct {
		Comment string
		Public  json.RawMessage
	}
	vectors := golden.VectorJSON[struct{ TestGroups []group }](t, "jws", "wycheproof_json_web_key_test.json")
	found := 0
	for _, g := range vectors.TestGroups {
		words := map[string]string{"jws_rsa_roca_key": "guessed", "keysize_too_small": "1024 bits", "exponentOne": "bad e value", "invalid_use": "use"}[g.Comment]
		if words == "" {
			continue
		}
		found++
		if _, err := ParseKeys(g.Public); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v does not say %q", g.Comment, err, words)
		}
	}
	if found != 4 {
		t.Errorf("%d kinds of weak keys", found)
	}
}

// To check a card never panics and is deterministic. A signature is not accepted if a changed
// byte outside the signatures has changed the meaning of the card.
func FuzzCardCheck(f *testing.F) {
	vectors := golden.VectorJSON[struct {
		Cases []struct {
			Name string
			Card string `json:"card_text"`
		}
		TrustedJWKS json.RawMessage `json:"trusted_jwks"`
		Canonical   string          `json:"canonical_payload_of_valid"`
	}](f, "jws", "own_agentcards.json")
	keys, err := ParseKeys(vectors.TrustedJWKS)
	if err != nil {
		f.Fatal(err)
	}
	var sig struct{ Signatures []JWS }
	if err := json.Unmarshal([]byte(vectors.Cases[0].Card), &sig); err != nil {
		f.Fatal(err)
	}
	valid := sig.Signatures[0]
	f.Add([]byte(vectors.Canonical), valid.Protected, valid.Signature)
	for _, c := range vectors.Cases {
		f.Add([]byte(c.Card), valid.Protected, valid.Signature)
	}
	at, err := url.Parse("https://shop.example.com/.well-known/agent-card.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, protected, signature string) {
		check := &Card{Body: body, Signatures: []JWS{{protected, signature}}, Requested: at, Served: at, Pinned: keys}
		testkit.BoundAllocs(t, len(body)+len(protected)+len(signature), 2000, 64<<10, func() { check.Check() })
		got, again := check.Check()[0], check.Check()[0]
		if got.Status != again.Status || got.Code() != again.Code() || (got.Err == nil) != (got.Status == Valid) {
			t.Fatalf("%+v, then %+v", got, again)
		}
		if got.Status != Valid {
			return
		}
		payload := ""
		for _, form := range allForms() {
			if card, err := check.card(); err == nil && form.profile == got.Profile {
				p, _ := card.payload(form)
				payload = string(p)
			}
		}
		if payload != vectors.Canonical {
			t.Fatalf("%q counts as signed: %q", body, payload)
		}
	})
}
