package adp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// capabilities reads the list of capabilities (§2), with a link to the detail document
// of each. Each entry of a wrong type is dropped. Entries beyond the limit are not
// read.
func (r reader) capabilities(root parse.Node, b *base) ([]wayfind.Capability, []parse.Link) {
	entries := r.Objects(root, "capabilities", parse.Must, "§2")
	if limit := parse.DefaultItems; len(entries) > limit {
		r.Report(ruleTruncated.Beyond("capabilities", len(entries), limit), root.Get("capabilities"), "of %d capabilities the first %d were read", len(entries), limit)
		entries = entries[:limit]
	}
	list := make([]wayfind.Capability, 0, len(entries))
	var links []parse.Link
	first := make(map[string]string, len(entries))
	for _, entry := range entries {
		c, ok := r.capability(entry, b)
		if !ok {
			continue
		}
		if pointer, twice := first[c.ID]; twice {
			r.Report(ruleDuplicateName, entry.Get("name"), "the name %q is that of %s", c.ID, pointer)
		} else {
			first[c.ID] = c.Sources[0].Pointer
		}
		if c.DetailURLs != nil {
			links = append(links, parse.Link{
				URLs: slices.Clone(c.DetailURLs), Role: parse.DialectDetail, Format: name, Subject: c.ID, Lazy: true,
			})
		}
		list = append(list, c)
	}
	if slices.ContainsFunc(links, func(l parse.Link) bool { return len(l.URLs) > 1 }) {
		r.Report(ruleBaseURLPath, root.Get("base_url"),
			"base_url has a path; detail URLs are appended to it, and tried without it after a 404")
	}
	return list, links
}

// capability reads one entry. It drops an entry without a name, or with a wrong type
// in a member that the specification requires. The capability is lazy even if the URL
// of its detail document is unknown, because no other document describes the call.
func (r reader) capability(entry parse.Node, b *base) (wayfind.Capability, bool) {
	id := r.String(entry, "name", parse.Must, "§2")
	c := wayfind.Capability{
		ID: id, Name: id, Kind: wayfind.KindOperation, Lazy: true, Claimed: true, Sources: parse.SourcesAt(entry),
		Description: r.String(entry, "description", parse.Must, "§2"),
	}
	detail := r.String(entry, "detail_url", parse.Must, "§7")
	switch n := entry.Get("name"); {
	case id == "" && n.Kind() == parse.String:
		r.Report(ruleNameSyntax, n, "the name is empty; the entry is ignored")
		return c, false
	case id == "" || wrongType(entry.Get("description")) || wrongType(entry.Get("detail_url")):
		return c, false
	case !isSnakeCase(id):
		r.Report(ruleNameSyntax, n, "the name %q is not in snake_case", id)
	}
	if group := r.String(entry, "resource_group", parse.Optional, "§2"); group != "" {
		c.Tags = []string{group}
	}
	c.Extensions = r.Extensions(entry, "name", "description", "detail_url", "resource_group")
	if n := entry.Get("detail_url"); n.Kind() == parse.String {
		var refused bool
		c.DetailURLs, refused = r.detailURLs(n, detail, b)
		if c.DetailURLs == nil && !refused {
			parse.SetExtension(&c.Extensions, "detail_url", n)
		}
	}
	return c, true
}

// isSnakeCase reports whether s begins with a lower-case letter and has only
// lower-case letters, digits and underscores, as the reference validator requires.
func isSnakeCase(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
}

// detailURLs resolves a detail_url and reports its faults. The diagnostics do not
// repeat a refused URL, because it may mislead or contain a password.
func (r reader) detailURLs(n parse.Node, ref string, b *base) (list []string, refused bool) {
	urls, err := b.details(ref)
	switch {
	case err != nil:
		r.Report(ruleDetailURL, n, "detail_url cannot be used: %s", err)
	case strings.HasPrefix(strings.ToLower(ref), "http:"):
		r.Report(ruleDetailURLScheme, n, "detail_url does not start with https://")
	case urlref.ClimbsUp(ref):
		r.Report(ruleDotSegments.At("§2"), n, "detail_url %q leads upwards", ref)
	}
	return urls, err != nil
}
