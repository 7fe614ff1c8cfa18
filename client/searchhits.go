package client

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// hitsIn finds the list of hits. The protocol does not name its member. Registries use several
// names, or return only the list.
func hitsIn(root parse.Node) (list parse.Node, ok bool) {
	if root.Kind() == parse.Array && root.Len() > 0 {
		return root, true
	}
	for _, n := range []parse.Node{root.Get("data"), root.Get("results"), root.Get("services"), root.Get("hits"), root.Get("items")} {
		if n.Kind() == parse.Array {
			return n, true
		}
	}
	return list, false
}

// read reads the hits of an answer in their order.
func (r *SearchResult) read(data parse.Node) {
	for i, item := range data.Items() {
		if i == maxHits {
			r.note(ruleSearchLimit, data, "%d hits, more than %d: the rest was left out", data.Len(), maxHits)
			return
		}
		hit, err := readHit(item)
		switch {
		case err != nil:
			r.note(ruleSearchTarget, item, "a hit was left out, because it cannot be asked: %v", err)
		case slices.ContainsFunc(r.Hits, func(h Hit) bool { return originOf(h.Target) == originOf(hit.Target) }):
			r.note(ruleSearchDuplicate, item, "a second hit at %s was left out", hit.Target)
		default:
			for i := range hit.Diagnostics {
				hit.Diagnostics[i].Source = r.Registry
			}
			r.Hits = append(r.Hits, hit)
		}
	}
}

// originOf returns a canonical target without its path.
func originOf(target string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(target, "https://"), "/")
	return host
}

func (r *SearchResult) note(rule parse.Rule, at parse.Node, format string, args ...any) {
	r.Diagnostics = append(r.Diagnostics, searchNote(rule, at, format, args...))
	r.Diagnostics[len(r.Diagnostics)-1].Source = r.Registry
}

func searchNote(rule parse.Rule, at parse.Node, format string, args ...any) wayfind.Diagnostic {
	d := rule.Diagnostic("", "%s", secret.Veil(nil).Show(fmt.Sprintf(format, args...), secret.StoredLines, 0))
	d.Pointer = at.Pointer()
	return d
}

// textOf returns the first of the members that is a string.
func textOf(n parse.Node, members ...string) string {
	for _, m := range members {
		if text, ok := n.Get(m).Str(); ok {
			return text
		}
	}
	return ""
}

// readHit reads one hit: the service is a member of it, or the hit itself. The error is the reason
// why it is no target.
func readHit(item parse.Node) (Hit, error) {
	service := item.Get("service")
	if service.Kind() != parse.Object {
		service = item
	}
	name := textOf(service, "domain", "base_url", "origin", "url")
	if name == "" {
		return Hit{}, errors.New("it names no domain")
	}
	target, _, err := resolve.ParseTarget(name)
	if err != nil {
		return Hit{}, err
	}
	if len(secret.Find("", target.String())) > 0 {
		return Hit{}, errors.New("a secret stands in its URL")
	}
	w := &reading.Words{}
	words := func(n parse.Node, names ...string) string { return w.Text(textOf(n, names...), names[0]) }
	h := Hit{
		Target: target.String(), Name: words(service, "name", "title"), Description: words(service, "description", "summary"),
		Category: words(service, "category"), AuthType: words(service, "auth_type"),
		PricingType: words(service, "pricing_type"), TrustLevel: words(service, "trust_level"),
	}
	h.Verified, _ = service.Get("verified").Bool()
	if score, ok := item.Get("score").Float(); ok {
		h.Score = &score
	}
	capabilities := cmp.Or(item.Get("matching_capabilities"), service.Get("matching_capabilities"), service.Get("capabilities"))
	for i, c := range capabilities.Items() {
		if i == maxHitCapabilities {
			h.Diagnostics = append(h.Diagnostics, searchNote(ruleSearchLimit, capabilities,
				"%d capabilities, more than %d: the rest was left out", capabilities.Len(), maxHitCapabilities))
			break
		}
		named := HitCapability{Name: words(c, "name", "id"), Description: words(c, "description", "summary")}
		if summary, ok := c.Str(); ok {
			named = HitCapability{Name: w.Text(summary, "name")}
		}
		h.Capabilities = append(h.Capabilities, named)
	}
	h.Suspicious = w.Suspicious()
	for _, d := range w.Diagnostics() {
		d.Pointer = item.Pointer()
		h.Diagnostics = append(h.Diagnostics, d)
	}
	return h, nil
}
