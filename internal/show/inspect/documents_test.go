package inspect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// The text of a document is the one of the newest answer, even if that answer was stored. The text
// before it stays complete while another answer is under way.
func TestDocumentsOfTheNewestAnswer(t *testing.T) {
	const plugin = "https://shop.example/.well-known/ai-plugin.json"
	n, pages := clienttest.New(t), shopPages()
	watch, documents := NewWatch(), new(Documents)
	var i *Inspector
	during := ""
	text := func() string {
		site, err := i.Site()
		if err != nil {
			return ""
		}
		return strings.Join(i.document(site, plugin).Lines, "\n")
	}
	n.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			during = text()
		}
		pages.ServeHTTP(w, r)
	}))
	c := n.Client(func(o *client.Options) { o.Observe, o.Lab.Record = watch.Observe, documents.Add })
	i, err := New(Options{Target: "shop.example", Client: c, Watch: watch, Documents: documents})
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for n, row := range []struct {
		says    string
		refresh bool
	}{{"A shop.", false}, {"A shop.", false}, {"A newer shop.", true}, {"A newer shop.", false}, {"The newest shop.", true}} {
		before := said
		said = row.says
		pages["/.well-known/ai-plugin.json"] = strings.Replace(shopPlugin, "A shop.", said, 1)
		if err := i.Ask(t.Context(), row.refresh); err != nil {
			t.Fatal(err)
		}
		if got := text(); !strings.Contains(got, said) {
			t.Errorf("answer %d: the document is that of another answer, and does not say %q:\n%s", n+1, said, got)
		}
		if row.refresh && !strings.Contains(during, before) {
			t.Errorf("answer %d: while it was on its way, the document did not say %q:\n%s", n+1, before, during)
		}
	}
}

// A place in the list of one answer is not valid for another answer.
func TestDetailOfAnEarlierAnswer(t *testing.T) {
	i := recorded(nil)
	i.site, i.state.Answer = disputed(), 2
	for answer, want := range map[string]int{"2": http.StatusOK, "1": http.StatusConflict, "3": http.StatusConflict, "": http.StatusConflict} {
		for _, url := range []string{"/site/detail?sort=capability&index=0&answer=", "/site/document?url=" + manifest + "&answer="} {
			w := httptest.NewRecorder()
			i.routes(nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, url+answer, nil))
			if w.Code != want {
				t.Errorf("%s%s: %d, want %d: %s", url, answer, w.Code, want, w.Body)
			}
		}
	}
}

// The text of a document is read once for all details of an answer, and some texts are
// kept.
func TestTextsAreReadOnce(t *testing.T) {
	pages := map[string]string{}
	for n := range 3 * maxTexts {
		pages[fmt.Sprintf("https://shop.example/%d", n)] = fmt.Sprintf("text %d\n", n)
	}
	i, site, newer := recorded(pages), disputed(), disputed()
	first := i.document(site, "https://shop.example/0")
	if i.document(site, "https://shop.example/0") != first {
		t.Error("the text of a document is read twice")
	}
	if i.document(newer, "https://shop.example/0") == first {
		t.Error("another answer has the marks of the first")
	}
	for url, text := range pages {
		if v := i.document(newer, url); v.URL != url || v.Lines[0] != strings.TrimSpace(text) {
			t.Errorf("%s is %+v", url, v)
		}
		if len(i.texts.views) > maxTexts+1 {
			t.Fatalf("%d texts are kept", len(i.texts.views))
		}
	}
}
