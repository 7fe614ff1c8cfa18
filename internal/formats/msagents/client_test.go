package msagents_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/parse"
)

// The places are asked in the order of the design, and Describe reads the document about an
// agent.
func TestResolveAndDescribe(t *testing.T) {
	const info = `{"id": "a b", "type": "workflow", "name": "A", "framework": "x", "input_schema": {"type": "string"}, "tools": ["t"]}`
	for _, c := range []struct {
		pages     clienttest.Pages
		key       string
		paths     []string
		extension string
	}{
		{clienttest.Pages{
			"/agents/v1":   `{"agents": [{"name": "a"}]}`,
			"/agents/v1/a": `{"name": "a", "instructions": "x"}`,
			"/agents":      `[{"name": "not asked"}]`,
		}, "msagents:agents-v1/a", []string{"/agents/v1", "/agents/v1/a"}, "instructions"},
		{clienttest.Pages{
			"/v1/entities":            `{"entities": [{"id": "a b", "type": "workflow", "name": "A", "framework": "x"}]}`,
			"/v1/entities/a b/info":   info,
			"/v1/entities/a%20b/info": info,
		}, "msagents:v1-entities/a b", []string{"/agents/v1", "/agents", "/v1/entities", "/v1/entities/a%20b/info"}, "tools"},
	} {
		synctest.Test(t, func(t *testing.T) {
			internet := clienttest.New(t)
			host := internet.Host("pirates.example", c.pages)
			cl := internet.Client(func(o *client.Options) { o.Formats = []*parse.Format{msagents.Format()} })
			site, err := cl.Resolve(t.Context(), "pirates.example")
			if err != nil {
				t.Fatal(err)
			}
			d, err := cl.Describe(t.Context(), site, c.key)
			if err != nil {
				t.Fatal(err)
			}
			if d.Capability.Lazy || d.Capability.Extensions[c.extension] == nil {
				t.Errorf("described as %+v; %v", d.Capability, codes(d.Diagnostics))
			}
			asked := slices.DeleteFunc(host.Paths(), func(p string) bool { return p == "/robots.txt" })
			slices.Sort(asked)
			slices.Sort(c.paths)
			if diff := cmp.Diff(c.paths, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}
