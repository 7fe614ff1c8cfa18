package agentsmd_test

import (
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse"
)

// All sections are optional (§3): at the place of this format alone, a title or a contact is a document.
// At the place that other files share it is none.
func TestAnIdentityOrAContactAloneIsADocumentAtItsOwnPlace(t *testing.T) {
	for _, c := range []struct {
		path, body string
		want       parse.Level
	}{
		{agentsmd.Path, "# My Blog\n\nArticles.\n", parse.Likely},
		{agentsmd.Path, "---\nversion: \"1.0\"\n---\n# X\n", parse.Likely},
		{agentsmd.Path, "## Contact\n\na@b.example\n", parse.Likely},
		{agentsmd.Path, "Not found\n", parse.None},
		{agentsmd.Path, "<!doctype html><h1>Not found</h1>", parse.None},
		{agentsmd.Path, `{"title": "# X"}`, parse.None},
		{agentsmd.FallbackPath, "# My Blog\n\nArticles.\n", parse.None},
		{agentsmd.FallbackPath, "## Contact\n\na@b.example\n", parse.None},
	} {
		in := &parse.Input{URL: &url.URL{Scheme: "https", Host: "example.com", Path: c.path}, Body: []byte(c.body)}
		if got := agentsmd.Format().Match(in).Level; got != c.want {
			t.Errorf("%s %q: claimed as %v, want %v", c.path, c.body, got, c.want)
		}
	}
}
