package a2a_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// Another media type is reported, and the card is read.
func TestAnotherMediaTypeIsToldAndTheCardIsRead(t *testing.T) {
	formattest.MediaTypes(t, a2a.Format(), served(t, formattest.JSON(t, card10(nil))), map[string]wayfind.Severity{
		"application/json": "", "application/a2a+json": "", "text/plain": "warning", "application/octet-stream": "warning", "": "warning",
	})
}

// The answer of a catch-all site is not a card.
func TestACatchAllAnswerIsNoCard(t *testing.T) {
	for _, body := range []string{"{}", `{"status":"ok"}`, `{"name":"x","url":"https://a.example"}`, "<!doctype html><title>x</title>"} {
		formattest.Unclaimed(t, a2a.Format(), served(t, []byte(body)))
	}
}

// A body that is refused in all modes is an error.
func TestUnreadableBodiesAreErrorsInEveryMode(t *testing.T) {
	for _, body := range []string{
		`{"name":"a","skills":[],"\u0073kills":[]}`, "{\"name\":\"\xff\"}", `{"name":"a"} {}`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65), "null", "[]", `"a2a"`, "", "  ",
	} {
		formattest.Refused(t, a2a.Format(), served(t, []byte(body)))
	}
}

// Names are exact. A variant in another case is reported and never read.
func TestVariantsInCaseAreToldAndNotRead(t *testing.T) {
	r := read(t, formattest.Edit(card03(object{"URL": "https://evil.example", "ſkills": []any{skill(object{"id": "evil"})}}), object{
		"skills":          []any{skill(object{"ID": "evil", "Security": []any{object{}}})},
		"securitySchemes": object{"k": object{"type": "apiKey", "in": "header", "name": "X-Key"}},
		"security":        []any{object{"k": []string{}}},
	}))
	s := r.Services[0]
	if !slices.Equal(places(r), []string{"a2a jsonrpc " + site + "/a2a [0.3.0]"}) || !slices.Equal(formattest.IDs(r), []string{"find"}) || s.Capabilities[0].Auth != nil {
		t.Errorf("places %q, skills %q", places(r), formattest.IDs(r))
	}
	for _, d := range r.Diagnostics {
		if d.Code != "json.case_variant" {
			t.Errorf("%s", d.Code)
		}
	}
	if len(r.Diagnostics) != 4 || s.Extensions["URL"] != nil {
		t.Errorf("4 variants were written: %q", codes(r.Diagnostics))
	}
}

// The first 1,000 skills are read in order, and the total is reported.
func TestThousandSkillsAreReadAndTheOthersCounted(t *testing.T) {
	for _, n := range []int{1000, 1001, 3000} {
		var list, faces []any
		for i := range n {
			list = append(list, skill(object{"id": fmt.Sprint("s", i)}))
			faces = append(faces, face(object{"tenant": fmt.Sprint("t", i)}))
		}
		r := read(t, card10(object{"skills": list, "supportedInterfaces": faces}))
		got := formattest.IDs(r)
		if len(got) != 1000 || got[0] != "s0" || got[999] != "s999" || len(r.Services[0].Interfaces) != 1000 {
			t.Errorf("%d skills: read %d, and %d interfaces", n, len(got), len(r.Services[0].Interfaces))
		}
		told := 0
		for _, d := range r.Diagnostics {
			if d.Code == "a2a.truncated" && strings.Contains(d.Message, fmt.Sprint("of ", n)) {
				told++
			}
		}
		if told != 2*min(n-1000, 1) {
			t.Errorf("%d skills: diagnostics %q", n, codes(r.Diagnostics))
		}
	}
}

// An entry with wrong types is dropped, and its index is reported.
func TestEntriesOfWrongTypesAreDroppedAndTold(t *testing.T) {
	wrong := []any{
		nil, 7, "text", []any{},
		skill(object{"id": 7}), skill(object{"id": ""}), skill(object{"id": []any{"a"}}), object{"description": "x", "tags": []string{}},
	}
	for i, entry := range wrong {
		r := read(t, card10(object{"skills": []any{skill(object{"id": "sound"}), entry}}))
		if diff := cmp.Diff([]string{"sound"}, formattest.IDs(r)); diff != "" || r.Unusable != "" {
			t.Errorf("entry %d: unusable %q (-want +got):\n%s", i, r.Unusable, diff)
		}
		if len(r.Diagnostics) == 0 || slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return !strings.HasPrefix(d.Pointer, "/skills/1") }) {
			t.Errorf("entry %d: want diagnostics at its index, got %q", i, codes(r.Diagnostics))
		}
	}
	for i, entry := range []any{nil, 7, "https://a.example", object{}, face(object{"url": 7}), face(object{"url": nil})} {
		r := read(t, card10(object{"supportedInterfaces": []any{entry}}))
		if r.Unusable == "" || !slices.Contains(codes(r.Diagnostics), "error no_interface ") {
			t.Errorf("interface %d: unusable %q, %q", i, r.Unusable, codes(r.Diagnostics))
		}
	}
}

// Unknown members are ignored without a diagnostic, and kept.
func TestUnknownMembersAreKeptWithoutAWord(t *testing.T) {
	r := read(t, formattest.Edit(face10(face(object{"region": "eu"})), object{
		"x-team": object{"name": "things"}, "capabilities": object{"voice": true}, "skills": []any{skill(object{"price": "1 EUR"})},
	}))
	if r.Diagnostics != nil {
		t.Errorf("something is said: %q", codes(r.Diagnostics))
	}
	s := r.Services[0]
	for want, got := range map[string]parse.Raw{
		`{"name":"things"}`: s.Extensions["x-team"], `{"voice":true}`: s.Extensions["capabilities"],
		`"eu"`: s.Interfaces[0].Extensions["region"], `"1 EUR"`: s.Capabilities[0].Extensions["price"],
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// hostile returns references that lead nowhere.
func hostile() []string {
	return append(formattest.HostileReferences(), "/x\x7fy", "/a{", "/a}b", "/{a{b}}", "{{BASE}}", "shop.example/a2a", "evil.example", "?x", "../x")
}

// No reference of a card becomes a place that the card does not name. If a person understands it, the rest
// of the card is read.
func TestNoReferenceBecomesAPlaceThatItDoesNotName(t *testing.T) {
	understood := []string{"shop.example/a2a", "evil.example", "?x", "../x", "a2a/v1", "./a2a", "x.example:50051"}
	for _, ref := range append(hostile(), understood[4:]...) {
		for _, card := range []object{
			face10(face(object{"url": ref})), card03(object{"url": ref}), formattest.Edit(face10(), object{"url": ref}),
			card03(object{"url": nil, "additionalInterfaces": []any{object{"url": ref, "transport": "HTTP+JSON"}}}),
		} {
			r := read(t, card)
			if r.Services[0].Interfaces != nil || (r.Unusable == "") != slices.Contains(understood, ref) {
				t.Errorf("%q: places %q", ref, places(r))
			}
			if !slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool {
				return d.Code == "a2a.endpoint" && d.Severity == wayfind.SeverityError
			}) {
				t.Errorf("%q: %q", ref, codes(r.Diagnostics))
			}
		}
	}
}

// A strange URL is kept as a claim and reported.
func TestOddEndpointsAreKeptAsClaims(t *testing.T) {
	for ref, want := range map[string]string{
		"http://shop.example/a":         "endpoint_scheme",
		"https://shop.example:8443/a":   "endpoint_host",
		"https://127.0.0.1/a":           "endpoint_host",
		"https://[::1]/a":               "endpoint_host",
		"https://2852039166/a":          "endpoint_host",
		"https://localhost/a":           "endpoint_host",
		"https://metadata.internal/a":   "endpoint_host",
		"https://{tenant}.shop.example": "endpoint_host",
		"https://shop.example/../a":     "dot_segments",
	} {
		r := read(t, face10(face(object{"url": ref})))
		if diff := cmp.Diff([]string{"warning " + want + " /supportedInterfaces/0/url"}, codes(r.Diagnostics)); diff != "" || len(places(r)) != 1 {
			t.Errorf("%s: places %q (-want +got):\n%s", ref, places(r), diff)
		}
	}
}

// Credentials in a card are reported and not kept.
func TestCredentialsInACardAreToldAndNotKept(t *testing.T) {
	const secret = "sk_live_0123456789"
	r := read(t, card03(object{"protocolVersion": "0.1", "authentication": object{"schemes": []string{"bearer"}, "credentials": secret}}))
	if strings.Contains(string(formattest.JSON(t, r)), secret) || !slices.Contains(codes(r.Diagnostics), "warning credentials /authentication/credentials") {
		t.Errorf("diagnostics %q in %s", codes(r.Diagnostics), formattest.JSON(t, r))
	}
}

// Names of header fields that would change a request are dropped.
func TestHeaderNamesThatChangeARequestAreDropped(t *testing.T) {
	for _, header := range []string{"Host", "Cookie", "Content-Length", "X-A\r\nX-B", "", strings.Repeat("x", 10<<10), "a b", "é"} {
		for _, card := range []object{
			card03(object{"securitySchemes": object{"k": object{"type": "apiKey", "in": "header", "name": header}}}),
			card10(object{"securitySchemes": object{"k": object{"apiKeySecurityScheme": object{"location": "header", "name": header}}}}),
		} {
			r := read(t, card)
			if name := r.Services[0].Auth.Schemes["k"].Name; name != "" || !strings.HasPrefix(strings.Join(codes(r.Diagnostics), " "), "error header_name ") {
				t.Errorf("%.20q: read %q, %q", header, name, codes(r.Diagnostics))
			}
		}
	}
}
