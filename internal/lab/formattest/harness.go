// Package formattest has functions for the tests of formats: they make documents, read them, and
// show their readings for comparison.
package formattest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// URL parses a URL, or fails the test.
func URL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Input returns a document as if a server returned it for a URL, with a media type. If the URL
// is empty, the origin is not known, as for a file.
func Input(t testing.TB, at, mediaType string, body []byte) *parse.Input {
	t.Helper()
	in := &parse.Input{MediaType: mediaType, Body: body}
	if at != "" {
		in.URL, in.FinalURL = URL(t, at), URL(t, at)
	}
	return in
}

// Served returns a document of a host. The name of its fixture is "label:/path;media/type".
// Without a path its origin is not known. The default of the media type is application/json.
func Served(t testing.TB, host, fixture string, body []byte) *parse.Input {
	t.Helper()
	_, place, _ := strings.Cut(fixture, ":")
	place, mediaType, _ := strings.Cut(place, ";")
	if place != "" {
		place = host + place
	}
	return Input(t, place, cmp.Or(mediaType, "application/json"), body)
}

// Read returns a format's reading of a document, or fails the test.
func Read(t testing.TB, f *parse.Format, in *parse.Input) *parse.Reading {
	t.Helper()
	r, err := f.Parse(in)
	if err != nil {
		t.Fatalf("%.60q: %v", in.Body, err)
	}
	return r
}

// JSON returns the JSON text of a value, or fails the test.
func JSON(t testing.TB, v any) []byte {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Edit returns a copy of a JSON object in which members are replaced; a nil member is removed.
// Tests make faulty documents from a valid one with it.
func Edit(object, replace map[string]any) map[string]any {
	edited := maps.Clone(object)
	for name, value := range replace {
		if edited[name] = value; value == nil {
			delete(edited, name)
		}
	}
	return edited
}

// Show returns a line for each diagnostic, so that tests can compare them. The layout is that
// line, with names in braces for the parts of a diagnostic:
//
//	{severity} {code} {name} {pointer} {line} {spec} {section} {message}
//
// {name} is the code without the name of the format.
func Show(list []wayfind.Diagnostic, layout string) []string {
	var shown []string
	for _, d := range list {
		var spec wayfind.SpecRef
		if d.Spec != nil {
			spec = *d.Spec
		}
		area, name, _ := strings.Cut(d.Code, ".")
		if slices.Contains(Areas(), area) {
			name = d.Code
		}
		shown = append(shown, strings.NewReplacer("{severity}", string(d.Severity), "{code}", d.Code, "{name}", name, "{pointer}", d.Pointer,
			"{line}", strconv.Itoa(d.Line), "{spec}", fmt.Sprint(spec), "{section}", spec.Section, "{message}", d.Message).Replace(layout))
	}
	return shown
}

// ShowClaim returns a claim in words: "exact", "likely detail", "none".
func ShowClaim(c parse.Claim) string {
	words := [...]string{parse.None: "none", parse.Likely: "likely", parse.Exact: "exact"}[c.Level]
	if c.Dialect != "" {
		words += " " + c.Dialect
	}
	if c.Aside {
		words += " aside"
	}
	if c.Negative {
		words += " negative"
	}
	return words
}

// IDs returns the IDs of the capabilities of the first service.
func IDs(r *parse.Reading) []string {
	var list []string
	for _, c := range r.Services[0].Capabilities {
		list = append(list, c.ID)
	}
	return list
}

// Refused checks that a format neither claims nor reads the documents.
func Refused(t testing.TB, f *parse.Format, docs ...*parse.Input) {
	t.Helper()
	Unclaimed(t, f, docs...)
	for _, in := range docs {
		if r, err := f.Parse(in); err == nil {
			t.Errorf("%.40q: was read as %+v", in.Body, r)
		}
	}
}

// Unclaimed checks that a format claims no document of docs.
func Unclaimed(t testing.TB, f *parse.Format, docs ...*parse.Input) {
	t.Helper()
	for _, in := range docs {
		if claim := f.Match(in); claim != (parse.Claim{}) {
			t.Errorf("%.40q: claim %+v", in.Body, claim)
		}
	}
}

// Drops checks that a format drops the entries of a list that have wrong types, and reads the
// others. read reads a document with these entries. The entry sound has the ID "sound", and
// pointer is the JSON pointer of the list. Each wrong entry must give one diagnostic at its
// index. A document without a sound entry must be unusable.
func Drops(t testing.TB, pointer string, sound any, wrong []any, read func(entries []any) *parse.Reading) {
	t.Helper()
	for i, entry := range wrong {
		r := read([]any{sound, entry})
		if got := IDs(r); !slices.Equal(got, []string{"sound"}) || r.Unusable != "" {
			t.Errorf("entry %d: unusable %q, read %q", i, r.Unusable, got)
		}
		if len(r.Diagnostics) != 1 || !strings.HasPrefix(r.Diagnostics[0].Pointer, pointer+"/1") {
			t.Errorf("entry %d: want one diagnostic at its index, got %v", i, Show(r.Diagnostics, "{severity} {code} {pointer}"))
		}
	}
	if r := read(wrong); r.Unusable == "" || len(r.Services) > 0 && IDs(r) != nil {
		t.Errorf("no entry is left, but the document is usable: %+v", r.Services)
	}
}

// Bounded checks that a format reads the first entries of a list up to a limit, in order, and
// that a diagnostic with this code reports their total number if there are more. read reads a
// document with n entries, which have the IDs "c0", "c1" and so on.
func Bounded(t testing.TB, code string, limit int, read func(n int) *parse.Reading) {
	t.Helper()
	for _, n := range []int{limit, limit + 1, max(3000, 3*limit)} {
		r := read(n)
		got := IDs(r)
		if len(got) != limit || got[0] != "c0" || got[limit-1] != fmt.Sprint("c", limit-1) {
			t.Errorf("%d entries: read %d, from %s to %s", n, len(got), got[0], got[len(got)-1])
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool {
			return d.Code == code && strings.Contains(d.Message, strconv.Itoa(n))
		})
		if told != (n > limit) {
			t.Errorf("%d entries: diagnostics %v", n, Show(r.Diagnostics, "{severity} {code} {pointer}"))
		}
	}
}

// HostileReferences returns references that some programs read as a path and others as a host,
// or that lead to no document. They must not become a URL.
func HostileReferences() []string {
	return []string{
		"//u@evil.example/x", `/\evil.example/x`, `\\evil.example`, "/\t/evil.example", "///evil.example",
		"https:evil", "https:///evil", "https://", "https://shop.example@evil.example/", `https://evil.example\@shop.example/`,
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ws://shop.example/", "unix:///var/run/docker.sock",
		"mailto:a@b", "https://shop.example/\r\nX: y", "/x\x00y", "/a b", "#x", "",
		"https://shop.example/" + strings.Repeat("a", 2048),
	}
}

// Alone returns a format whose Detail reads the first capability if the request names none, so
// that the laws are checked for details too.
func Alone(f *parse.Format) *parse.Format {
	alone := *f
	alone.Detail = func(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
		if subject.Capability == nil {
			if r, err := f.Parse(in); err == nil && len(r.Services) > 0 && len(r.Services[0].Capabilities) > 0 {
				subject.Capability = &r.Services[0].Capabilities[0]
			}
		}
		return f.Detail(in, subject)
	}
	return &alone
}

// Repeat joins n texts with commas. Each text is the layout with its number instead of N. Tests
// make hostile documents with it.
func Repeat(n int, layout string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(layout, "N", strconv.Itoa(i))
	}
	return strings.Join(list, ",")
}

// MediaTypes checks the diagnostics of a format about the media type of a valid document. rows
// contains the severity of the diagnostic "<format>.media_type" for each media type, or "" if
// there must be no diagnostic. The format must report nothing else, and must read the same as
// from a file, which has no media type.
func MediaTypes(t testing.TB, f *parse.Format, sound *parse.Input, rows map[string]wayfind.Severity) {
	t.Helper()
	sent := func(mediaType string, header http.Header, want ...string) *parse.Reading {
		in := &parse.Input{URL: sound.URL, FinalURL: sound.FinalURL, MediaType: mediaType, Header: header, Body: sound.Body}
		r := Read(t, f, in)
		if got := Show(r.Diagnostics, "{severity} {code}{pointer}"); !slices.Equal(got, want) || r.Unusable != "" {
			t.Errorf("%q, sent %t: unusable %q, diagnostics %q, want %q", mediaType, header != nil, r.Unusable, got, want)
		}
		return r
	}
	file := sent("", nil)
	for mediaType, severity := range rows {
		var want []string
		if severity != "" {
			want = []string{string(severity) + " " + f.Name + ".media_type"}
		}
		headers := []http.Header{{}, nil}
		if mediaType == "" {
			headers = headers[:1]
		}
		for _, header := range headers {
			if r := sent(mediaType, header, want...); !reflect.DeepEqual(r.Services, file.Services) {
				t.Errorf("%q: services %+v, from a file %+v", mediaType, r.Services, file.Services)
			}
		}
	}
}

// Areas returns the prefixes of codes that all formats share.
func Areas() []string { return []string{"json", "yaml", "markdown", "text"} }
