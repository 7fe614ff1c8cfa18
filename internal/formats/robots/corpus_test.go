package robots_test

import (
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// unread returns the files of the corpus that are not recognised, each with the reason.
func unread() map[string]string {
	return map[string]string{
		"google__robotstxt__1.txt": "its fields were translated (\"Agente do usuário\", \"Permitir\"): no reader knows them",
		"translated.txt":           "its fields are of another language",
	}
}

// likely returns the files without a group.
func likely() map[string]string {
	return map[string]string{"AnswerDotAI__llms-txt__1.txt": "a Sitemap and nothing else", "sitemap.txt": "a Sitemap and nothing else"}
}

func TestCorpusDocuments(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, "robots-txt"), "*.txt")
	known, unsure := golden.Known(unread(), paths), golden.Known(likely(), paths)
	recognised, usable, diagnostics := 0, 0, 0
	for _, path := range paths {
		base := filepath.Base(path)
		in := served(t, string(golden.Read(t, path)))
		want := parse.Exact
		switch {
		case slices.Contains(known, base):
			want = parse.None
		case slices.Contains(unsure, base):
			want = parse.Likely
		}
		if got := robots.Format().Match(in).Level; got != want {
			t.Errorf("%s: level %d, want %d", base, got, want)
		}
		r := read(t, string(in.Body))
		if (r.Unusable == "") != (want != parse.None) {
			t.Errorf("%s: unusable %q", base, r.Unusable)
		}
		if want == parse.None {
			continue
		}
		recognised++
		if r.Unusable == "" {
			usable++
		}
		diagnostics += len(r.Diagnostics)
		t.Logf("%s: %d policies, %d documents, %v", base, len(r.Policies), len(r.Documents), codes(r))
	}
	t.Logf("%d documents, %d recognised, %d usable, %d diagnostics", len(paths), recognised, usable, diagnostics)
	if len(known) == 0 || len(unsure) == 0 {
		t.Errorf("explained %q and %q", known, unsure)
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	// An ai.txt has the same grammar: see TestPlace.
	golden.Others(t, func(body []byte) parse.Claim { return robots.Format().Match(&parse.Input{Body: body}) }, "robots-txt", "ai-txt")
}

// A document with the grammar of robots.txt is claimed at each place to which a redirect may
// lead, except at the place of a file with the same grammar and another meaning.
func TestPlace(t *testing.T) {
	for path, want := range map[string]parse.Level{
		"/robots.txt": parse.Exact, "": parse.Exact, "/": parse.Exact, "/static/robots-prod.txt": parse.Exact,
		"/ai.txt": parse.None, "/.well-known/ai.txt": parse.None,
	} {
		in := &parse.Input{URL: &url.URL{Scheme: "https", Host: "shop.example.com", Path: path}, Body: []byte("User-agent: *\nDisallow: /admin\n")}
		if claim := robots.Format().Match(in); claim.Level != want {
			t.Errorf("%q: level %v, want %v", path, claim.Level, want)
		}
	}
}
