package msagents_test

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// Such a list is not published as a file, so the corpus contains none: nothing in it is claimed
// at the place where it was found. At the place of the design each list of agents is claimed,
// regardless of its other members.
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
