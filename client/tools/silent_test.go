package tools_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// leads are documents of shop.example that name an API description, which is $U.
func leads() map[string]clienttest.Pages {
	return map[string]clienttest.Pages{
		"plugin":       {"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "https://shop.example/openapi.json", "$U")},
		"api-catalog":  {"/.well-known/api-catalog": `{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "$U", "type": "application/openapi+json"}]}]}`},
		"ai-catalog":   {"/.well-known/ai-catalog.json": `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [{"identifier": "urn:air:shop.example:orders", "displayName": "Orders", "type": "application/openapi+json", "url": "$U"}]}`},
		"llms.txt":     {"/llms.txt": "# Shop\n\n> Sells.\n\n## API\n\n- [API]($U): The OpenAPI description\n"},
		"awp":          {"/agent.json": `{"awp_version": "1.0", "domain": "shop.example", "intent": "Sells.", "capabilities": {}, "protocols": {"openapi": {"endpoint": "$U"}}, "actions": []}`},
		"home page":    {"/": `<!doctype html><html><head><link rel="service-desc" href="$U"></head><body>Shop</body></html>`},
		"two of these": {"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "https://shop.example/openapi.json", "$U"), "/.well-known/api-catalog": `{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "$U", "type": "application/openapi+json"}]}]}`},
	}
}

// The Note does not speak of a domain whose places redirect to www, although the format of one
// place forbids redirects: every place has answered.
func TestTheNoteOfADomainThatRedirectsToWWW(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://www.example.com"+r.URL.Path, http.StatusMovedPermanently)
	}))
	internet.Host("www.example.com", clienttest.Pages{cardPlace: emptyCard})
	box := load(t, internet.Client(), []string{"example.com"}, nil)
	if box.Len() == 0 || box.Note() != "" {
		t.Errorf("%d tools, skipped %v, %q", box.Len(), box.Skipped(), box.Note())
	}
}

// answers are the possible answers for an API description, with the code of its entry; empty if it
// is read.
func answers() map[string]struct {
	page http.Handler
	code string
} {
	page := func(status int, body string) http.Handler {
		return clienttest.Page{Status: status, Body: body}
	}
	return map[string]struct {
		page http.Handler
		code string
	}{
		"read":        {page(200, api), ""},
		"missing":     {page(404, ""), "absent"},
		"gone":        {page(410, ""), "absent"},
		"secret":      {page(401, ""), "protected"},
		"broken":      {page(500, ""), "server_error"},
		"cut JSON":    {page(200, api[:300]), "json_syntax"},
		"no JSON":     {page(200, "hello"), ""},
		"too large":   {page(200, api+strings.Repeat(" ", 17<<20)), "too_large"},
		"no document": {page(200, `{"a": 1}`), ""},
		"closed":      {clienttest.AtHeaders(clienttest.Close)(nil), ""},
		"torn":        {clienttest.AtBody(200, clienttest.Close)(page(200, api)), ""},
		"hanging":     {clienttest.AtHeaders(clienttest.Stall)(nil), ""},
	}
}

// mentioned reports whether a document has tools, or an entry with a code, a reason and an error
// that the model sees.
func mentioned(t *testing.T, box *tools.Box, url, code string) bool {
	t.Helper()
	for _, tool := range box.Tools() {
		if len(tool.Sources) > 0 && tool.Sources[0].Source == url {
			return true
		}
	}
	found := false
	for _, s := range box.Skipped() {
		e, typed := errors.AsType[*wayfind.Error](s.Err)
		if s.URL == "" {
			continue
		}
		if s.Code == "" || s.Reason == "" || !typed || e.Code == "" || s.Domain == "" {
			t.Errorf("%+v", s)
		}
		if s.URL == url {
			found = true
			if code != "" && s.Code != code && string(e.Code) != code {
				t.Errorf("%+v, want code %q", s, code)
			}
		}
	}
	return found && strings.Contains(box.Note(), "shop.example")
}

// Whatever names an API description, and whatever the answer for it is, it has tools or an entry.
func TestNoDocumentIsForgotten(t *testing.T) {
	testkit.Large(t)
	for lead, pages := range leads() {
		for name, answer := range answers() {
			for _, path := range []string{"/openapi.json", "/api/v1.json"} {
				if lead == "llms.txt" && path != "/openapi.json" {
					continue // its text does not describe the link
				}
				t.Run(lead+", "+name+", "+path, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						n, at := clienttest.New(t), "https://shop.example"+path
						n.Host("shop.example", named(pages, at)).Handle(path, answer.page)
						box := load(t, n.Client(), []string{"shop.example"}, nil)
						if !mentioned(t, box, at, answer.code) {
							t.Errorf("%s is not mentioned: %d tools, %+v, %q", at, box.Len(), box.Skipped(), box.Note())
						}
					})
				})
			}
		}
	}
}

// Documents that fail side by side hide no other: in sites that are made at random, each
// document that is named has tools or its entry.
func TestNoDocumentIsForgottenBesideOthers(t *testing.T) {
	all := answers()
	kinds := slices.Sorted(maps.Keys(all))
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 36))
		synctest.Test(t, func(t *testing.T) {
			n := clienttest.New(t)
			host := n.Host("shop.example", clienttest.Pages{})
			codes := make(map[string]string)
			for i, lead := range []string{"plugin", "api-catalog", "ai-catalog", "awp"} {
				kind, path := kinds[random.IntN(len(kinds))], fmt.Sprintf("/api%d.json", i)
				if random.IntN(5) == 0 {
					continue
				}
				for place, page := range named(leads()[lead], "https://shop.example"+path) {
					host.Handle(place, clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: fmt.Sprint(page)})
				}
				host.Handle(path, all[kind].page)
				codes["https://shop.example"+path] = all[kind].code
			}
			box := load(t, n.Client(), []string{"shop.example"}, nil)
			used := make(map[string]bool)
			for _, tool := range box.Tools() {
				for _, source := range tool.Sources {
					used[source.Source] = true
				}
			}
			for at, code := range codes {
				if !used[at] && !mentioned(t, box, at, code) {
					t.Errorf("%d: %s is not mentioned: %d tools, %+v, %q", seed, at, box.Len(), box.Skipped(), box.Note())
				}
			}
		})
	}
}

func named(pages clienttest.Pages, url string) clienttest.Pages {
	own := clienttest.Pages{}
	for path, page := range pages {
		own[path] = strings.ReplaceAll(fmt.Sprint(page), "$U", url)
	}
	return own
}

// A description on another site, on a host that is refused or unknown, or at a URL that is
// never asked, has an entry. With an approval it has tools.
func TestNoOtherSiteIsForgotten(t *testing.T) {
	refused := func(o *client.Options) {
		o.Network.BeforeHost = func(_ context.Context, host string) error {
			if host == "refused.net" {
				return errors.New("not this one")
			}
			return nil
		}
	}
	approved := func(o *client.Options) {
		refused(o)
		o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
	}
	for lead, pages := range leads() {
		for _, at := range []string{"https://vendor.net/openapi.json", "https://refused.net/openapi.json", "https://unknown.net/openapi.json", "http://api.shop.example/openapi.json", "https://192.168.0.1/openapi.json"} {
			for name, opts := range map[string]func(*client.Options){"no approval": refused, "approval": approved} {
				t.Run(lead+", "+at+", "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						n := clienttest.New(t)
						n.Host("shop.example", named(pages, at))
						n.Host("vendor.net", clienttest.Pages{"/openapi.json": strings.ReplaceAll(api, "shop.example", "vendor.net")})
						box := load(t, n.Client(opts), []string{"shop.example"}, nil)
						if !mentioned(t, box, at, "") {
							t.Errorf("%s is not mentioned: %d tools, %+v, %q", at, box.Len(), box.Skipped(), box.Note())
						}
						if name == "approval" && lead == "plugin" && at == "https://vendor.net/openapi.json" && box.Len() != 2 {
							t.Errorf("%d tools, %+v", box.Len(), box.Skipped())
						}
					})
				})
			}
		}
	}
}

// Each service and each capability of a site is a tool, an alias of one, or an entry.
func TestNoCapabilityIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api, cardPlace: mcpCard("shop.example", "")})
		n.Host("text.example", clienttest.Pages{"/llms.txt": "# Text\n\n> Only text.\n"})
		c := n.Client()
		box := load(t, c, []string{"shop.example", "text.example"}, nil)
		said := make(map[string]bool)
		for _, tool := range box.Tools() {
			for _, key := range append(tool.Aliases, tool.Key) {
				said[tool.Domain+" "+key] = true
			}
		}
		for _, s := range box.Skipped() {
			said[s.Domain+" "+s.Key] = true
		}
		for _, domain := range []string{"shop.example", "text.example"} {
			site, err := c.Resolve(t.Context(), domain)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range site.Services {
				some := said[domain+" "+s.ID] || s.ID == "aiplugin" // its description is read
				for _, c := range s.Capabilities {
					some = true
					if !said[domain+" "+c.Key] {
						t.Errorf("%s of %s is forgotten", c.Key, domain)
					}
				}
				if !some {
					t.Errorf("%s of %s is forgotten: %+v", s.ID, domain, box.Skipped())
				}
			}
		}
	})
}

// A document that is too large is named with its size, as far as it is known, and with
// the limit that it passed.
func TestASizeIsNamed(t *testing.T) {
	const yaml = "openapi: 3.1.0\ninfo: {title: Orders, version: '1'}\npaths: {}\n"
	for name, row := range map[string]struct {
		kind, body  string
		size, limit int64
		option      string
	}{
		"JSON":                    {"application/json", api + strings.Repeat(" ", 17<<20), 0, 16 << 20, "parse.Format.Limits.Bytes"},
		"YAML":                    {"application/yaml", yaml + strings.Repeat("# blank\n", 9<<17), 9<<20 + int64(len(yaml)), 8 << 20, ""},
		"YAML beyond all formats": {"application/yaml", yaml + strings.Repeat("# blank\n", 17<<17), 0, 16 << 20, "parse.Format.Limits.Bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := clienttest.New(t)
				n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin}).
					Handle("/openapi.json", clienttest.Page{Header: http.Header{"Content-Type": {row.kind}}, Body: row.body})
				box := load(t, n.Client(), []string{"shop.example"}, nil)
				var found *tools.Skipped
				for _, s := range box.Skipped() {
					if s.URL == "https://shop.example/openapi.json" {
						found = &s
					}
				}
				if found == nil || found.Size != row.size || found.Limit != row.limit {
					t.Fatalf("%+v", box.Skipped())
				}
				limit, ok := errors.AsType[*wayfind.TooLarge](found.Err)
				if found.Code != "too_large" || !ok || limit.Option != row.option || !strings.Contains(found.Reason, row.option) {
					t.Errorf("%+v", found)
				}
			})
		})
	}
}
