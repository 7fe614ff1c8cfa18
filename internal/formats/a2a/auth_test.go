package a2a_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
)

// auth returns the requirements in short form: alternatives after "|", parts after "+", and "?"
// for an unknown part.
func auth(a *wayfind.Auth) string {
	if a == nil {
		return "as the agent"
	}
	var alternatives []string
	for _, list := range a.Requirements {
		var parts []string
		for _, part := range list {
			parts = append(parts, strings.TrimRight(part.Scheme+" "+strings.Join(part.Scopes, ","), " "))
		}
		alternatives = append(alternatives, strings.Join(parts, "+"))
	}
	text := strings.Join(alternatives, "|")
	if a.Unknown {
		text += "?"
	}
	return text
}

// A missing statement means unknown, and only an empty alternative means that nothing is
// required.
func TestRequirements(t *testing.T) {
	schemes := object{
		"key":  object{"type": "apiKey", "in": "header", "name": "X-Key"},
		"tls":  object{"type": "mutualTLS"},
		"odd":  object{"type": "magic"},
		"open": object{"type": "none"},
	}
	for _, c := range []struct {
		security any
		want     string
		skill    string
	}{
		{nil, "?", "as the agent"},
		{[]any{}, "?", "as the agent"},
		{[]any{object{}}, "none", "none"},
		{[]any{object{"key": []string{}}}, "key", "key"},
		{[]any{object{"key": nil}}, "key", "key"},
		{[]any{object{"key": []string{"a", "b"}, "tls": []string{}}}, "key a,b+tls", "key a,b+tls"},
		{[]any{object{"key": []string{}}, object{"tls": []string{}}}, "key|tls", "key|tls"},
		{[]any{object{"key": []string{}}, object{}}, "key|none", "key|none"},
		{[]any{object{"open": []string{}}}, "none", "none"},
		{[]any{object{"open": []string{}, "key": []string{}}}, "key+none", "key+none"},
		{[]any{object{"odd": []string{}}}, "odd?", "odd?"},
		{[]any{object{"odd": []string{}}, object{}}, "odd|none", "odd|none"},
		{[]any{object{"nobody": []string{}}}, "nobody?", "nobody?"},
		{[]any{object{"none": []string{}}}, "none~2?", "none~2?"},
		{[]any{7, "key"}, "?", "as the agent"},
	} {
		r := read(t, card03(object{"securitySchemes": schemes, "security": c.security, "skills": []any{skill(object{"security": c.security})}}))
		s := r.Services[0]
		if diff := cmp.Diff([]string{c.want, c.skill}, []string{auth(s.Auth), auth(s.Capabilities[0].Auth)}); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.security, diff)
		}
	}
	for want, card := range map[string]object{
		"?":           card03(nil),
		"bearer|none": card03(object{"protocolVersion": "0.1", "authentication": object{"schemes": []string{"bearer", "none", "bearer"}}}),
		"magic?":      card03(object{"protocolVersion": "0.1", "authentication": object{"schemes": []string{"magic"}}}),
		"magic|none":  card03(object{"protocolVersion": "0.1", "authentication": object{"schemes": []string{"magic", "public"}}}),
	} {
		if got := auth(read(t, card).Services[0].Auth); got != want {
			t.Errorf("%v: got %s, want %s", card["authentication"], got, want)
		}
	}
}

// TestTheSpellingOfANameIsNotPartOfTheScheme checks that the HTTP scheme is normalised, because
// clients compare it exactly.
func TestTheSpellingOfANameIsNotPartOfTheScheme(t *testing.T) {
	for _, written := range []string{"bearer", "Bearer ", " BEARER"} {
		s := read(t, card03(object{"securitySchemes": object{"s": object{"type": written}}})).Services[0].Auth.Schemes["s"]
		if s.Kind != wayfind.SchemeHTTP || s.HTTPScheme != "bearer" {
			t.Errorf("%q was read as %q %q", written, s.Kind, s.HTTPScheme)
		}
	}
}

// TestAMemberWithoutANameIsNoScheme checks that a member without a name is not a scheme. Some
// kinds have no member in 1.0, including "none".
func TestAMemberWithoutANameIsNoScheme(t *testing.T) {
	for want, scheme := range map[wayfind.SchemeKind]object{
		wayfind.SchemeCustom: {"": object{}},
		wayfind.SchemeAPIKey: {"": object{}, "type": "apiKey"},
		wayfind.SchemeMTLS:   {"": object{}, "mtlsSecurityScheme": object{}},
	} {
		s := read(t, card03(object{"securitySchemes": object{"s": scheme}})).Services[0].Auth.Schemes["s"]
		if s.Kind != want {
			t.Errorf("%v was read as %q, want %q", scheme, s.Kind, want)
		}
	}
}
