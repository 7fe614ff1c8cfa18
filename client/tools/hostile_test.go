package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/schema"
)

// A description of 40 MB, or of 17 in the short form, is refused with its limit and the option that raises it, and
// costs no more than the bytes up to the limit.
func TestADescriptionOf40MBIsRefused(t *testing.T) {
	testkit.Large(t)
	var b bytes.Buffer
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Large","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"x-first":0`)
	text := strings.Repeat("Words about it. ", 3000)
	n := 0
	for ; b.Len() < testkit.Size(17_000_000, 40_000_000); n++ {
		fmt.Fprintf(&b, `,"/p%d":{"get":{"operationId":"p%d","responses":{"200":{"description":%q}}}}`, n, n, text)
	}
	b.WriteString("}}")
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin}).
		Handle("/openapi.json", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: b.String()})
	var box *tools.Box
	allocated := testkit.Allocated(func() { box = load(t, internet.Client(), []string{"shop.example"}, nil) })
	skipped := box.Skipped()
	if box.Len() != 0 || len(skipped) != 1 {
		t.Fatalf("%d tools, %+v", box.Len(), skipped)
	}
	s := skipped[0]
	limit, ok := errors.AsType[*wayfind.TooLarge](s.Err)
	if !ok || s.Code != "too_large" || s.Limit != 16<<20 || limit.Option != "parse.Format.Limits.Bytes" || s.URL != "https://shop.example/openapi.json" || !strings.Contains(box.Note(), "shop.example") {
		t.Errorf("%+v, %q", s, box.Note())
	}
	if allocated > 6*(16<<20) {
		t.Errorf("%.0f MiB are allocated", allocated/(1<<20))
	}
}

// The option that an entry names raises the limit.
func TestALimitCanBeRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api + strings.Repeat(" ", 17<<20)})
		box := load(t, n.Client(func(o *client.Options) {
			o.Formats = formats.All()
			for _, f := range o.Formats {
				if f.Name == "openapi" {
					f.Limits.Bytes = 18 << 20
				}
			}
		}), []string{"shop.example"}, nil)
		if box.Len() != 2 {
			t.Errorf("%d tools, %.500v", box.Len(), box.Skipped())
		}
	})
}

// Operations beyond the limit are named with their number.
func TestOperationsBeyondTheLimitAreNamed(t *testing.T) {
	testkit.Large(t)
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": described(0, 5001)})
	box := load(t, internet.Client(), []string{"shop.example"}, nil)
	skipped := box.Skipped()
	if box.Len() != 5000 || len(skipped) != 1 {
		t.Fatalf("%d tools, %.500v", box.Len(), skipped)
	}
	if s := skipped[0]; s.Code != "too_large" || s.Size != 5001 || s.Limit != 5000 || s.URL != "https://shop.example/openapi.json" {
		t.Errorf("%+v", s)
	}
}

// A tool with a cut schema has a loss, and accepts the arguments that its publisher accepts.
func TestACutSchemaIsALoss(t *testing.T) {
	many := strings.Repeat(`{"type":"string"},`, 10_001)
	document := fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"/a":{"post":{"operationId":"a","responses":{},
		"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"item":{"oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"allOf":[%strue]}}}]}}}}}}}}}}`, many)
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": document})
	box := load(t, internet.Client(), []string{"shop.example"}, nil)
	if box.Len() != 1 {
		t.Fatalf("%d tools, %.500v", box.Len(), box.Skipped())
	}
	d := box.Render(tools.AnthropicMessages, nil)
	if !slices.ContainsFunc(d.Losses[box.Tools()[0].Name], func(l schema.Loss) bool { return l.Code == "too_large" && l.Effect == schema.Wider }) {
		t.Errorf("%.500v", d.Losses)
	}
	if err := box.Tools()[0].Schema.Validate([]byte(`{"item":"text"}`), 0); err != nil {
		t.Error(err)
	}
}

// Documents that lead to each other are read once each, and unreadable ones are named.
func TestDocumentsThatLeadToEachOther(t *testing.T) {
	const site = "https://shop.example"
	entry := func(id, kind, url string) string {
		return fmt.Sprintf(`{"identifier": "urn:air:shop.example:%s", "displayName": "D", "type": %q, "url": %q}`, id, kind, url)
	}
	catalog := func(entries ...string) string {
		return `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [` + strings.Join(entries, ",") + `]}`
	}
	const index, openapi = "application/ai-catalog+json", "application/openapi+json"
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		host := n.Host("shop.example", clienttest.Pages{
			"/.well-known/ai-catalog.json": catalog(entry("a", index, site+"/a.json"), entry("self", index, site+"/.well-known/ai-catalog.json"), entry("api", openapi, site+"/openapi.json")),
			"/a.json":                      catalog(entry("b", index, site+"/b.json"), entry("up", index, site+"/.well-known/ai-catalog.json")),
			"/b.json":                      catalog(entry("a", index, site+"/a.json"), entry("gone", openapi, site+"/gone.json")),
			"/.well-known/api-catalog":     `{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "https://shop.example/openapi.json", "type": "application/openapi+json"}], "api-catalog": [{"href": "https://shop.example/.well-known/api-catalog"}]}]}`,
			"/.well-known/ai-plugin.json":  plugin,
			"/openapi.json":                strings.Replace(api, `"servers"`, `"externalDocs": {"url": "https://shop.example/openapi.json"}, "x-see": {"$ref": "https://shop.example/b.json"}, "servers"`, 1),
		})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		if box.Len() != 2 || !mentioned(t, box, site+"/gone.json", "absent") {
			t.Errorf("%d tools, %+v", box.Len(), box.Skipped())
		}
		times := make(map[string]int)
		for _, r := range host.Requests() {
			if times[r.Path]++; times[r.Path] > 1 {
				t.Errorf("%s is asked again", r.Path)
			}
		}
	})
}

// A service with several detail documents has tools of one, and an entry for each other.
func TestNoDetailDocumentOfAServiceIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/api-catalog": `{"linkset": [{"anchor": "https://vendor.net/", "service-desc": [
			{"href": "https://vendor.net/a.json", "type": "application/openapi+json"}, {"href": "https://vendor.net/b.json", "type": "application/openapi+json"},
			{"href": "https://vendor.net/c.json", "type": "application/openapi+json"}]}]}`})
		n.Host("vendor.net", clienttest.Pages{"/a.json": "broken", "/b.json": strings.ReplaceAll(api, "shop.example", "vendor.net"), "/c.json": strings.ReplaceAll(api, "shop.example", "vendor.net")})
		for name, opts := range map[string]func(*client.Options){
			"no approval": func(*client.Options) {},
			"approval": func(o *client.Options) {
				o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
			},
		} {
			box := load(t, n.Client(opts), []string{"shop.example"}, nil)
			for _, path := range []string{"/a.json", "/b.json", "/c.json"} {
				if !mentioned(t, box, "https://vendor.net"+path, "") {
					t.Errorf("%s: %s is not mentioned: %d tools, %+v", name, path, box.Len(), box.Skipped())
				}
			}
		}
	})
}

// Each link of a site is a tool, an entry, or counted by the entry for those that are
// beyond the limit, however many there are.
func TestNoLinkBeyondTheLimitIsForgotten(t *testing.T) {
	for _, count := range []int{10, 63, 150, 400} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var entries []string
				for i := range count {
					entries = append(entries, fmt.Sprintf(`{"href": "https://shop.example/d%d.json", "type": "application/openapi+json"}`, i))
				}
				n := clienttest.New(t)
				n.Host("shop.example", clienttest.Pages{"/.well-known/api-catalog": `{"linkset": [{"anchor": "https://shop.example/", "service-desc": [` + strings.Join(entries, ",") + `]}]}`})
				box := load(t, n.Client(), []string{"shop.example"}, nil)
				named, counted := make(map[string]bool), 0
				for _, s := range box.Skipped() {
					limit, ok := errors.AsType[*wayfind.TooLarge](s.Err)
					switch {
					case strings.HasSuffix(s.URL, ".json"):
						named[s.URL] = true
					case ok && limit.Of == "links without a request":
						counted += int(s.Size - s.Limit)
					}
				}
				if len(named)+max(counted, 0) < count {
					t.Errorf("%d of %d are named, %d counted: %.800v", len(named), count, counted, box.Skipped())
				}
			})
		})
	}
}
