package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

const serversPath = "/v0.1/servers"

// entry is a server as a registry lists it.
type entry struct{ name, version, description, rest, status string }

func (e entry) json(latest bool) string {
	return fmt.Sprintf(`{"server": {"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": %q, "version": %q,
		"description": %q, %s}, "_meta": {"io.modelcontextprotocol.registry/official": {"status": %q, "isLatest": %t, "publishedAt": "2026-01-01T00:00:00Z"}}}`,
		e.name, e.version, e.description, e.rest, e.status, latest)
}

func remote(u string) string {
	return fmt.Sprintf(`"remotes": [{"type": "streamable-http", "url": %q}]`, u)
}

// registry serves entries as the API of the MCP registry, version 0.1, does
// (docs/reference/api/openapi.yaml, 2025-12-01): a search in names, pages with an opaque
// cursor, versions of one name. The last entry of a name is the latest.
type registry []entry

func (r registry) latest(i int) bool {
	return !slices.ContainsFunc(r[i+1:], func(e entry) bool { return e.name == r[i].name })
}

func (r registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	q := req.URL.Query()
	if rest, ok := strings.CutPrefix(req.URL.EscapedPath(), serversPath+"/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		name, _ = url.PathUnescape(name)
		for i, e := range r {
			if e.name == name && r.latest(i) {
				_, _ = fmt.Fprint(w, e.json(true))
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"error": "Server not found"}`)
		return
	}
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 30
	}
	limit = min(limit, 100)
	var found []string
	for i, e := range r {
		if strings.Contains(strings.ToLower(e.name), strings.ToLower(q.Get("search"))) && (q.Get("version") != "latest" || r.latest(i)) {
			found = append(found, e.json(r.latest(i)))
		}
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(q.Get("cursor"), "page:"))
	to, next := min(from+limit, len(found)), ""
	if to < len(found) {
		next = fmt.Sprintf(`, "nextCursor": "page:%d"`, to)
	}
	_, _ = fmt.Fprintf(w, `{"servers": [%s], "metadata": {"count": %d%s}}`, strings.Join(found[from:to], ", "), to-from, next)
}

// serverNames are the names of hits, in their order.
func serverNames(r *client.SearchResult) (list []string) {
	for _, h := range r.Hits {
		list = append(list, h.Service.Name)
	}
	return list
}

// withRegistry asks a registry of these entries.
func withRegistry(t *testing.T, r http.Handler, query string, o client.SearchOptions, check func(*client.SearchResult, *clienttest.Host)) {
	t.Helper()
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("registry.example", nil)
		host.Handle(serversPath, r).Handle(serversPath+"/com.example%2Fshop/versions/latest", r).Handle(serversPath+"/com.example/shop/versions/latest", r)
		o.Registry = client.RegistryMCP
		got, err := newClient(t, internet).SearchWith(t.Context(), "registry.example", query, &o)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		if all := internet.Requests(); len(all) != len(host.Requests()) {
			t.Errorf("%s: %d of %d requests went to the registry: an endpoint is not contacted", query, len(host.Requests()), len(all))
		}
		check(got, host)
	})
}

func TestASearchInARegistryOfServersRanksThem(t *testing.T) {
	servers := registry{
		{"com.example/mailer", "1.0.0", "Sends letters on paper", remote("https://mcp.example.com/mcp"), "active"},
		{"org.post/mail-send", "0.9.0", "An old version", remote("https://old.post.org/mcp"), "active"},
		{"org.post/mail-send", "1.0.0", "Sends mail to anyone", remote("https://post.org/mcp"), "deprecated"},
		{"net.spam/mail-send", "1.0.0", "Malware", remote("https://spam.net/mcp"), "deleted"},
		{"io.github.someone/mail", "1.0.0", "A mail box", `"packages": [{"registryType": "npm", "identifier": "mailbox", "version": "1.0.0", "transport": {"type": "stdio"}}]`, "active"},
	}
	withRegistry(t, servers, "send mail", client.SearchOptions{}, func(r *client.SearchResult, host *clienttest.Host) {
		if got := serverNames(r); len(got) != 3 || got[0] != "org.post/mail-send" {
			t.Errorf("hits %q", got)
		}
		first := r.Hits[0]
		if first.Target != "https://post.org" || !first.Deprecated || first.Score == nil || first.Service.Version != "1.0.0" || first.Service.Provider.Identifier != "post.org" || len(first.Diagnostics) != 0 {
			t.Errorf("%+v, %+v", first, first.Service)
		}
		if f := first.Service.Interfaces[0]; f.Trust != wayfind.TrustNeedsApproval || f.URL != "https://post.org/mcp" {
			t.Errorf("interface %+v", f)
		}
		local := r.Hits[slices.IndexFunc(r.Hits, func(h client.Hit) bool { return h.Target == "" })]
		if len(local.Service.LocalInstall) != 1 || local.Service.Provider != nil {
			t.Errorf("%+v", local.Service)
		}
		want := []string{serversPath + "?limit=100&search=send&version=latest", serversPath + "?limit=100&search=mail&version=latest"}
		if d := cmp.Diff(want, host.Paths()); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		if time.Until(r.FreshUntil) != time.Hour {
			t.Errorf("fresh until %v", r.FreshUntil)
		}
	})
}

// A registry is read to the end, or to a limit that is reported.
func TestASearchReadsThePagesOfARegistry(t *testing.T) {
	for n, pages := range map[int]int{0: 1, 100: 1, 101: 2, 450: 5, 900: 5} {
		var servers registry
		for i := range n {
			servers = append(servers, entry{fmt.Sprintf("com.example/mail%d", i), "1.0.0", "Mail", remote("https://example.com/mcp"), "active"})
		}
		withRegistry(t, servers, "mail", client.SearchOptions{Limit: 50}, func(r *client.SearchResult, host *clienttest.Host) {
			if cut := slices.Equal(codesAt(r.Diagnostics), []string{"search.limit "}); len(host.Paths()) != pages || len(r.Hits) != min(n, 50) || cut != (n > 500) {
				t.Errorf("%d servers: %d pages, %d hits, %v", n, len(host.Paths()), len(r.Hits), r.Diagnostics)
			}
		})
	}
}

func TestANameIsAskedForItself(t *testing.T) {
	servers := registry{{"com.example/shop", "1.0.0", "A shop", remote("https://example.com/mcp"), "active"}}
	withRegistry(t, servers, "com.example/shop", client.SearchOptions{}, func(r *client.SearchResult, host *clienttest.Host) {
		if d := cmp.Diff([]string{serversPath + "/com.example%2Fshop/versions/latest"}, host.Paths()); d != "" || len(r.Hits) != 1 {
			t.Errorf("%q %s", serverNames(r), d)
		}
	})
	withRegistry(t, registry{}, "com.example/shop", client.SearchOptions{}, func(r *client.SearchResult, _ *clienttest.Host) {
		if len(r.Hits) != 0 {
			t.Errorf("%q", serverNames(r))
		}
	})
}

// The servers of a domain are those whose names only its owner can have.
func TestTheServersOfADomainAreInItsNamespace(t *testing.T) {
	servers := registry{
		{"com.example/shop", "1.0.0", "A shop", remote("https://mcp.example.com/mcp"), "active"},
		{"com.example.eu/shop", "1.0.0", "A shop", remote("https://elsewhere.net/mcp"), "active"},
		{"com.examples/shop", "1.0.0", "Another", remote("https://examples.com/mcp"), "active"},
		{"net.other/com.example", "1.0.0", "Another", remote("https://other.net/mcp"), "active"},
		{"io.github.com.example/shop", "1.0.0", "An account", remote("https://example.com/mcp"), "active"},
	}
	withRegistry(t, servers, "https://example.com", client.SearchOptions{Namespace: true}, func(r *client.SearchResult, host *clienttest.Host) {
		got := serverNames(r)
		slices.Sort(got)
		if d := cmp.Diff([]string{"com.example.eu/shop", "com.example/shop"}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		for _, h := range r.Hits {
			codes := codesAt(h.Diagnostics)
			if away := h.Target == "https://elsewhere.net"; away != slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(c, "search.publisher_mismatch") }) {
				t.Errorf("%s: %v", h.Target, codes)
			}
		}
		if d := cmp.Diff([]string{serversPath + "?limit=100&search=com.example&version=latest"}, host.Paths()); d != "" {
			t.Error(d)
		}
	})
	hosted := registry{{"io.pages.someone/a", "1.0.0", "A", remote("https://someone.github.io/mcp"), "active"}, {"io.github.someone/a", "1.0.0", "A", remote("https://a.example/mcp"), "active"}}
	withRegistry(t, hosted, "github.io", client.SearchOptions{Namespace: true}, func(r *client.SearchResult, _ *clienttest.Host) {
		if len(r.Hits) != 0 {
			t.Errorf("accounts of a host count as its own: %q", serverNames(r))
		}
	})
}

// recorded are server.json documents as they were published, on one page.
type recorded []json.RawMessage

func (r recorded) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var list []string
	for _, body := range r {
		list = append(list, fmt.Sprintf(`{"server": %s, "_meta": {}}`, body))
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"servers": [%s], "metadata": {}}`, strings.Join(list, ", "))
}

func TestPublishedServersAreHits(t *testing.T) {
	paths := golden.Files(t, golden.Field(t, "mcp-registry-server"), "*.json")
	var page recorded
	for _, path := range paths {
		page = append(page, golden.Read(t, path))
	}
	withRegistry(t, page, "mcp", client.SearchOptions{Limit: 50}, func(r *client.SearchResult, _ *clienttest.Host) {
		if len(r.Hits) != len(paths) {
			t.Errorf("%d hits of %d documents, %v", len(r.Hits), len(paths), r.Diagnostics)
		}
		for _, h := range r.Hits {
			if h.Name == "" || h.Target == "" && len(h.Service.LocalInstall) == 0 {
				t.Errorf("%+v", h)
			}
		}
	})
}

func TestAnswersThatAreNoRegistryOfServers(t *testing.T) {
	for body, code := range map[string]wayfind.Code{`{"data": []}`: wayfind.CodeSchema, `[]`: wayfind.CodeSchema, `{`: wayfind.CodeJSONSyntax, `{"servers": {}}`: wayfind.CodeSchema} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("registry.example", nil).Handle(serversPath, clienttest.Page{Body: body, Header: http.Header{"Content-Type": {"application/json"}}})
			_, err := newClient(t, internet).SearchWith(t.Context(), "registry.example", "mail", &client.SearchOptions{Registry: client.RegistryMCP})
			if e := clienttest.CheckError(err); e != nil || err == nil {
				t.Errorf("%s: %v %v", body, err, e)
			} else if got := err.(*wayfind.Error).Code; got != code {
				t.Errorf("%s: %s, want %s", body, got, code)
			}
		})
	}
}
