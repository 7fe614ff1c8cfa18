package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// A site that repeats a part of the value of a credential, in any encoding, does not show it.
func TestEachPartOfACredentialIsHidden(t *testing.T) {
	for value, parts := range map[string][]string{
		"plain-key":          {"plain-key"},
		"Bearer t0ken-value": {"Bearer t0ken-value", "t0ken-value"},
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:pa55word")): {base64.StdEncoding.EncodeToString([]byte("user:pa55word")), "pa55word"},
	} {
		veil := secret.Veil(nil).AndField(value)
		for _, part := range parts {
			for _, said := range []string{part, strings.ToUpper(part), base64.StdEncoding.EncodeToString([]byte(part)), strings.ReplaceAll(part, "5", `\u0035`)} {
				if got := string(veil.Over([]byte("before "+said+" after"), "…")); strings.Contains(got, strings.TrimRight(said, "=")) {
					t.Errorf("%s: %s shows %s", value, got, part)
				}
			}
		}
	}
}

// Valid JSON stays valid when a secret is a number, a word, or begins within an escape.
func TestJSONStaysValidWithoutASecret(t *testing.T) {
	for _, tt := range []struct{ own, said, want string }{
		{"73915520", `{"a":73915520,"b":[-73915520.5e3,1]}`, `{"a":"•••","b":["•••",1]}`},
		{"73915520", `[739155201]`, `["•••"]`},
		{"true", `{"a":true,"true":"x"}`, `{"a":"•••","•••":"x"}`},
		{"null", `[null]`, `["•••"]`},
		{"nkT7pq", `["a\nkT7pq z",1]`, `["•••",1]`},
		{"u0041kT7", `["\u0041kT7"]`, `["•••"]`},
	} {
		got := string(secret.Veil(nil).And(tt.own).Over([]byte(tt.said), secret.Hidden))
		if got != tt.want || !json.Valid([]byte(got)) {
			t.Errorf("%s: %s became %s, want %s", tt.own, tt.said, got, tt.want)
		}
	}
}

// Quotation marks in a string, tags of any length and tags in brackets split no secret.
func TestQuotationMarksAndTagsSplitNoSecret(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYbN7c"
	veil := secret.Veil(nil).And(own)
	for _, between := range []string{`\"`, "&quot;", "&#34;", "%22", `\u0022`, `\\\"`, "[b]", "[/url]", "[color=red]", `<span style='` + strings.Repeat("a", 5000) + `'>`, `<a href="` + strings.Repeat("a", 5000) + `">`, "<b class=x>", "<!-- x -->"} {
		said := own[:8] + between + own[8:]
		for _, body := range []string{"before " + said + " after", "[" + said + "] and <" + said + ">", "<p>[x] " + own[:3] + between + own[3:12] + between + own[12:]} {
			if got := string(veil.Over([]byte(body), secret.Hidden)); strings.Contains(got, own[8:12]) {
				t.Errorf("%.80q became %.80q", body, got)
			}
		}
		if quoted := `{"a":"` + own[:8] + strings.ReplaceAll(between, `"`, `\"`) + own[8:] + `"}`; json.Valid([]byte(quoted)) {
			if got := string(veil.Over([]byte(quoted), secret.Hidden)); strings.Contains(got, own[8:12]) || !json.Valid([]byte(got)) {
				t.Errorf("%.80q became %.80q", quoted, got)
			}
		}
	}
}

// Text is cleaned, then hidden, then cut: a character that cleaning removes splits no secret, and no part
// of one is left at the cut. With a purpose of what is stored, what looks like a secret is removed too.
func TestTextIsCleanedBeforeItIsHidden(t *testing.T) {
	veil := secret.Veil(nil).And("kT7")
	if got := secret.Veil(nil).And("pQ4z").Show("a p\u200bQ\u00ad4\u202ez b", secret.Line, 0); got != "a "+secret.Hidden+" b" {
		t.Errorf("%q", got)
	}
	own := secret.Veil(nil).And("correct horse")
	if got := own.Show("a correct horse", secret.Line, 6); strings.Contains(got, "corr") {
		t.Errorf("%q", got)
	}
	const key = "ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB"
	if got := veil.Show("a "+key, secret.StoredLines, 0); strings.Contains(got, "ghp_") {
		t.Errorf("%q", got)
	}
	if got := veil.Show("a "+key, secret.Lines, 0); !strings.Contains(got, key) {
		t.Errorf("%q", got)
	}
}
