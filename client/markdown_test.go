package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
)

// converter is a server that turns its pages, and its error page, into Markdown if a client prefers
// that.
func converter(status int, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if !strings.Contains(r.Header.Get("Accept"), "text/markdown") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	})
}

// "/agents.md", "/llms.txt" and the canary may be answered by a converter. The canary is requested
// with the same header, and a title can show that the page does not exist.
func TestAConverterMayAnswerForAgentsMD(t *testing.T) {
	const shop = "# Shop\n\n> Sells shoes.\n\n- [Shoes](/shoes.md): all of them\n"
	for name, row := range map[string]struct {
		all    http.Handler // of the host
		llms   string
		reason string // of llms.txt, when it is no document
		canary string // the header of the request for the canary
	}{
		"an error page for any path":   {converter(200, shop), "", "canary", "text/markdown, text/plain"},
		"a title that says it":         {converter(200, "# Page Not Found\n\nSorry.\n"), "", "absent", ""},
		"a title in front matter":      {converter(200, "---\nurl: /x\ntitle: \"404 – Not Found\"\n---\n# Shop\n"), "", "absent", ""},
		"a file, and a plain no":       {converter(404, "# Not Found\n"), shop, "", "text/markdown, text/plain"},
		"a file about what is missing": {nil, "# Not found by others\n\n> A shop of rare shoes.\n\n- [Shoes](/shoes.md): all of them\n", "", "text/markdown, text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", row.all)
				if row.llms != "" {
					host.Handle(llmstxt.Path, page(row.llms, "Content-Type", "text/markdown", "Vary", "Origin, accept"))
				}
				site, _ := newClient(t, internet, withFormats(llmstxt.Format(), agentsmd.Format())).Resolve(t.Context(), "shop.example")
				p := probedAt(t, site, llmstxt.Path)
				if (p.Verdict == wayfind.VerdictFound) != (row.reason == "") || row.reason != "" && (p.Verdict != wayfind.VerdictSoft404 || p.Reason != row.reason) {
					t.Errorf("%s (%s)", p.Verdict, p.Reason)
				}
				accept := ""
				for _, r := range host.Requests() {
					if strings.HasPrefix(r.Path, "/.well-known/wayfind-") {
						accept = r.Header.Get("Accept")
					}
				}
				if accept != row.canary {
					t.Errorf("the canary is asked for with %q, want %q", accept, row.canary)
				}
			})
		})
	}
}

// "/" is asked for as HTML first, or the head with its links is lost.
func TestThePageIsAskedForAsHTMLFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle("/", html(""))
		_, _ = newClient(t, internet, withFormats(links.Format())).Resolve(t.Context(), "shop.example")
		for _, r := range host.Requests() {
			if accept := r.Header.Get("Accept"); r.Path == "/" && !strings.HasPrefix(accept, "text/html,") {
				t.Errorf("asked for with %q", accept)
			}
		}
		if asked(host)["/"] != 1 {
			t.Errorf("asked for %v", asked(host))
		}
	})
}

// The file llms-full.txt is listed if a catalogue or a link names it, and never fetched.
func TestFullTextsAreNotFetched(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{
			catalogPath:      `{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:full", "displayName": "Full", "type": "text/plain", "url": "https://shop.example/llms-full.txt"}]}`,
			"/llms.txt":      "# Shop\n\n> Sells.\n\n- [All](/llms-full.txt): everything\n",
			"/llms-full.txt": "# Shop\n\nEverything.\n",
		})
		site, err := newClient(t, internet, withFormats(aicatalog.Format(), llmstxt.Format())).Resolve(t.Context(), "shop.example")
		if err != nil || asked(host)["/llms-full.txt"] != 0 {
			t.Errorf("%v, asked for %v", err, asked(host))
		}
		listed := false
		for _, d := range site.Documents {
			listed = listed || strings.HasSuffix(d.URL, "/llms-full.txt")
		}
		if !listed {
			t.Errorf("documents %+v", site.Documents)
		}
	})
}
