package authkind

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// shown marks the texts of a document.
func shown(s string) string {
	if s == "" {
		return ""
	}
	return "<" + s + ">"
}

// TestAKindIsOneRow adds a kind to a table. A format reads it, a grant fits it, and there is a
// text for people, without another line of code.
func TestAKindIsOneRow(t *testing.T) {
	const menu Vocabulary = 1 << 31
	table := append(Kinds(), Kind{
		Kind: "passkey", text: "passkey", more: placeOfKey,
		Members: PlaceOfKey, Grants: []Grant{"assertion"},
		Words: []Word{{"webauthn", menu}, {"passkey", menu | MCP}},
	})
	read := func(word, in, name string) (wayfind.Scheme, bool) { // in the same way as a format
		kind, known := table.Read(menu, Fold(word, "-_"))
		s := kind.Scheme()
		if kind.Members == PlaceOfKey {
			s.In, s.Name = in, name
		}
		return s, known
	}
	s, known := read("Web-Authn", "header", "X-Passkey")
	if want := (wayfind.Scheme{Kind: "passkey", In: "header", Name: "X-Passkey"}); !known || s.Kind != want.Kind || s.In != want.In || s.Name != want.Name {
		t.Errorf("read as %+v (known: %v), want %+v", s, known, want)
	}
	kind := table.Of(s)
	if in, field := kind.Place(s); in != "header" || field != "X-Passkey" {
		t.Errorf("its credential goes to %q %q", in, field)
	}
	if !kind.Takes("assertion") || kind.Takes(Bearer) || kind.Made() != "assertion" {
		t.Errorf("grants that fit: %v, and a value becomes %q", kind.Grants, kind.Made())
	}
	if got, want := kind.Text(s, shown), "passkey in <header> <X-Passkey>"; got != want {
		t.Errorf("a person reads %q, want %q", got, want)
	}
	if _, known := read("oauth2", "", ""); known {
		t.Error("a vocabulary has the word of another one")
	}
	if got := Of(s); got.Kind != wayfind.SchemeCustom {
		t.Errorf("the program's own table has become another: it has %q", got.Kind)
	}
}

// TestEveryKindHasAllColumns checks that each empty column has a reason here.
func TestEveryKindHasAllColumns(t *testing.T) {
	for _, k := range Kinds() {
		name := k.Name()
		if k.text == "" || len(k.Words) == 0 && !k.NeedsAnother() {
			t.Errorf("%s: text %q, words %v", name, k.text, k.Words)
		}
		if none := len(k.Grants) == 0; none != (k.NeedsAnother() || name == "none" || name == "http") {
			t.Errorf("%s: grants that fit: %v", name, k.Grants)
		}
		placed := k.In == "header" && k.Field != "" || k.In == "tls" && k.Field == ""
		if free := k.Members == PlaceOfKey || k.Kind == wayfind.SchemeNone; placed == free {
			t.Errorf("%s: its credential goes to %q %q", name, k.In, k.Field)
		}
		if got := Of(k.Scheme()); got.Kind != k.Kind || got.HTTP != k.HTTP {
			t.Errorf("%s: a scheme of it is taken for %s", name, got.Name())
		}
	}
	var another []string
	for _, k := range Kinds() {
		if k.NeedsAnother() {
			another = append(another, k.Name())
		}
	}
	if want := []string{"digest", "hoba", "mutual", "negotiate", "ntlm", "scram-sha-1", "scram-sha-256"}; !slices.Equal(another, want) {
		t.Errorf("another client is needed for %v, want %v", another, want)
	}
	for _, kind := range []wayfind.SchemeKind{
		wayfind.SchemeNone, wayfind.SchemeAPIKey, wayfind.SchemeHTTP, wayfind.SchemeOAuth2, wayfind.SchemeOIDC, wayfind.SchemeMTLS, wayfind.SchemeCustom,
	} {
		if got := Of(wayfind.Scheme{Kind: kind}).Kind; got != kind {
			t.Errorf("%s is taken for %s", kind, got)
		}
	}
}

// TestAWordHasOneMeaning checks that no vocabulary contains a word twice, and that folded words
// are folded.
func TestAWordHasOneMeaning(t *testing.T) {
	const folded = A2AName | AgentsMDOther | AIDiscovery | MCP | HTTPAuth
	for v := HTTPAuth; v <= MCP; v <<= 1 {
		var words []string
		for _, k := range Kinds() {
			for _, w := range k.Words {
				if w.In&v == 0 {
					continue
				}
				if slices.Contains(words, w.Text) {
					t.Errorf("vocabulary %b has %q twice", v, w.Text)
				}
				words = append(words, w.Text)
				if plain := Fold(w.Text, "-_ ."); v&folded != 0 && plain != w.Text {
					t.Errorf("vocabulary %b: no word is ever %q, since it is folded to %q", v, w.Text, plain)
				}
			}
		}
		if len(words) == 0 {
			t.Errorf("vocabulary %b has no words", v)
		}
	}
}

func TestTextsForPeople(t *testing.T) {
	prefix := "Token"
	for want, s := range map[string]wayfind.Scheme{
		"nothing needed":                         {Kind: wayfind.SchemeNone, Name: "X"},
		"API key":                                {Kind: wayfind.SchemeAPIKey},
		`API key in header <X> as "<Token> KEY"`: {Kind: wayfind.SchemeAPIKey, Name: "X", Prefix: &prefix},
		"API key in <query> <k>":                 {Kind: wayfind.SchemeAPIKey, In: "query", Name: "k"},
		"HTTP <Basic>":                           {Kind: wayfind.SchemeHTTP, HTTPScheme: "Basic"},
		"HTTP <hoba>":                            {Kind: wayfind.SchemeHTTP, HTTPScheme: "hoba"},
		"OAuth 2 at <https://a.example/a>":       {Kind: wayfind.SchemeOAuth2, Flows: []wayfind.OAuthFlow{{}, {AuthorizationURL: "https://a.example/a"}}},
		"OpenID Connect":                         {Kind: wayfind.SchemeOIDC},
		"client certificate (mutual TLS)":        {Kind: wayfind.SchemeMTLS},
		"<custom>":                               {Kind: wayfind.SchemeCustom},
		"<magic>":                                {Kind: "magic"},
	} {
		if got := Of(s).Text(s, shown); got != want {
			t.Errorf("%+v: got %q, want %q", s, got, want)
		}
	}
}

func TestGrantsFitSchemes(t *testing.T) {
	for _, c := range []struct {
		scheme wayfind.Scheme
		want   []Grant
	}{
		{wayfind.Scheme{Kind: wayfind.SchemeNone}, nil},
		{wayfind.Scheme{Kind: wayfind.SchemeAPIKey}, []Grant{Key}},
		{wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "BASIC"}, []Grant{Basic}},
		{wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "Bearer"}, []Grant{Bearer, OAuth}},
		{wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "digest"}, nil},
		{wayfind.Scheme{Kind: wayfind.SchemeHTTP}, nil},
		{wayfind.Scheme{Kind: wayfind.SchemeOAuth2}, []Grant{Bearer, OAuth}},
		{wayfind.Scheme{Kind: wayfind.SchemeOIDC, HTTPScheme: "basic"}, []Grant{Bearer, OAuth}},
		{wayfind.Scheme{Kind: wayfind.SchemeMTLS}, []Grant{Certificate}},
		{wayfind.Scheme{Kind: wayfind.SchemeCustom, HTTPScheme: "bearer"}, nil},
		{wayfind.Scheme{Kind: "magic"}, nil},
	} {
		for _, g := range []Grant{Key, Basic, Bearer, OAuth, Certificate} {
			if got := Of(c.scheme).Takes(g); got != slices.Contains(c.want, g) {
				t.Errorf("%+v takes %s: %v", c.scheme, g, got)
			}
		}
	}
}
