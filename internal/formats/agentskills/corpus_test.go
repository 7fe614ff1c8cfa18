package agentskills_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// Each document of the corpus except a bare list is read, and more than half of the skills can
// be loaded.
func TestCorpusDocuments(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, "agent-skills-index"), "*.json")
	skills, loadable, verifiable, diagnostics := 0, 0, 0, map[string]int{}
	for _, path := range paths {
		body := golden.Read(t, path)
		in := document(t, body)
		claim := agentskills.Format().Match(in)
		if foreign := body[0] == '['; (claim.Level == parse.None) != foreign {
			t.Errorf("%s: claim %+v", filepath.Base(path), claim)
		}
		if claim.Level == parse.None {
			continue
		}
		r := read(t, in)
		for _, d := range r.Diagnostics {
			diagnostics[d.Code]++
		}
		for i := range r.Services {
			for _, c := range r.Services[i].Capabilities {
				skills++
				if c.Artifact != nil {
					loadable++
					if c.Artifact.SHA256 != "" {
						verifiable++
					}
				}
			}
		}
		t.Logf("%s: %+v, %v", filepath.Base(path), claim, codes(r.Diagnostics))
	}
	t.Logf("%d documents, %d skills, %d loadable, %d with a digest, diagnostics %v", len(paths), skills, loadable, verifiable, diagnostics)
	if 2*loadable < skills {
		t.Errorf("%d of %d skills can be loaded", loadable, skills)
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim {
		return agentskills.Format().Match(formattest.Input(t, "", "", body))
	}, "agent-skills-index")
}
