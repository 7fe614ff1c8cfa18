package formats_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// authority is the default order of authority.
var authority = []string{
	"adp", "aidiscovery", "awp", "agentsmd", "msagents", "a2a", "mcp", "aiplugin",
	"openapi", "openrpc", "oauth", "apicatalog", "agentskills", "ucp", "acp", "aicatalog", "integrations", "aid", "llmstxt", "links", "robots",
}

func names(list []*parse.Format) []string {
	var out []string
	for _, f := range list {
		out = append(out, f.Name)
	}
	return out
}

// Each folder with a package is a format in the list, and the reverse.
func TestFoldersAndListAgree(t *testing.T) {
	dir := filepath.Join("..", "..", "internal", "formats")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		sources, err := filepath.Glob(filepath.Join(dir, e.Name(), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if e.IsDir() && len(sources) > 0 {
			folders = append(folders, e.Name())
		}
	}
	listed := names(append(formats.All(), formats.OnRequest()...))
	slices.Sort(listed)
	if diff := cmp.Diff(folders, listed); diff != "" {
		t.Errorf("folders and All() differ (-folders +listed):\n%s", diff)
	}
}

func TestOrderOfAuthority(t *testing.T) {
	listed := names(formats.All())
	var want []string
	for _, name := range authority {
		if slices.Contains(listed, name) {
			want = append(want, name)
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("order of All() (-want +got):\n%s", diff)
	}
}

// Each name is either read or absent, with a reason.
func TestAbsences(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range names(formats.All()) {
		seen[name] = true
	}
	for _, a := range formats.Absences() {
		if seen[a.Name] {
			t.Errorf("%s stands twice, or is read and absent", a.Name)
		}
		seen[a.Name] = true
		if a.Title == "" || a.Reason == "" || a.Reason != strings.TrimSpace(a.Reason) {
			t.Errorf("absence without title or reason: %+v", a)
		}
	}
	known := slices.Concat(slices.DeleteFunc(slices.Clone(authority), func(name string) bool { return name == "links" }), []string{
		"agentsjson", "aid", "graphql", "grpc", "sitemaps"})
	for _, name := range known {
		if !seen[name] {
			t.Errorf("%s is neither read nor listed as absent", name)
		}
	}
}

func TestAllIsFresh(t *testing.T) {
	a, b := formats.All(), formats.All()
	a[0].Name = "changed"
	if b[0].Name == "changed" || formats.All()[0].Name == "changed" {
		t.Error("All() hands out shared values")
	}
}

func Example() {
	for _, f := range formats.All() {
		place := "by links"
		if len(f.Locations) > 0 {
			place = f.Locations[0].Path
		}
		fmt.Println(f.Name, place)
	}
	// Output:
	// adp /.well-known/agent
	// aidiscovery /.well-known/ai
	// awp /agent.json
	// agentsmd /.well-known/agents.md
	// msagents /agents/v1
	// a2a /.well-known/agent-card.json
	// mcp /.well-known/mcp/server-card.json
	// aiplugin /.well-known/ai-plugin.json
	// openapi /openapi.json
	// openrpc by links
	// oauth /.well-known/oauth-authorization-server
	// apicatalog /.well-known/api-catalog
	// agentskills /.well-known/agent-skills/index.json
	// ucp /.well-known/ucp
	// acp /.well-known/acp.json
	// aicatalog /.well-known/ard.json
	// integrations /.well-known/integrations.json
	// aid /.well-known/agent
	// llmstxt /llms.txt
	// links /
	// robots /robots.txt
}
