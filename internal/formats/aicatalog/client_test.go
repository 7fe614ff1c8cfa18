package aicatalog_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// serverCard returns the card of an MCP server.
func serverCard(name, endpoint string) string {
	return fmt.Sprintf(`{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": %q, "version": "1.2.3",
		"description": "Orders.", "remotes": [{"type": "streamable-http", "url": %q}]}`, name, endpoint)
}

// agentCard returns the card of an A2A agent.
func agentCard(name string) string {
	return fmt.Sprintf(`{"protocolVersion": "0.3.0", "name": %q, "description": "An agent.", "version": "1", "url": "https://shop.example/a2a",
		"preferredTransport": "JSONRPC", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
		"skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": ["t"]}]}`, name)
}

const (
	typeA2A     = "application/a2a-agent-card+json"
	typeMCP     = "application/mcp-server-card+json"
	typeCatalog = "application/ai-catalog+json"
	host        = `"host": {"displayName": "Shop"}`
)

// net is an Internet with shop.example in it.
type net struct {
	*clienttest.Internet
	shop *clienttest.Host
}

// within runs a test in a bubble, with the pages of shop.example.
func within(t *testing.T, pages clienttest.Pages, test func(t *testing.T, n *net)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &net{Internet: clienttest.New(t)}
		n.shop = n.Host("shop.example", pages)
		n.Host("shop.com", pages) // another site with several hosts
		test(t, n)
	})
}

// few sets the formats of most tests.
func few(o *client.Options) {
	o.Formats, o.Robots.Mode = []*parse.Format{a2a.Format(), mcp.Format(), agentskills.Format(), aicatalog.Format()}, client.RobotsIgnore
}

func all(o *client.Options) { o.Formats = formats.All() }

// resolve resolves shop.example.
func (n *net) resolve(t *testing.T, change ...func(*client.Options)) (*client.Client, *wayfind.Site) {
	t.Helper()
	return n.resolveAt(t, "shop.example", change...)
}

func (n *net) resolveAt(t *testing.T, domain string, change ...func(*client.Options)) (*client.Client, *wayfind.Site) {
	t.Helper()
	c := n.Client(append([]func(*client.Options){few}, change...)...)
	site, err := c.Resolve(t.Context(), domain)
	if err != nil {
		t.Fatal(err)
	}
	return c, n.Watch(site)
}

// asked returns the requested paths of a host that are not places of formats.
func asked(h *clienttest.Host) (paths []string) {
	for _, p := range h.Paths() {
		if !strings.HasPrefix(p, "/.well-known/") && p != "/mcp/server-card" && p != "/v1/card" {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// said returns the codes of the diagnostics in a Site.
func said(site *wayfind.Site) (codes []string) {
	for _, d := range site.Diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}

func wants(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// The catalogue is on the apex, and card and endpoint are on another host. The card is read.
// The endpoint is not asked in Resolve, and not without approval.
func TestACardOnASiblingHostIsReadAndItsEndpointLeftAlone(t *testing.T) {
	within(t, clienttest.Pages{aicatalog.PathARD: catalogue(host, entry("urn:air:shop.example:orders", typeMCP, "https://mcp.shop.com/card"))}, func(t *testing.T, n *net) {
		sibling := n.Host("mcp.shop.com", clienttest.Pages{"/card": serverCard("example.shop/orders", "https://mcp.shop.com/mcp")})
		p := &prober{}
		c, site := n.resolveAt(t, "shop.com", func(o *client.Options) { o.Live = []client.LiveProber{p} })
		wants(t, "asked of the sibling", []string{"/card"}, sibling.Paths())
		source := site.Source("https://mcp.shop.com/card")
		if source == nil || source.Authority != wayfind.AuthorityLinked || len(site.Services) != 2 {
			t.Fatalf("sources %+v, services %+v", site.Sources, site.Services)
		}
		if d := site.Documents[0]; d.Verdict != wayfind.VerdictFound || d.Trust != wayfind.TrustSameSite || d.Identifier != "urn:air:shop.example:orders" {
			t.Errorf("document %+v", d)
		}
		service := site.Service("mcp:mcp-shop-com-card")
		if service == nil || service.Interfaces[0].URL != "https://mcp.shop.com/mcp" {
			t.Fatalf("service %+v", service)
		}
		if _, err := c.Describe(t.Context(), site, service.ID); !errors.Is(err, wayfind.ErrRefused) || p.asked != 0 {
			t.Errorf("the endpoint was spoken with %d times, %v", p.asked, err)
		}
	})
}

// prober counts its calls.
type prober struct{ asked int }

func (*prober) Protocol() string { return "mcp" }
func (*prober) Format() string   { return "mcp" }
func (p *prober) Probe(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) {
	p.asked++
	return nil, errors.New("it was spoken with")
}

// Another site is listed with the need for approval, and never asked. The same applies if a URL
// of the site redirects to another site.
func TestAnotherSiteIsListedAndNotAsked(t *testing.T) {
	const else1 = "https://raw.githubusercontent.com/shop/card.json"
	within(t, clienttest.Pages{aicatalog.PathCatalog: catalogue(host, entry("a", typeA2A, else1), entry("b", typeA2A, site+"/away"))}, func(t *testing.T, n *net) {
		other := n.Host("raw.githubusercontent.com", clienttest.Pages{"/shop/card.json": agentCard("X")})
		n.shop.Handle("/away", clienttest.Redirect(http.StatusFound, else1))
		_, site := n.resolve(t)
		if len(other.Paths()) != 0 {
			t.Errorf("asked of another site: %v", other.Paths())
		}
		if d := site.Documents; d[0].Trust != wayfind.TrustNeedsApproval || d[0].Verdict != wayfind.VerdictSkipped || d[1].Trust != wayfind.TrustSameOrigin || d[1].Verdict != wayfind.VerdictRefused {
			t.Errorf("documents %+v", d)
		}
	})
}

// The same bytes at both places are one source.
func TestTheSameBytesAtBothPlacesAreOneSource(t *testing.T) {
	body := catalogue(host, entry("a", typeA2A, site+"/card"))
	within(t, clienttest.Pages{aicatalog.PathARD: body, aicatalog.PathCatalog: body, "/card": agentCard("A")}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		wants(t, "sources", 2, len(s.Sources))
		wants(t, "services", 2, len(s.Services))
		wants(t, "documents", 1, len(s.Documents))
		wants(t, "also at", []string{site + aicatalog.PathCatalog}, s.Source(site+aicatalog.PathARD).AlsoAt)
		wants(t, "asked", []string{"/card"}, asked(n.shop))
	})
}

// The same card from its place, from a link and from data is one source with the best
// authority.
func TestTheSameCardFromThreePlacesIsOneSource(t *testing.T) {
	card := agentCard("A")
	body := catalogue(host, entry("a", typeA2A, site+a2a.Path), entry("b", typeA2A, site+"/copy"), fmt.Sprintf(`{"identifier": "c", "type": %q, "data": %s}`, typeA2A, card))
	within(t, clienttest.Pages{aicatalog.PathARD: body, a2a.Path: card, "/copy": card}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		source := s.Source(site + a2a.Path)
		if source == nil || source.Authority != wayfind.AuthorityNative || len(s.Services) != 2 || len(s.Sources) != 2 {
			t.Fatalf("sources %+v", s.Sources)
		}
		wants(t, "also at", []string{site + aicatalog.PathARD, site + "/copy"}, slices.Sorted(slices.Values(source.AlsoAt)))
		wants(t, "documents", 3, len(s.Documents))
		wants(t, "asked", []string{"/copy"}, asked(n.shop))
	})
}

// A catalogue alone is not a match, but a document to which it leads is.
func TestACatalogueAloneIsNoMatch(t *testing.T) {
	for _, row := range []struct {
		card string
		want bool // the formats after it are asked
	}{{agentCard("A"), false}, {"<html>", true}} {
		within(t, clienttest.Pages{aicatalog.PathARD: catalogue(host, entry("a", typeA2A, site+"/card")), "/card": row.card}, func(t *testing.T, n *net) {
			n.resolve(t, all, func(o *client.Options) { o.Mode = client.FirstMatch })
			if slices.Contains(n.shop.Paths(), "/llms.txt") != row.want {
				t.Errorf("asked %v", n.shop.Paths())
			}
		})
	}
}

// Loops end, each URL is requested once, and the depth is limited, with the number of omitted
// links.
func TestLoopsEndAndEachURLIsAskedOnce(t *testing.T) {
	a, b := site+aicatalog.PathCatalog, site+"/b.json"
	var spellings []string
	for i := range 500 {
		spellings = append(spellings, entry(fmt.Sprint(i), typeCatalog, fmt.Sprintf("https://SHOP.example/%s.well-known/%%61i-catalog.json#%d", strings.Repeat("./", i%7), i)))
	}
	rows := []struct {
		name  string
		pages clienttest.Pages
		want  []string
		deep  bool
	}{
		{"A to A", clienttest.Pages{aicatalog.PathCatalog: catalogue(host, entry("a", typeCatalog, a))}, nil, false},
		{"A to B to A", clienttest.Pages{aicatalog.PathCatalog: catalogue(host, entry("b", typeCatalog, b)), "/b.json": catalogue(host, entry("a", typeCatalog, a), entry("b", typeCatalog, b))}, []string{"/b.json"}, false},
		{"500 spellings", clienttest.Pages{aicatalog.PathCatalog: catalogue(host, spellings...)}, nil, false},
		{"four levels", clienttest.Pages{
			aicatalog.PathCatalog: catalogue(host, entry("2", typeCatalog, site+"/2.json")), "/2.json": catalogue(host, entry("3", typeCatalog, site+"/3.json")),
			"/3.json": catalogue(host, entry("4", typeCatalog, site+"/4.json"), entry("c", typeA2A, site+"/card")), "/4.json": catalogue(host), "/card": agentCard("A"),
		}, []string{"/2.json", "/3.json", "/card"}, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			within(t, r.pages, func(t *testing.T, n *net) {
				_, s := n.resolve(t)
				wants(t, "asked", r.want, asked(n.shop))
				wants(t, "depth told", r.deep, slices.Contains(said(s), "follow.depth"))
				if paths := n.shop.Paths(); len(paths) != len(slices.Compact(slices.Sorted(slices.Values(paths)))) {
					t.Errorf("asked twice: %v", paths)
				}
			})
		})
	}
}

// A catalogue in data is a level, and its key contains its pointer.
func TestACatalogueInDataCountsAsALevel(t *testing.T) {
	body := catalogue(host, entry("d", typeCatalog, site+"/deep.json"), entry("c", typeA2A, site+"/card"))
	for i := range 2 {
		body = catalogue(host, fmt.Sprintf(`{"identifier": "in%d", "type": %q, "data": %s}`, i, typeCatalog, body))
	}
	within(t, clienttest.Pages{aicatalog.PathCatalog: body, "/deep.json": catalogue(host), "/card": agentCard("A")}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		wants(t, "asked", []string{"/card"}, asked(n.shop))
		wants(t, "told", true, slices.Contains(said(s), "follow.depth"))
		var pointers []string
		for _, d := range s.Documents {
			pointers = append(pointers, d.Sources[0].Pointer)
		}
		wants(t, "documents", []string{"/entries/0", "/entries/0/data/entries/0", "/entries/0/data/entries/0/data/entries/0", "/entries/0/data/entries/0/data/entries/1"}, pointers)
	})
	body = catalogue(host)
	for i := range 10 {
		body = catalogue(host, fmt.Sprintf(`{"identifier": "in%d", "type": %q, "data": %s}`, i, typeCatalog, body))
	}
	within(t, clienttest.Pages{aicatalog.PathCatalog: body}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		if len(s.Documents) != 3 || !slices.Contains(said(s), "inline.depth") {
			t.Errorf("%d documents, %v", len(s.Documents), said(s))
		}
	})
}

// Data is read in place by the matching format, and never fetched. Details are read from it
// too.
func TestDataIsReadInPlaceAndNotFetched(t *testing.T) {
	const api = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example/api"}], "paths": {"/orders/{id}": {"get": {"operationId": "getOrder",
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/ID"}}], "responses": {"200": {"description": "ok"}}}}},
		"components": {"schemas": {"ID": {"type": "string", "maxLength": 7}}}}`
	body := catalogue(host, fmt.Sprintf(`{"identifier": "o", "type": "application/openapi+json", "data": %s}`, api), fmt.Sprintf(`{"identifier": "m", "type": "text/plain", "data": %s}`, serverCard("s", "https://shop.example/mcp")))
	within(t, clienttest.Pages{aicatalog.PathCatalog: body}, func(t *testing.T, n *net) {
		c, s := n.resolve(t, all)
		wants(t, "asked", []string{aicatalog.PathCatalog}, slices.DeleteFunc(n.shop.Paths(), func(p string) bool { return p != aicatalog.PathCatalog }))
		for _, source := range s.Sources {
			if source.Authority != wayfind.AuthorityCatalog || source.URL != site+aicatalog.PathCatalog {
				t.Errorf("source %+v", source)
			}
		}
		if len(s.Sources) != 3 {
			t.Fatalf("sources %+v", s.Sources)
		}
		d, err := c.Describe(t.Context(), s, "openapi:ai-catalog/getOrder")
		if err != nil || len(d.Capability.Params) != 1 || !strings.Contains(string(d.Capability.Params[0].Schema), "7") || d.Capability.Sources[0].Pointer != "/entries/0/data/paths/~1orders~1{id}/get" {
			t.Errorf("%v, %+v", err, d.Capability)
		}
	})
}

// The content decides. A link with a wrong type leads to the actual document, and an endpoint
// instead of a card is neither a card nor an error.
func TestTheContentDecidesTheKindOfALinkedDocument(t *testing.T) {
	body := catalogue(host, entry("a", typeMCP, site+"/a2a.json"), entry("b", typeMCP, site+"/mcp"), entry("c", typeCatalog, site+"/notes.txt"))
	within(t, clienttest.Pages{aicatalog.PathCatalog: body, "/a2a.json": agentCard("A"), "/notes.txt": "Notes."}, func(t *testing.T, n *net) {
		n.shop.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }))
		_, s := n.resolve(t)
		if s.Service("a2a:a2a") == nil || len(s.Services) != 2 {
			t.Errorf("services %+v", s.Services)
		}
		var verdicts []wayfind.Verdict
		for _, d := range s.Documents {
			verdicts = append(verdicts, d.Verdict)
		}
		wants(t, "verdicts", []wayfind.Verdict{wayfind.VerdictFound, wayfind.VerdictEndpointLike, wayfind.VerdictUnrecognised}, verdicts)
		for _, d := range s.Diagnostics {
			if d.Severity == wayfind.SeverityError || d.Code == "follow.failed" {
				t.Errorf("said %+v", d)
			}
		}
	})
}

// A document that fails does not fail the catalogue, and its entry contains the reason.
func TestAFailedDocumentDoesNotFailTheCatalogue(t *testing.T) {
	body := catalogue(host, entry("a", typeA2A, site+"/gone"), entry("b", typeA2A, site+"/broken"), entry("c", typeA2A, site+"/down"), entry("d", typeA2A, site+"/card"))
	within(t, clienttest.Pages{aicatalog.PathCatalog: body, "/broken": "{", "/card": agentCard("A")}, func(t *testing.T, n *net) {
		n.shop.Handle("/down", clienttest.Page{Status: http.StatusInternalServerError})
		_, s := n.resolve(t)
		failed := map[string]string{}
		for _, d := range s.Diagnostics {
			if d.Code == "follow.failed" {
				failed[d.Pointer] = d.Source
			}
		}
		wants(t, "failed", map[string]string{"/entries/0": site + aicatalog.PathCatalog, "/entries/1": site + aicatalog.PathCatalog, "/entries/2": site + aicatalog.PathCatalog}, failed)
		var verdicts []wayfind.Verdict
		for _, d := range s.Documents {
			verdicts = append(verdicts, d.Verdict)
		}
		wants(t, "verdicts", []wayfind.Verdict{wayfind.VerdictAbsent, wayfind.VerdictMalformed, wayfind.VerdictUnreachable, wayfind.VerdictFound}, verdicts)
		if s.Service("a2a:card") == nil || s.Service("aicatalog:ai-catalog") == nil {
			t.Errorf("services %+v", s.Services)
		}
	})
}

// A digest that does not match fails the document in each place.
func TestADigestThatDoesNotFitFailsTheDocument(t *testing.T) {
	card := agentCard("A")
	sum := func(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
	with := func(id, url, digest string) string {
		return fmt.Sprintf(`{"identifier": %q, "type": %q, "url": %q, "digest": %q}`, id, typeA2A, url, digest)
	}
	body := catalogue(host, with("right", site+"/right", sum(card)), with("wrong", site+"/wrong", sum("x")), with("place", site+a2a.Path, sum("x")),
		with("short", site+"/short", "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
		fmt.Sprintf(`{"identifier": "in", "type": %q, "data": %s, "digest": %q}`, typeA2A, agentCard("In"), sum("x")),
		fmt.Sprintf(`{"identifier": "in2", "type": %q, "data": {"b" : 1, "a": 2}, "digest": %q}`, typeA2A, sum(`{"a":2,"b":1}`)))
	within(t, clienttest.Pages{aicatalog.PathCatalog: body, "/right": card, "/wrong": agentCard("B"), a2a.Path: agentCard("Native"), "/short": card}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		var names []string
		for _, service := range s.Services {
			names = append(names, service.Name)
		}
		slices.Sort(names)
		wants(t, "services", []string{"A", "Native", "Shop"}, names)
		wants(t, "asked", []string{"/right", "/wrong"}, asked(n.shop))
		codes := said(s)
		for _, code := range []string{"inline.digest", "follow.digest", "follow.failed", "aicatalog.digest"} {
			if got := len(codes) - len(slices.DeleteFunc(slices.Clone(codes), func(c string) bool { return c == code })); got != 1 {
				t.Errorf("%s is said %d times: %v", code, got, codes)
			}
		}
	})
}

// A publisher of another site is reported and does not change the trust. The name of a bank on
// a stranger's site, also in another script, proves nothing.
func TestAForeignPublisherIsToldAndChangesNoTrust(t *testing.T) {
	body := catalogue(host, entry("urn:air:bank.example:pay", typeA2A, site+"/card"), entry("urn:air:bank.example:pay2", typeA2A, site+"/card2"),
		entry("urn:air:ѕhop.example:x", "text/plain", site+"/x"), entry("urn:air:shop.example:own", "text/plain", site+"/y"), entry("urn:air:SHOP.example:own", "text/plain", site+"/z"),
		`{"identifier": "n", "type": "text/plain", "url": "https://shop.example/n", "publisher": {"identifier": "did:web:bank2.example", "displayName": "Bank"}}`,
		`{"identifier": "p", "type": "text/plain", "url": "https://shop.example/p", "publisher": {"identifier": "did:web:shop.example%3A443", "displayName": "Shop"}}`)
	within(t, clienttest.Pages{aicatalog.PathCatalog: body, "/card": agentCard("A"), "/card2": agentCard("B")}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		told := map[string]string{}
		for _, d := range s.Diagnostics {
			if d.Code == "publisher.mismatch" {
				told[d.Pointer] = d.Message
			}
		}
		wants(t, "told", map[string]string{
			"/entries/0": `"bank.example" is named as the publisher of 2 of the entries, but the list is on "shop.example"`,
			"/entries/2": `"ѕhop.example" is named as the publisher of 1 of the entries, but the list is on "shop.example"`,
			"/entries/5": `"bank2.example" is named as the publisher of 1 of the entries, but the list is on "shop.example"`,
		}, told)
		if s.Source(site+"/card").Trust != wayfind.TrustSameOrigin || len(s.Documents) != 7 || s.Documents[0].Trust != wayfind.TrustSameOrigin {
			t.Errorf("trust of %+v, %+v", s.Source(site+"/card"), s.Documents[0])
		}
	})
}

// Trust manifests, hosts and metadata are not requested, do not increase trust, and cannot be
// called.
func TestTrustManifestsHostsAndMetadataAreNotFetched(t *testing.T) {
	body := `{"specVersion": "1.0", "host": {"displayName": "Shop", "logoUrl": "https://shop.example/logo.png", "documentationUrl": "https://shop.example/docs", "identifier": "did:web:shop.example"},
		"signature": {"signer": "did:web:shop.example"}, "entries": [{"@context": "https://shop.example/context", "identifier": "urn:air:shop.example:a", "type": "text/plain", "url": "https://elsewhere.example/a",
		"score": 1, "representativeQueries": ["buy it"], "capabilities": ["buy"], "metadata": {"invocation": "uvx evil"},
		"trustManifest": {"identity": "did:web:shop.example", "attestations": [{"type": "x", "uri": "https://shop.example/attestation.json"}]},
		"trustManifests": [{"contributor": "did:web:shop.example", "signature": {"signer": "did:web:shop.example", "profile": "did-web-v1", "jws": "e30..AA"}}]}]}`
	within(t, clienttest.Pages{aicatalog.PathCatalog: body}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		if len(asked(n.shop)) != 0 || slices.Contains(n.shop.Paths(), "/.well-known/did.json") {
			t.Errorf("asked %v", n.shop.Paths())
		}
		d := s.Documents[0]
		if d.Trust != wayfind.TrustNeedsApproval || len(d.Signatures) != 1 || d.Signatures[0].Status != "unverified" || len(d.Extensions) != 7 {
			t.Errorf("document %+v", d)
		}
		for _, service := range s.Services {
			if len(service.Capabilities) != 0 || len(service.Interfaces) != 0 || len(service.LocalInstall) != 0 {
				t.Errorf("service %+v", service)
			}
		}
	})
}

// URLs to forbidden places are listed and not requested.
func TestHostileURLsAreListedAndNotAskedFor(t *testing.T) {
	var entries []string
	for i, u := range []string{"https://169.254.169.254/latest", "file:///etc/passwd", "data:application/json,{}", "https://a:b@shop.example/x", "http://shop.example/plain",
		"https://shop.example:8443/x", "javascript:alert(1)", "https://localhost/x", "//shop.example/x", "https://shop.example.evil.example/x"} {
		entries = append(entries, entry(fmt.Sprint(i), typeA2A, u))
	}
	within(t, clienttest.Pages{aicatalog.PathCatalog: catalogue(host, entries...), "/x": agentCard("A"), "/plain": agentCard("B")}, func(t *testing.T, n *net) {
		_, s := n.resolve(t)
		wants(t, "asked", []string(nil), asked(n.shop))
		wants(t, "documents", len(entries), len(s.Documents))
	})
}

// A large catalogue is read. A catalogue beyond the limit is too large, and not invalid JSON.
// If there are too many entries, the first are read and the others are counted.
func TestSizesOfCataloguesHaveLimits(t *testing.T) {
	padded := func(size int) string {
		body := catalogue(host, entry("a", "text/plain", site+"/a"))
		return body + strings.Repeat(" ", size-len(body))
	}
	const first = `{"specVersion": "1.0", "entries": [{"identifier": "a", "type": "text/plain", "url": "https://shop.example/a"}`
	deep := strings.Repeat(`{"entries":[`, 200) + strings.Repeat("]}", 200)
	rows := []struct {
		name, body string
		documents  int
		reason     string
		truncated  string
	}{
		{"1,000,000 tiny entries", first + strings.Repeat(",0", 1_000_000) + "]}", 1, "", "of 1000001 entries the first 1000 were read"},
		{"1,000,000 values in an entry", first + `, {"id":"b","type":"c","data":[0` + strings.Repeat(",0", 1_000_000) + `]}, {"id":"d","type":"e"}]}`, 2, "", "of 3 entries the first 2 were read"},
		{"data nested 400 deep", first + `, {"identifier": "b", "type": "application/ai-catalog+json", "data": ` + deep + "}]}", 2, "", ""},
		{"a name of 5,000 bytes", first + `, {"identifier": "b", "type": "c", "` + strings.Repeat("n", 5000) + `": 1}]}`, 2, "", ""},
		{"424 kB", catalogue(host, large(520, 800)...), 520, "", ""},
		{"4 MiB", padded(4 << 20), 1, "", ""},
		{"4 MiB and a byte", padded(4<<20 + 1), 0, string(wayfind.CodeTooLarge), ""},
		{"1,001 entries", catalogue(host, large(1001, 0)...), 1000, "", "of 1001 entries the first 1000 were read"},
		{"100,000 entries", `{"entries": [` + strings.TrimSuffix(strings.Repeat(`{"id":"a","type":"b"},`, 100_000), ",") + `]}`, 1000, "", "of 100000 entries the first 1000 were read"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			within(t, clienttest.Pages{aicatalog.PathCatalog: r.body}, func(t *testing.T, n *net) {
				s, _ := n.Client(few).Resolve(t.Context(), "shop.example")
				i := slices.IndexFunc(s.Probes, func(p wayfind.Probe) bool { return p.URL == site+aicatalog.PathCatalog })
				if p := s.Probes[i]; p.Reason != r.reason || (r.reason == "") != (p.Verdict == wayfind.VerdictFound) {
					t.Errorf("probe %+v", p)
				}
				wants(t, "documents", r.documents, len(s.Documents))
				told, cut := "", strings.Contains(r.name, "1,000,000") || strings.Contains(r.name, "deep") || strings.Contains(r.name, "a name")
				if slices.Contains(said(s), "json.cut") != cut {
					t.Errorf("said %v", said(s))
				}
				for _, d := range s.Diagnostics {
					if d.Code == "aicatalog.truncated" {
						told = d.Message
					}
				}
				wants(t, "told", r.truncated, told)
			})
		})
	}
}

// large returns entries of a given length that lead nowhere.
func large(n, length int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"identifier": "e%d", "type": "text/plain", "url": "https://shop.example/e%d", "description": %q}`, i, i, strings.Repeat("x", length)))
	}
	return list
}

// A byte order mark is reported, duplicate names are refused, and a wrong value of entries is
// named.
func TestOddBodiesOfCataloguesAreTold(t *testing.T) {
	rows := []struct{ name, body, verdict, code string }{
		{"a byte order mark", "\ufeff" + catalogue(host), "found", "json.bom"},
		{"duplicate names", `{"specVersion": "1.0", "entries": [], "entries": []}`, "malformed", ""},
		{"resources", `{"resources": [{"type": "api"}]}`, "other_format", "document.foreign"},
		{"major 2", `{"specVersion": "2.0", "entries": []}`, "malformed", "aicatalog.version"},
		{"empty", `{"entries": []}`, "found", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			within(t, clienttest.Pages{aicatalog.PathCatalog: r.body}, func(t *testing.T, n *net) {
				s, _ := n.Client(few).Resolve(t.Context(), "shop.example")
				i := slices.IndexFunc(s.Probes, func(p wayfind.Probe) bool { return p.URL == site+aicatalog.PathCatalog })
				if p := s.Probes[i]; string(p.Verdict) != r.verdict || r.code != "" && !slices.Contains(said(s), r.code) {
					t.Errorf("probe %+v, said %v", p, said(s))
				}
				if r.name == "resources" && !slices.ContainsFunc(s.Diagnostics, func(d wayfind.Diagnostic) bool {
					return strings.Contains(d.Message, `"resources" instead of "entries"`)
				}) {
					t.Errorf("diagnostics %+v", s.Diagnostics)
				}
			})
		})
	}
}

// A skill in both the index and the catalogue is one capability with both keys. If their
// digests differ, it cannot be loaded.
func TestASkillOfIndexAndCatalogueIsOneCapability(t *testing.T) {
	const text = "---\nname: pay\ndescription: Pays.\n---\n# Pay\n"
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))
	index := func(digest string) string {
		return fmt.Sprintf(`{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [{"name": "pay", "type": "skill-md", "description": "Pays.", "url": "/pay/SKILL.md", "digest": %q}]}`, digest)
	}
	listed := catalogue(host, fmt.Sprintf(`{"identifier": "urn:air:shop.example:pay", "type": "application/agent-skills+md", "url": "https://shop.example/pay/SKILL.md", "displayName": "Pay", "digest": %q}`, digest))
	const own, other = "aicatalog:ai-catalog/urn:air:shop.example:pay", "agentskills:index/pay"
	for _, row := range []struct {
		name, index string
		loadable    bool
	}{{"alone", "", true}, {"both", index(digest), true}, {"digests differ", index("sha256:" + strings.Repeat("0", 64)), false}} {
		t.Run(row.name, func(t *testing.T) {
			pages := clienttest.Pages{aicatalog.PathCatalog: listed, "/pay/SKILL.md": text}
			if row.index != "" {
				pages["/.well-known/agent-skills/index.json"] = row.index
			}
			within(t, pages, func(t *testing.T, n *net) {
				c, s := n.resolve(t)
				if slices.Contains(n.shop.Paths(), "/pay/SKILL.md") {
					t.Error("Resolve asked for a skill")
				}
				_, capability := s.Capability(own)
				skills := 0
				for range s.Capabilities() {
					skills++
				}
				if capability == nil || skills != 1 {
					t.Fatalf("%d skills, %+v", skills, s.Services)
				}
				if capability.Kind != wayfind.KindSkillFile || (capability.Artifact != nil) != row.loadable || capability.Invocation != nil {
					t.Errorf("capability %+v", capability)
				}
				d, err := c.Describe(t.Context(), s, own)
				if row.loadable != (err == nil && d.Content != nil && string(d.Content.Bytes) == text && d.Content.Verified) {
					t.Errorf("%v, %+v", err, d.Content)
				}
				conflict := slices.ContainsFunc(s.Conflicts, func(c wayfind.Conflict) bool { return c.Field == "artifact" })
				wants(t, "conflict", row.name == "digests differ", conflict)
			})
		})
	}
}

// One Resolve of the bare domain finds the catalogue, the card on a sibling host, and the
// documents to which it leads.
func TestOneResolveFindsAllFromTheBareDomain(t *testing.T) {
	const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "Sells.", "description_for_model": "Use it.",
		"auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://mcp.shop.com/openapi.json"}, "logo_url": "https://shop.com/l.png", "contact_email": "a@shop.com", "legal_info_url": "https://shop.com/legal"}`
	const api = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}}}}}`
	body := catalogue(host, entry("urn:air:shop.com:more", typeCatalog, "https://shop.com/more.json"), entry("urn:air:shop.com:plugin", "application/json", "https://mcp.shop.com/ai-plugin.json"))
	more := catalogue(host, entry("urn:air:shop.com:orders", typeMCP, "https://mcp.shop.com/card"))
	within(t, clienttest.Pages{aicatalog.PathARD: body, "/more.json": more}, func(t *testing.T, n *net) {
		n.Host("mcp.shop.com", clienttest.Pages{"/card": serverCard("com.shop/orders", "https://mcp.shop.com/mcp"), "/ai-plugin.json": plugin, "/openapi.json": api})
		_, s := n.resolveAt(t, "shop.com", all)
		var found []string
		for _, source := range s.Sources {
			found = append(found, source.Format+" "+strings.TrimPrefix(source.URL, "https://"))
		}
		slices.Sort(found)
		wants(t, "sources", []string{"aicatalog shop.com/.well-known/ard.json", "aicatalog shop.com/more.json", "aiplugin mcp.shop.com/ai-plugin.json",
			"mcp mcp.shop.com/card", "openapi mcp.shop.com/openapi.json"}, found)
	})
}

// To read one document shows the links that discovery follows, once.
func TestReadingACatalogueShowsItsLinksOnce(t *testing.T) {
	const linked = "https://example.com/shop/card.json"
	r, err := client.Parse(t.Context(), []byte(`{"specVersion": "draft", "entries": [{"identifier": "urn:air:example.com:shop",
		"displayName": "Shop", "mediaType": "application/mcp-server-card+json", "url": "`+linked+`"}]}`), &client.ParseOptions{URL: "https://example.com" + aicatalog.PathMCP})
	if err != nil || r.Verdict != wayfind.VerdictFound || len(r.Site.Documents) != 1 || r.Site.Documents[0].URL != linked {
		t.Errorf("%v, %s, %+v", err, r.Verdict, r.Site.Documents)
	}
}
