package oauth_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A response without challenges means nothing. An empty field means that something is required.
func TestNoChallenge(t *testing.T) {
	for _, header := range []http.Header{nil, {}, {"Proxy-Authenticate": {"Basic"}}} {
		if auth, metadata, diags := oauth.Challenge(nil, header); auth != nil || metadata != "" || diags != nil {
			t.Errorf("%v: %+v, %q, %v", header, auth, metadata, diags)
		}
	}
	if auth, _, _ := oauth.Challenge(nil, fields("")); !auth.Unknown {
		t.Errorf("an empty field: %+v", auth)
	}
}

// The result contains no part of a challenge for which the model has no field: a token68 may be
// a token, and a nonce is a secret of the server.
func TestChallengeKeepsNoCredential(t *testing.T) {
	const secret = "c2VjcmV0LXRva2Vu"
	for _, field := range []string{
		"Negotiate " + secret + "==", "Bearer " + secret, "Basic " + secret + "=, Bearer", `Digest realm="a", nonce="` + secret + `", opaque=` + secret,
		"Bearer token=" + secret, secret + "\x01", "Bearer realm=\"a\" " + secret, "Negotiate " + secret + " " + secret,
	} {
		auth, metadata, diags := oauth.Challenge(nil, fields(field))
		if text := fmt.Sprintf("%+v %q %+v", auth, metadata, diags); strings.Contains(text, secret) && !strings.HasPrefix(field, secret) {
			t.Errorf("%s: %s", field, text)
		}
	}
}

// The grammar of RFC 9110 §11: challenges and their ends.
func TestChallengeSyntax(t *testing.T) {
	for field, want := range map[string]string{
		"Basic":                                 "basic",
		"Basic, Bearer":                         "basic|bearer",
		" , Basic ,, Bearer\t, ":                "basic|bearer",
		"Basic realm=a, b=c, Bearer":            "basic|bearer",
		"Basic realm=a, Bearer realm=b":         "basic|bearer",
		"Basic realm=a,Bearer":                  "basic|bearer",
		"Negotiate a, Basic":                    "negotiate|basic",
		"Negotiate a=, Basic":                   "negotiate|basic",
		"Negotiate a==,Basic":                   "negotiate|basic",
		"Negotiate A/+~._-9==":                  "negotiate",
		"Basic a = b , c\t=\t\"d\" , Bearer":    "basic|bearer",
		`Basic realm=", Bearer realm=", Bearer`: "basic|bearer",
		`Basic realm="\"", Bearer`:              "basic|bearer",
		`Basic realm="\\", Bearer`:              "basic|bearer",
		`Basic realm="", Bearer`:                "basic|bearer",
		"Basic realm=\"\xff\", Bearer":          "basic|bearer",
		"Basic\trealm=a, Bearer":                "basic !",
		"Basic;realm=a":                         "basic !",
		"Basic realm":                           "basic",
		"Basic realm x":                         "basic !",
		"Basic realm=a; b=c, Bearer":            "basic !",
		"Basic realm=\"a\nb\", Bearer":          "basic !",
		`Basic realm="a\`:                       "basic !",
		`"Basic"`:                               " !",
		"Basic realm=\"a\"Bearer":               "basic !",
		"Basic a=b=c":                           "basic !",
		"Bäsic":                                 "b !",
	} {
		auth, _, diags := oauth.Challenge(nil, fields(field))
		var schemes []string
		for _, alternative := range auth.Requirements {
			schemes = append(schemes, alternative[0].Scheme)
		}
		got := strings.Join(schemes, "|")
		if auth.Unknown {
			got += " !"
		}
		if got != want || auth.Unknown != (len(diags) > 0) {
			t.Errorf("%q: got %q, want %q, %v", field, got, want, diags)
		}
	}
}

// A field that cannot be read does not hide the next one.
func TestChallengeFieldsAreApart(t *testing.T) {
	auth, metadata, diags := oauth.Challenge(nil, fields(`Basic realm="open`, `Bearer resource_metadata="https://a.example/m", scope="x"`))
	want := &wayfind.Auth{
		Schemes:      map[string]wayfind.Scheme{"basic": {Kind: wayfind.SchemeHTTP, HTTPScheme: "basic"}, "bearer": {Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer"}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "basic"}}, {{Scheme: "bearer", Scopes: []string{"x"}}}},
		Unknown:      true,
	}
	if diff := cmp.Diff(want, auth); diff != "" || metadata != "https://a.example/m" || len(diags) != 1 {
		t.Errorf("metadata %q, %q (-want +got):\n%s", metadata, codes(diags), diff)
	}
}

// costly returns fields of about n bytes that try to cost more.
func costly(n int) map[string][]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string][]string{
		"challenges": {fill("Basic, ")}, "fields": strings.SplitAfter(fill("Basic;"), ";"), "params": {"Basic " + fill("a=b, ")}, "names": {"Basic a" + fill("a")},
		"scopes": {`Bearer scope="` + strings.NewReplacer("[", "", "]", "", ",", " ").Replace(repeat(n/5, "N")) + `"`}, "bad scopes": {`Bearer scope="` + fill(`\" `) + `"`}, "commas": {fill(",")}, "blanks": {"Basic" + fill(" ")},
		"quoted": {`Basic realm="` + fill(`\"`)}, "token68": {"Basic " + fill("a")}, "equals": {"Basic a" + fill("=")}, "schemes": {fill("a a=b,a a=b,")},
	}
}

// All lists are limited, and the cost is proportional to the size of the fields.
func TestChallengeBounds(t *testing.T) {
	cost := func(values []string) float64 {
		var auth *wayfind.Auth
		var diags []wayfind.Diagnostic
		allocated := testkit.Allocated(func() { auth, _, diags = oauth.Challenge(nil, fields(values...)) })
		if len(auth.Requirements) > 20 || len(auth.Schemes) > 20 || len(diags) > 201 {
			t.Errorf("%d requirements, %d schemes, %d diagnostics", len(auth.Requirements), len(auth.Schemes), len(diags))
		}
		for _, alternative := range auth.Requirements {
			if len(alternative[0].Scopes) > 100 {
				t.Errorf("%d scopes", len(alternative[0].Scopes))
			}
		}
		return allocated
	}
	small := costly(1000)
	for name, values := range costly(15_000) {
		low, high := cost(small[name]), cost(values)
		if growth := math.Log(high/low) / math.Log(15); growth > 1.2 || high > 300*15_000 {
			t.Errorf("%s: %.0f bytes for 1,000, %.0f for 15,000: exponent %.2f", name, low, high, growth)
		}
	}
	auth, _, diags := oauth.Challenge(nil, fields("Basic", "Bearer "+strings.Repeat("a", 16<<10), "Digest"))
	if !auth.Unknown || len(auth.Requirements) != 1 || len(diags) != 1 {
		t.Errorf("more than is read: %+v, %q", auth, codes(diags))
	}
}

// FuzzChallenge checks that no field causes a panic, that the same field has the same result,
// that the result is short and names no place without TLS, and that it has the same meaning
// when it is written again.
func FuzzChallenge(f *testing.F) {
	for _, path := range golden.Files(f, "testdata", "challenges.txtar") {
		for _, file := range txtar.Parse(golden.Read(f, path)).Files {
			if !strings.HasSuffix(file.Name, ".want") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, field string) {
		auth, metadata, diags := oauth.Challenge(nil, fields(field))
		again, place, more := oauth.Challenge(nil, fields(field))
		if diff := cmp.Diff([]any{auth, metadata, diags}, []any{again, place, more}); diff != "" {
			t.Fatalf("not the same twice:\n%s", diff)
		}
		if len(auth.Requirements) > 20 || metadata != "" && !strings.HasPrefix(strings.ToLower(metadata), "https://") || auth.Schemes["none"].Kind != "" {
			t.Fatalf("%+v, %q", auth, metadata)
		}
		var written []string
		for _, alternative := range auth.Requirements {
			s := auth.Schemes[alternative[0].Scheme]
			quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
			written = append(written, fmt.Sprintf(`%s realm="%s", scope="%s"`, s.HTTPScheme, quote.Replace(s.Description), strings.Join(alternative[0].Scopes, " ")))
		}
		if len(written) == 0 {
			return
		}
		if text := strings.Join(written, ", "); len(text) <= 16<<10 {
			auth.Unknown = false
			if got, _, _ := oauth.Challenge(nil, fields(text)); !cmp.Equal(auth, got) {
				t.Fatalf("%q (-read +written):\n%s", text, cmp.Diff(auth, got))
			}
		}
	})
}
