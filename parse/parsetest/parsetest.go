// Package parsetest checks the laws that each [parse.Format] must obey, including the formats
// of users:
//
//	func TestLaws(t *testing.T) {
//		parsetest.Run(t, myformat.Format(), parsetest.Doc{Name: "plain", Body: body})
//	}
//
//	func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, myformat.Format()) }
//
// The laws apply to each document, to each prefix of it, and to each JSON document in which a
// member has an empty name:
//
//   - Match, Parse and Detail never panic. They return the same for the same document, also if
//     two of them share one Input at the same time.
//   - They do not modify their Input.
//   - An error of Parse and Detail is a *wayfind.Error, without a Reading. Without an error
//     there is a Reading.
//   - A diagnostic has a code of the format ("<format>.<name>") or of an area that all
//     documents share ("json.<name>"), a severity, a short message and the specification that
//     it is from.
//   - Pointers of diagnostics and of Refs exist in the document.
//   - A format that has Rules has a rule for each code that it emits. Rules are in alphabetical
//     order, without duplicates, and consist of sentences.
//   - A capability has an ID and a link has a URL. A confidence is between 0 and 1. Texts are
//     UTF-8, and each JSON value is valid.
//
// In a fuzz test, to read a document also allocates at most a fixed amount and about a thousand
// bytes for each of its bytes.
//
// Further laws may be added: they follow from the contract of package parse.
//
// [Explains] and [Rules] check that a rule explains each code that a format emits, and that a
// document gives each.
package parsetest

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Doc is a document for a test.
type Doc struct {
	// Name is the name of the subtest.
	Name string
	// URL is the URL of the document. The default is "https://example.com/".
	URL string
	// MediaType is the media type that a server would send, without parameters.
	MediaType string
	// Header is the header of the response. It may be nil.
	Header http.Header
	Body   []byte
}

// Run checks the format itself, each document and its variations: its prefixes (all prefixes up
// to 4 KiB, and at most 2,000 that end between tokens for a larger document), and, if it is
// JSON, at most 200 variations with one empty name. The format must claim at least one
// document.
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
		t.Errorf("format %q claims no document of %d: its laws were not checked", f.Name, len(docs))
	}
}

// Fuzz checks the laws of a document on the fuzzer's variations of the seeds. The seeds are the
// given documents and a few small ones of this package.
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

// A format may allocate so many bytes to read a document: for each byte of it, and in addition.
const (
	costPerByte = 1000
	costBesides = 512 << 10
)

// checkCost fails the test if a format allocates too much to read a document. It is a law of
// the fuzz test only, because there nothing else runs at the same time.
func checkCost(t *testing.T, format *parse.Format, doc Doc) {
	t.Helper()
	testkit.BoundAllocs(t, len(doc.Body), costPerByte, costBesides, func() {
		in, err := input(doc, doc.Body)
		if err == nil && claimed(format.Match(in)) {
			_, _ = format.Parse(in)
		}
	})
}

// Check returns the laws that a format breaks on one document, without its prefixes. It returns
// nil if the format obeys them.
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

// input returns a new Input for a document with the given body.
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

// claims reports whether a format claims a document. A Match that panics has been reported
// before.
func claims(f *parse.Format, doc Doc) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	in, err := input(doc, doc.Body)
	return err == nil && f.Match != nil && claimed(f.Match(in))
}

// claimed reports whether the format reads something of a document with this claim.
func claimed(c parse.Claim) bool { return c.Level > parse.None || c.Aside }

// DocOf returns a served document as a Doc.
func DocOf(name string, in *parse.Input) Doc {
	doc := Doc{Name: name, MediaType: in.MediaType, Body: in.Body}
	if in.URL != nil {
		doc.URL = in.URL.String()
	}
	return doc
}
