package prompt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// maxFalseAlarms is the maximum share of harmless texts that are flagged.
const maxFalseAlarms = 0.005

// describedIn returns the descriptions, summaries and titles in a JSON document.
func describedIn(v any, list []string) []string {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			list = describedIn(item, list)
		}
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok && (name == "description" || name == "summary" || name == "title") {
				list = append(list, text)
				continue
			}
			list = describedIn(member, list)
		}
	}
	return list
}

// textsOf returns the descriptions of a JSON document, or the lines of another document,
// because a fence may not end in its paragraph.
func textsOf(file string, body []byte) []string {
	var v any
	if json.Unmarshal(body, &v) == nil {
		return describedIn(v, nil)
	}
	if ext := filepath.Ext(file); ext == ".txt" || ext == ".md" {
		return strings.Split(strings.ReplaceAll(string(body), "```", ""), "\n")
	}
	return nil
}

// falseAlarms counts the different texts of the documents below a folder, and the texts that
// are flagged.
func falseAlarms(t *testing.T, dir string) (texts, flagged int) {
	seen := map[string]bool{}
	for _, file := range golden.Files(t, dir, "*.*") {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range textsOf(file, body) {
			if seen[text] || text == "" {
				continue
			}
			seen[text] = true
			if found := classesOf(text); found != nil {
				flagged++
				t.Logf("%s: %v in %.200q", filepath.Base(file), found, text)
			}
		}
	}
	return len(seen), flagged
}

func TestHarmlessDescriptionsAreNotFlagged(t *testing.T) {
	testkit.Large(t)
	for dir, env := range map[string]string{golden.Corpus(t): golden.EnvCorpus, golden.APIs(t): golden.EnvAPIs} {
		least := golden.Least(t, env, 2000)
		texts, flagged := falseAlarms(t, dir)
		t.Logf("%s: %d of %d", filepath.Base(dir), flagged, texts)
		if texts < least || float64(flagged) > maxFalseAlarms*float64(texts) {
			t.Errorf("%s: %d of %d texts are flagged, at most %.1f %% may be", dir, flagged, texts, 100*maxFalseAlarms)
		}
	}
}
