package wayfind_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
)

// TestVerdicts is the table of verdicts: whether each decides if there is a document, and the
// kind of error that it causes.
func TestVerdicts(t *testing.T) {
	type row struct {
		Verdict  wayfind.Verdict
		Answered bool
		Kind     error
	}
	want := []row{
		{wayfind.VerdictFound, true, nil},
		{wayfind.VerdictAbsent, true, wayfind.ErrNotFound},
		{wayfind.VerdictSoft404, true, wayfind.ErrNotFound},
		{wayfind.VerdictUnrecognised, true, wayfind.ErrNotFound},
		{wayfind.VerdictOtherFormat, true, wayfind.ErrNotFound},
		{wayfind.VerdictMalformed, true, wayfind.ErrInvalid},
		{wayfind.VerdictTooLarge, true, wayfind.ErrInvalid},
		{wayfind.VerdictEndpointLike, false, nil},
		{wayfind.VerdictProtected, false, wayfind.ErrBlocked},
		{wayfind.VerdictBlocked, false, wayfind.ErrBlocked},
		{wayfind.VerdictThrottled, false, wayfind.ErrThrottled},
		{wayfind.VerdictUnreachable, false, wayfind.ErrUnreachable},
		{wayfind.VerdictRefused, false, wayfind.ErrRefused},
		{wayfind.VerdictSkipped, false, nil},
	}
	var got []row
	for _, v := range wayfind.Verdicts() {
		got = append(got, row{v, v.Answered(), v.Kind()})
	}
	sameError := cmp.Comparer(func(a, b error) bool { return a == b })
	if diff := cmp.Diff(want, got, sameError); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	unknown := wayfind.Verdict("of a later version")
	if unknown.Answered() || unknown.Kind() != nil {
		t.Errorf("an unknown verdict says %t, %v", unknown.Answered(), unknown.Kind())
	}
}

func TestAuthorityRank(t *testing.T) {
	order := []wayfind.Authority{"live", "verified", "native", "linked", "conventional", "catalog", "prose", "third_party", "synthetic", "of a later version"}
	for i, a := range order {
		if got := a.Rank(); got != i {
			t.Errorf("%s: rank %d, want %d", a, got, i)
		}
	}
}

func TestSiteLookUps(t *testing.T) {
	site := wayfind.Site{
		Origin: "https://example.com",
		Services: []wayfind.Service{
			{ID: "a", Capabilities: []wayfind.Capability{{Key: "a:1", Aliases: []string{"b:9"}}, {Key: "a:2"}}},
			{ID: "c", Capabilities: []wayfind.Capability{{Key: "c:1"}}},
		},
		Sources: []wayfind.Source{{URL: "https://example.com/x", FinalURL: "https://www.example.com/x"}},
	}
	var keys []string
	for s, c := range site.Capabilities() {
		keys = append(keys, s.ID+" "+c.Key)
	}
	if diff := cmp.Diff([]string{"a a:1", "a a:2", "c c:1"}, keys); diff != "" {
		t.Errorf("Capabilities (-want +got):\n%s", diff)
	}
	for range site.Capabilities() {
		break // after the loop ends, nothing more may be yielded
	}
	for key, want := range map[string]string{"a:1": "a:1", "b:9": "a:1", "c:1": "c:1"} {
		if s, c := site.Capability(key); c == nil || c.Key != want || s == nil || !strings.HasPrefix(want, s.ID) {
			t.Errorf("Capability(%q) = %v, %v", key, s, c)
		}
	}
	if s, c := site.Capability("d:1"); s != nil || c != nil {
		t.Errorf("Capability of an unknown key = %v, %v", s, c)
	}
	if got := site.Service("c"); got != &site.Services[1] {
		t.Errorf("Service = %v", got)
	}
	if got := site.Service("d"); got != nil {
		t.Errorf("Service of an unknown ID = %v", got)
	}
	for url, want := range map[string]*wayfind.Source{
		"https://example.com/x": &site.Sources[0], "https://www.example.com/x": &site.Sources[0], "https://example.com/y": nil,
	} {
		if got := site.Source(url); got != want {
			t.Errorf("Source(%q) = %v", url, got)
		}
	}
}

func TestSpecRef(t *testing.T) {
	spec := wayfind.SpecRef{Title: "RFC 9111", URL: "https://www.rfc-editor.org/rfc/rfc9111"}
	if got := spec.At("§4.2").String(); got != "RFC 9111 §4.2" {
		t.Errorf("String = %q", got)
	}
	if got := spec.String(); got != "RFC 9111" {
		t.Errorf("String without a section = %q: At must not change its receiver", got)
	}
	if got := (wayfind.SpecRef{}).String(); got != "" {
		t.Errorf("String of nothing = %q", got)
	}
}

// TestInputMissing checks a schema that does not exist, and a schema in a detail document, also
// of a replaced reading.
func TestInputMissing(t *testing.T) {
	lazy := wayfind.Capability{Lazy: true, DetailURLs: []string{"https://a.example/x"}}
	tests := []struct {
		name, want string
		c          wayfind.Capability
	}{
		{"given", "", wayfind.Capability{Input: []byte(`{}`), Lazy: true, DetailURLs: lazy.DetailURLs}},
		{"none", wayfind.MissingNone, wayfind.Capability{}},
		{"lazy", wayfind.MissingLazy, lazy},
		{"lazy without a place", wayfind.MissingNone, wayfind.Capability{Lazy: true}},
		{"lazy alternative", wayfind.MissingLazy, wayfind.Capability{Alternatives: []wayfind.Capability{lazy}}},
		{"parameters, and a lazy alternative", wayfind.MissingNone, wayfind.Capability{Params: []wayfind.Param{{Name: "a"}}, Alternatives: []wayfind.Capability{lazy}}},
	}
	for _, tt := range tests {
		if got := tt.c.InputMissing(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestANilSiteNamesWhatReturnsOne calls each method of a nil Site.
func TestANilSiteNamesWhatReturnsOne(t *testing.T) {
	var site *wayfind.Site
	for name, call := range map[string]func(){
		"Capabilities": func() { site.Capabilities() },
		"Capability":   func() { site.Capability("") },
		"Service":      func() { site.Service("") },
		"Source":       func() { site.Source("") },
		"With":         func() { site.With(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "Resolve") {
					t.Errorf("it does not say where a Site comes from: %q", said)
				}
			}()
			call()
		})
	}
}
