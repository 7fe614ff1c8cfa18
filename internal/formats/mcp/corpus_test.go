package mcp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// folders returns the folders of the corpus with documents of MCP.
func folders() []string { return []string{"mcp-server-card", "mcp-server-json", "mcp-tools-list"} }

// unclaimed returns the documents in the folders that are not of MCP, with the reasons.
func unclaimed() map[string]string {
	return map[string]string{
		"modelcontextprotocol__registry__1.json": "a path and no JSON",
		"modelcontextprotocol__registry__5.json": "names no place and no package, but a link that makes an editor run a command",
		"words.json":                             "a path and no JSON",
	}
}

// negative contains the documents that deny a server, and useless the documents that lead
// nowhere, with the reasons.
func negative() map[string]string {
	return map[string]string{
		"Dreaverr-Digital-Solutions__SignedReviews__1.json": "serverInfo.available is false",
		"denied.json": "serverInfo.available is false",
	}
}

func useless() map[string]string {
	return map[string]string{
		"modelcontextprotocol__experimental-ext-server-card__3.json": "a card with neither a name nor remotes",
		"nameless.json": "a card with neither a name nor remotes",
	}
}

// Each document is recognised and usable, or there is a known reason.
func TestCorpusDocuments(t *testing.T) {
	for _, folder := range folders() {
		paths := golden.Files(t, golden.Corpus(t, folder), "*.json")
		dialects, said := map[string]int{}, map[string]int{}
		var skipped, none, idle []string
		for _, path := range paths {
			file := filepath.Base(path)
			in := served(t, file, golden.Read(t, path))
			claim := mcp.Format().Match(in)
			if claim.Level == parse.None {
				skipped = append(skipped, file)
				continue
			}
			r, err := mcp.Format().Parse(in)
			if err != nil || r.Dialect != claim.Dialect {
				t.Errorf("%s: claim %+v, dialect %q: %v", file, claim, r.Dialect, err)
				continue
			}
			dialects[r.Dialect]++
			for _, d := range r.Diagnostics {
				said[strings.TrimPrefix(d.Code, "mcp.")]++
			}
			switch {
			case claim.Negative:
				none = append(none, file)
			case r.Unusable != "":
				idle = append(idle, file)
			}
			t.Logf("%s: %v %s %q", file, claim.Level, r.Dialect, codes(r.Diagnostics))
		}
		for label, pair := range map[string][2][]string{
			"no documents of MCP": {golden.Known(unclaimed(), paths), skipped}, "negative": {golden.Known(negative(), paths), none}, "of no use": {golden.Known(useless(), paths), idle},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s: documents that are %s (-want +got):\n%s", folder, label, diff)
			}
		}
		t.Logf("%s: %d documents, %d recognised %v, %d usable, diagnostics %v", folder,
			len(paths), len(paths)-len(skipped), dialects, len(paths)-len(skipped)-len(none)-len(idle), said)
	}
}

// misplaced returns documents of other formats that are claimed at the place of MCP, where they
// are not published, with the reasons.
func misplaced() []string {
	return []string{
		"other-agent-json/magnusfroste__mycms-space__1.json",            // endpoints.mcp is the URL of a server
		"a2a-agent-card/MikeDorian375__MikeDorian375.github.io__1.json", // so it is, and protocol is "mcp"
	}
}

// No document of another format is claimed at the place where it was found.
func TestCorpusOthers(t *testing.T) {
	others := golden.Documents(t, folders()...)
	for _, path := range others {
		for _, place := range []string{"", ":" + mcp.PathJSON} {
			in := served(t, place, golden.Read(t, path))
			if claim := mcp.Format().Match(in); claim != (parse.Claim{}) && (place == "" || !slices.Contains(misplaced(), filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path))) {
				t.Errorf("%s at %q: claim %+v", path, place, claim)
			}
		}
	}
	t.Logf("%d documents of other formats", len(others))
}
