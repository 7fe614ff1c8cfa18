package msagents_test

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/msagents"
)

// Nobody publishes such a list as a file, so the corpus has none: nothing in it
// is claimed, wherever a document was found. At the place of the design itself
// a list of agents is one, whatever it holds.
func TestCorpusOthers(t *testing.T) {
	root := golden.Corpus(t)
	paths := golden.Files(t, root, "*")
	claimed := map[string]int{}
	for _, path := range paths {
		folder := filepath.Base(filepath.Dir(path))
		body := golden.Read(t, path)
		for _, place := range []string{"", "/", "/.well-known/agents.json", msagents.PathWebChat, msagents.PathDevUI} {
			in := &parse.Input{Body: body}
			if place != "" {
				in.FinalURL = &url.URL{Scheme: "https", Host: "example.com", Path: place}
			}
			if claim := msagents.Format().Match(in); claim != (parse.Claim{}) {
				t.Errorf("%s at %q: claim %+v", path, place, claim)
				claimed[folder]++
			}
		}
	}
	t.Logf("%d documents of other formats, claimed: %v", len(paths), claimed)
}
