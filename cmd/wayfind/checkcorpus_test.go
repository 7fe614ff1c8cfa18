package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// judgedSite is a site of testdata/check/corpus.txt, or of samples.txt there.
type judgedSite struct {
	name       string
	files      map[string]string // places, with the documents there
	Level      int
	Tools      int
	Pass, Fail []string
	why        string
}

// judgedSites reads the sites, with the judgements that were made by hand.
func judgedSites(t *testing.T) (list []*judgedSite) {
	t.Helper()
	var s *judgedSite
	file := "corpus.txt"
	if !golden.Published(t, golden.EnvCorpus) {
		file = "samples.txt"
	}
	for line := range bytes.Lines(golden.Read(t, filepath.Join("testdata", "check", file))) {
		word, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch word {
		case "==":
			s = &judgedSite{name: rest, files: map[string]string{}}
			list = append(list, s)
		case "at":
			place, file, _ := strings.Cut(rest, " ")
			s.files[place] = file
		case "level":
			s.Level, _ = strconv.Atoi(rest)
		case "tools":
			s.Tools, _ = strconv.Atoi(rest)
		case "pass":
			s.Pass = strings.Fields(rest)
		case "fail":
			s.Fail = strings.Fields(rest)
		case "why":
			s.why = rest
		}
	}
	return list
}

// write puts the documents of a site into a directory.
func (s *judgedSite) write(t *testing.T, dir string) {
	t.Helper()
	for place, file := range s.files {
		folder, name, _ := strings.Cut(file, "/")
		collection := map[string]func(testing.TB, ...string) string{"corpus": golden.Corpus, "field": golden.Field}[folder]
		to := filepath.Join(dir, filepath.FromSlash(place))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, golden.Read(t, collection(t, filepath.FromSlash(name))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckOfTheCorpus: the verdicts for sites made of documents of other publishers are equal to
// the recorded verdicts of a person, each with its reason.
func TestCheckOfTheCorpus(t *testing.T) {
	testkit.Large(t)
	sites := judgedSites(t)
	if len(sites) < golden.Least(t, golden.EnvCorpus, 30) {
		t.Fatalf("%d sites", len(sites))
	}
	for _, s := range sites {
		t.Run(s.name, func(t *testing.T) {
			if s.why == "" {
				t.Error("nobody says why")
			}
			dir := t.TempDir()
			s.write(t, dir)
			code, out, errs := exec(t, "", "check", "--json", "--full", dir)
			var r sitecheck.Report
			if err := json.Unmarshal([]byte(out), &r); err != nil || code != ui.ExitFound {
				t.Fatalf("exit status %d: %v\n%s", code, err, errs)
			}
			got := &judgedSite{Level: r.Level, Tools: r.Offer.Tools, Pass: ids(r.With(sitecheck.Pass)), Fail: ids(r.With(sitecheck.Fail))}
			want := &judgedSite{Level: s.Level, Tools: s.Tools, Pass: s.Pass, Fail: s.Fail}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(judgedSite{})); d != "" {
				t.Errorf("judged by hand (-), by the command (+):\n%s", d)
			}
			for _, c := range r.Checks {
				if c.Status == sitecheck.Fail && (c.Why == "" || c.Mend == "") {
					t.Errorf("%s fails without a reason or a mend", c.ID)
				}
			}
			if r.Level < 5 && (len(r.Next) == 0 || slices.ContainsFunc(r.Next, func(s sitecheck.Step) bool { return s.Text == "" })) {
				t.Errorf("no next step: %v", r.Next)
			}
		})
	}
}

func ids(list []*sitecheck.Result) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}
