package tools_test

import (
	"bytes"
	"net/http"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// published are API descriptions as their publishers serve them, with the number of their
// operations, or the samples of them.
func published(t testing.TB) map[string]int {
	if !golden.Published(t, golden.EnvAPIs) {
		return golden.SampleAPIs()
	}
	return map[string]int{
		"adyen.json": 22, "asana.yaml": 247, "box.json": 296, "discord.json": 242, "github.json": 1223,
		"kubernetes.json": 738, "openai.json": 288, "slack.json": 174, "spotify.yaml": 96,
	}
}

// serving is a Client for a site whose plugin manifest names a published description,
// and the size of that in MiB. The Client has asked another site.
func serving(t testing.TB, file string) (c *client.Client, size float64) {
	body, err := os.ReadFile(golden.APIs(t, file))
	if err != nil {
		t.Fatal(err)
	}
	kind := map[string]string{".json": "application/json", ".yaml": "application/yaml"}[path.Ext(file)]
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "/openapi.json", "/"+file)}).
		Handle("/"+file, clienttest.Page{Header: http.Header{"Content-Type": {kind}}, Body: string(body)})
	internet.Host("other.example", clienttest.Pages{"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "other.example"), "/openapi.json": strings.ReplaceAll(api, "shop.example", "other.example")})
	c = internet.Client()
	load(t, c, []string{"other.example"}, nil)
	return c, float64(len(body)) / (1 << 20)
}

// The list of published descriptions is complete.
func TestThePublishedAPIsAreComplete(t *testing.T) {
	index, err := os.ReadFile(golden.APIs(t, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	files := published(t)
	if lines := bytes.Count(bytes.TrimSpace(index), []byte("\n")); lines != len(files) {
		t.Errorf("the index has %d descriptions, and %d are tested", lines, len(files))
	}
	for file := range files {
		if !bytes.Contains(index, []byte("\n"+file+"\t")) {
			t.Errorf("%s is not in the index", file)
		}
	}
}

// uncallable is the operation of a description that requires a value that is never the
// model's: Content-Range in a header field.
func uncallable(file string) (keys []string) {
	if file == "box.json" {
		return []string{"openapi:box/put_files_upload_sessions_id"}
	}
	return nil
}

// Each operation of a published description is a tool, and nothing of it is skipped that
// could be called.
func TestPublishedAPIsBecomeTools(t *testing.T) {
	testkit.Large(t)
	for file, operations := range published(t) {
		t.Run(file, func(t *testing.T) {
			c, size := serving(t, file)
			before := live()
			var box *tools.Box
			allocated := testkit.Allocated(func() { box = load(t, c, []string{"shop.example"}, nil) })
			var skipped []string
			for _, s := range box.Skipped() {
				skipped = append(skipped, s.Key)
			}
			if box.Len()+len(skipped) != operations || !slices.Equal(skipped, uncallable(file)) {
				t.Errorf("%d tools of %d operations, skipped %.500v", box.Len(), operations, box.Skipped())
			}
			held := live() - before
			t.Logf("%.1f MiB, %d tools: allocated %.0f MiB, %.0f per MiB; live %.0f MiB, %.1f per MiB", size, box.Len(), allocated/(1<<20), allocated/(1<<20)/size, held/(1<<20), held/(1<<20)/size)
			runtime.KeepAlive(box)
			runtime.KeepAlive(c)
		})
	}
}

// live is the size of the heap after a collection.
func live() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// A Load takes memory in proportion to a published description: it allocates at most 65
// times its size together with the requests for it. As long as the tools are used, 10
// times the size and 5 KiB for each tool are held, by the Client among others.
func TestPublishedAPIsTakeMemoryInProportion(t *testing.T) {
	testkit.Large(t)
	for file := range published(t) {
		t.Run(file, func(t *testing.T) {
			c, size := serving(t, file)
			before := live()
			var box *tools.Box
			resolve := testkit.Allocated(func() {
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
			}) / (1 << 20)
			alone := testkit.Allocated(func() { box = load(t, c, []string{"shop.example"}, nil) }) / (1 << 20)
			held := (live() - before) / (1 << 20)
			t.Logf("%.1f MiB, %d tools: %.1f and %.1f MiB are allocated, %.1f are held", size, box.Len(), resolve, alone, held)
			if resolve+alone > 65*size {
				t.Errorf("%.1f and %.1f MiB are allocated, at most %.1f are expected", resolve, alone, 65*size)
			}
			if most := 10*size + float64(box.Len())*5/1024; held > most {
				t.Errorf("%.1f MiB are held, at most %.1f are expected", held, most)
			}
			runtime.KeepAlive(box)
			runtime.KeepAlive(c)
		})
	}
}

// A small published description, too, allocates at most 65 times its size together with
// the requests for it.
func TestASmallPublishedDescriptionTakesMemoryInProportion(t *testing.T) {
	testkit.Large(t)
	file := "spotify.yaml"
	if !golden.Published(t, golden.EnvAPIs) {
		file = "orders.yaml"
	}
	c, size := serving(t, file)
	allocated := testkit.Allocated(func() { load(t, c, []string{"shop.example"}, nil) }) / (1 << 20)
	if allocated > 65*size {
		t.Errorf("%.1f MiB are allocated, at most %.1f are expected", allocated, 65*size)
	}
}
