package crawl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
)

// A queue may contain targets that Offer would refuse, or in another spelling. Each has a
// result, and the worker continues.
func TestWorkAtOddTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Host("a.example", clienttest.Pages{"/llms.txt": "# A\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n"})
		internet.Host("b.example", clienttest.Pages{"/llms.txt": "# B\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n"})
		name := filepath.Join(t.TempDir(), "queue")
		var text strings.Builder
		text.WriteString(`{"schema":"wayfind/crawl-file/1"}` + "\n")
		want := map[string]string{"no such": "host_syntax", "127.0.0.1": "host_ip_literal", "A.Example": crawl.Found, "b.example": crawl.Found}
		for target := range want {
			fmt.Fprintf(&text, `{"op":"offer","target":%q}`+"\n", target)
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		queue, err := crawl.OpenFile(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer queue.Close()
		c, err := client.New(internet.Options())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if report, err := crawl.Work(t.Context(), c, queue, nil); err != nil || report.Lost != 0 {
			t.Errorf("%+v, %v", report, err)
		}
		for r, err := range queue.Results(t.Context(), "") {
			if err != nil || want[r.Target] != r.Cause {
				t.Errorf("%+v, %v, want %s", r, err, want[r.Target])
			}
			delete(want, r.Target)
		}
		if len(want) > 0 {
			t.Errorf("no results: %v", want)
		}
	})
}
