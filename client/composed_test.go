package client_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// entryOf returns an entry of a catalogue, without a digest if it is empty.
func entryOf(id, mediaType, url, digest string) string {
	if digest != "" {
		digest = fmt.Sprintf(`, "digest": %q`, digest)
	}
	return fmt.Sprintf(`{"identifier": "urn:air:shop.example:%s", "displayName": %q, "type": %q, "url": %q%s}`, id, id, mediaType, url, digest)
}

// catalogWith is a catalogue with entries.
func catalogWith(entries ...string) string {
	return `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [` + strings.Join(entries, ", ") + `]}`
}

// coded counts the diagnostics with a code.
func coded(site *wayfind.Site, code string) (n int) {
	for _, d := range site.Diagnostics {
		if d.Code == code {
			n++
		}
	}
	return n
}

// Several links to one document may each have a digest. All digests must match, in any order of the
// links and of their spellings.
func TestAllDigestsOfOneURLMustFit(t *testing.T) {
	const kind, at = "application/a2a-agent-card+json", "https://shop.example/card.json"
	card := agentCard("shop.example", "find")
	digest := func(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
	none, right, wrong := entryOf("none", kind, at, ""), entryOf("right", kind, at, digest(card)), entryOf("wrong", kind, at, digest("x"))
	spelled := entryOf("spelled", kind, "https://shop.example/%63ard.json", digest("x"))
	rows := []struct {
		name    string
		entries []string
		link    string // a Link field of another place
		read    bool
	}{
		{"none and right", []string{none, right}, "", true},
		{"right twice", []string{right, right}, "", true},
		{"none, then wrong", []string{none, wrong}, "", false},
		{"wrong, then none", []string{wrong, none}, "", false},
		{"right, then wrong", []string{right, wrong}, "", false},
		{"wrong, then right", []string{wrong, right}, "", false},
		{"wrong in another spelling", []string{none, spelled}, "", false},
		{"a Link field and none", []string{none}, `</card.json>; rel="agent-card"`, true},
		{"a Link field and right", []string{right}, `</card.json>; rel="agent-card"`, true},
		{"a Link field and wrong", []string{wrong}, `</card.json>; rel="agent-card"`, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{catalogPath: catalogWith(row.entries...), "/card.json": card})
				if row.link != "" {
					host.Handle("/.well-known/ard.json", page("{}", "Link", row.link))
				}
				site, err := newClient(t, internet, byDefault).Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				read := slices.ContainsFunc(site.Sources, func(s wayfind.Source) bool { return s.URL == at })
				if read != row.read || asked(host)["/card.json"] != 1 || (coded(site, "follow.failed") > 0) == row.read {
					t.Errorf("read: %v, asked %d times, %+v", read, asked(host)["/card.json"], site.Diagnostics)
				}
				for _, d := range site.Documents {
					if d.Rel == "catalog-entry" && (d.Verdict == wayfind.VerdictFound) != row.read {
						t.Errorf("the entry %s is %s", d.Identifier, d.Verdict)
					}
				}
			})
		})
	}
}

// A catalogue behind a redirect that lists itself at both places is one source and is requested
// once. Its entries have the verdicts of their documents.
func TestARedirectedCatalogueIsOneSource(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const kind = "application/ai-catalog+json"
		host := internet.Host("shop.example", clienttest.Pages{"/en/card.json": agentCard("shop.example", "find")})
		host.Handle(catalogPath, http.RedirectHandler("/en/catalog.json", http.StatusFound))
		host.Handle("/en/catalog.json", page(catalogWith(entryOf("card", "application/a2a-agent-card+json", "./card.json", ""),
			entryOf("self", kind, "https://shop.example/en/catalog.json", ""), entryOf("spelled", kind, "https://shop.example/%65n/catalog.json", ""),
			entryOf("first", kind, "https://shop.example"+catalogPath, ""))))
		site, err := newClient(t, internet, byDefault).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if n := asked(host); n["/en/catalog.json"] != 1 || n[catalogPath] != 1 || n["/en/card.json"] != 1 || len(site.Sources) != 2 {
			t.Errorf("asked %v, sources %+v", n, site.Sources)
		}
		for _, d := range site.Documents {
			if d.Verdict != wayfind.VerdictFound {
				t.Errorf("%s is %q", d.URL, d.Verdict)
			}
		}
	})
}

// The documents that a catalogue, a host beside it, an API catalog, a page and a list of skills
// link to are the same offline. No request is sent, and the skill is verified there too.
func TestFieldOffline(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const skill = "---\nname: refund\ndescription: Refunds an order.\n---\n# Refund\n"
		host := internet.Host("shop.com", clienttest.Pages{
			"/my/card.json": agentCard("shop.com", "find"), "/refund.md": skill,
			"/.well-known/agent-skills/index.json": fmt.Sprintf(`{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
				"skills": [{"name": "refund", "type": "skill-md", "description": "Refunds.", "url": "/refund.md", "digest": "sha256:%x"}]}`, sha256.Sum256([]byte(skill))),
		})
		host.Handle("/", html(cardLink+`<link rel="ai-catalog" href="/catalog.json">`))
		host.Handle("/catalog.json", page(catalogWith(entryOf("more", "application/ai-catalog+json", "https://mcp.shop.com/catalog.json", ""))))
		sibling := internet.Host("mcp.shop.com", clienttest.Pages{"/card.json": agentCard("mcp.shop.com", "pay"),
			"/catalog.json": catalogWith(entryOf("card", "application/a2a-agent-card+json", "card.json", ""), entryOf("up", "application/ai-catalog+json", "https://shop.com/catalog.json", ""))})
		far := newFarStore()
		c := newClient(t, internet, byDefault, shared(far))
		online, err := c.Resolve(t.Context(), "shop.com")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(t.Context(), online, "agentskills:refund"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		before, others := trafficOf(internet, host), sibling.Dials()
		apart := newClient(t, internet, byDefault, shared(far), offline)
		site, err := apart.Resolve(t.Context(), "shop.com")
		if err != nil {
			t.Fatal(err)
		}
		urls := func(s *wayfind.Site) (list []string) {
			for _, source := range s.Sources {
				list = append(list, source.URL+" "+string(source.Authority)+" "+string(source.Trust))
			}
			return list
		}
		if d := cmp.Diff(urls(online), urls(site)); d != "" || len(site.Sources) < 6 {
			t.Errorf("%d sources (-online +offline):\n%s", len(site.Sources), d)
		}
		d, err := apart.Describe(t.Context(), site, "agentskills:refund")
		if err != nil || d.Content == nil || !d.Content.Verified {
			t.Errorf("the skill: %+v, %v", d, err)
		}
		wantQuiet(t, before, internet, host)
		if sibling.Dials() != others {
			t.Error("the other host was asked offline")
		}
	})
}

// A link on the page, in a Link field or in robots.txt to a URL of the site that
// redirects to another site is not followed there.
func TestALinkThatRedirectsToAnotherSiteIsNotFollowed(t *testing.T) {
	const card = "/my/card.json"
	for name, prepare := range map[string]func(*clienttest.Host){
		"the head of a page": func(h *clienttest.Host) { h.Handle("/", html(cardLink)) },
		"the field of a page": func(h *clienttest.Host) {
			h.Handle("/", html("", "Link", `</my/card.json>; rel="agent-card"`))
		},
		"the field of a place": func(h *clienttest.Host) {
			h.Handle(catalogPath, page("{}", "Link", `</my/card.json>; rel="agent-card"`))
		},
		"robots.txt": func(h *clienttest.Host) { h.Handle(robotsTxt, page("Agentmap: https://shop.example"+card+"\n")) },
		"a catalogue": func(h *clienttest.Host) {
			h.Handle(catalogPath, page(catalogWith(entryOf("card", "application/a2a-agent-card+json", "https://shop.example"+card, ""))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				prepare(host)
				host.Handle(card, http.RedirectHandler("https://other.example/card.json", http.StatusFound))
				other := internet.Host("other.example", clienttest.Pages{"/card.json": agentCard("other.example", "find")})
				site, _ := newClient(t, internet, byDefault).Resolve(t.Context(), "shop.example")
				if asked(host)[card] != 1 || len(other.Paths()) != 0 {
					t.Errorf("asked the site %v and the other %v", asked(host), other.Paths())
				}
				i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return strings.HasSuffix(p.URL, card) })
				if i < 0 || site.Probes[i].Verdict != wayfind.VerdictRefused {
					t.Errorf("probes %+v", site.Probes)
				}
			})
		})
	}
}
