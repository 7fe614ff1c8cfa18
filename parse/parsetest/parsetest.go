// Package parsetest checks the laws that every [parse.Format] must keep, ours
// and those that users plug in, and is a harness for their other tests:
//
//	func TestLaws(t *testing.T) {
//		parsetest.Run(t, myformat.Format(), parsetest.Doc{Name: "plain", Body: body})
//	}
//
//	func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, myformat.Format()) }
//
// The laws, for every document, for every prefix of it, and for a JSON document
// with an empty name in the place of each of its members' names:
//
//   - Match, Parse and Detail never panic, and give the same for the same
//     document, also when two of them share one Input at the same time;
//   - they modify nothing of their Input;
//   - an error of Parse and Detail is a *wayfind.Error and comes without a
//     Reading; without an error there is one;
//   - diagnostics have a code of the format ("<format>.<name>") or of an area
//     that all documents share ("json.<name>"), a severity, a short message
//     and the specification they come from;
//   - pointers of diagnostics and of Refs exist in the document;
//   - a format that has Rules has one for every code of its own that it gives;
//     they stand in alphabetical order, each code once, and are sentences;
//   - capabilities have an ID, links a URL, confidences lie between 0 and 1,
//     text is UTF-8 and every JSON value is one.
//
// In a fuzz test, reading a document also allocates no more than a fixed
// amount and about a thousand bytes for each of its own.
//
// New laws may be added: a format that keeps to package parse's contract keeps
// them too.
//
// The rest of the package is a harness for a format's own cases. It makes
// documents from one sound one ([Edit], [JSON], [Input]), reads them ([Read]),
// shows results for comparison ([Show], [ShowClaim], [IDs]), and has the checks
// that most formats need ([Explains], [Refused], [Unclaimed], [Drops],
// [Bounded], [Growth]):
//
//	func read(t testing.TB, replace map[string]any) *parse.Reading {
//		t.Helper()
//		sound := map[string]any{"name": "Shop", "items": []any{map[string]any{"id": "a"}}}
//		body := parsetest.JSON(t, parsetest.Edit(sound, replace)) // nil removes a member
//		return parsetest.Read(t, myformat.Format(), parsetest.Input(t, "https://shop.example/my.json", "application/json", body))
//	}
//
//	func TestMissingName(t *testing.T) {
//		r := read(t, map[string]any{"name": nil})
//		want := []string{"error missing "}
//		if diff := cmp.Diff(want, parsetest.Show(r.Diagnostics, "{severity} {name} {pointer}")); diff != "" {
//			t.Errorf("diagnostics (-want +got):\n%s", diff)
//		}
//	}
package parsetest

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/internal/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Doc is a document to test with.
type Doc struct {
	// Name of the subtest.
	Name string
	// URL it comes from; empty is "https://example.com/".
	URL string
	// MediaType as a server would send it, without parameters.
	MediaType string
	// Header of the response; may be nil.
	Header http.Header
	Body   []byte
}

// Run checks the format itself, every document and its variations: its prefixes,
// which are all of them up to 4 KiB, else at most 2,000 that end between tokens,
// and, if it is JSON, at most 200 with one empty name. At least one document must
// be one that the format claims.
func Run(t *testing.T, f *parse.Format, docs ...Doc) {
	t.Helper()
	report(t, checkFormat(f))
	claimed := false
	for _, doc := range docs {
		t.Run(doc.Name, func(t *testing.T) {
			report(t, Check(f, doc))
			for _, n := range prefixes(doc.Body) {
				if problems := checkOnce(f, doc, doc.Body[:n:n]); len(problems) > 0 {
					t.Errorf("prefix of %d bytes:", n)
					report(t, problems)
					return
				}
			}
			for _, body := range unnamed(doc.Body) {
				if problems := checkOnce(f, doc, body); len(problems) > 0 {
					t.Errorf("with an empty name: %s", body)
					report(t, problems)
					return
				}
			}
		})
		claimed = claimed || claims(f, doc)
	}
	if !claimed {
		t.Errorf("format %q claims none of %d documents: its laws were not tried", f.Name, len(docs))
	}
}

// Fuzz runs the laws of a document on the fuzzer's variations of the seeds:
// the given documents and a few small ones of our own.
func Fuzz(f *testing.F, format *parse.Format, docs ...Doc) {
	f.Helper()
	for _, body := range []string{"", "{}", "[]", "null", "{\"a\":[1,{\"b\":null}]}", "# title\n\n- item\n", "---\na: b\n---\n", "<!doctype html>"} {
		f.Add([]byte(body), "")
	}
	for _, doc := range docs {
		f.Add(doc.Body, doc.MediaType)
	}
	f.Fuzz(func(t *testing.T, body []byte, mediaType string) {
		doc := Doc{MediaType: mediaType, Body: body}
		report(t, Check(format, doc))
		if !t.Failed() {
			checkCost(t, format, doc)
		}
	})
}

// Allocations that a format may make to read a document: for each byte of it,
// and besides.
const (
	costPerByte = 1000
	costBesides = 512 << 10
)

// checkCost fails the test when a document costs more than documents do. It is
// a law of the fuzz test only: there nothing runs beside it.
func checkCost(t *testing.T, format *parse.Format, doc Doc) {
	t.Helper()
	testkit.BoundAllocs(t, len(doc.Body), costPerByte, costBesides, func() {
		in, err := input(doc, doc.Body)
		if err == nil && claimed(format.Match(in)) {
			_, _ = format.Parse(in)
		}
	})
}

// Check returns the laws that a format breaks on one document, prefixes not
// tried; nil when it keeps them.
func Check(f *parse.Format, doc Doc) []string {
	c := &checker{format: f, doc: doc}
	c.document()
	return c.problems
}

// report prints broken laws.
func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

// input makes a fresh Input for a document with the given body.
func input(doc Doc, body []byte) (*parse.Input, error) {
	text := doc.URL
	if text == "" {
		text = "https://example.com/"
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	final := *u
	return &parse.Input{URL: u, FinalURL: &final, MediaType: doc.MediaType, Header: doc.Header.Clone(), Body: body}, nil
}

// claims reports whether a format takes a document for its own. A Match that
// panics has been reported already.
func claims(f *parse.Format, doc Doc) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	in, err := input(doc, doc.Body)
	return err == nil && f.Match != nil && claimed(f.Match(in))
}

// claimed reports whether a claim has the format read something.
func claimed(c parse.Claim) bool { return c.Level > parse.None || c.Aside }
