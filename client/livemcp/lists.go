package livemcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

// list is one of the lists of a server.
type list struct {
	// advertised is the capability that servers with this list advertise.
	advertised string
	method     string
	// member is the member of a result that contains the list.
	member string
}

func allLists() []list {
	return []list{
		{"tools", "tools/list", "tools"},
		{"resources", "resources/list", "resources"},
		{"resources", "resources/templates/list", "resourceTemplates"},
		{"prompts", "prompts/list", "prompts"},
	}
}

// listing holds the lists of a server.
type listing struct {
	capabilities []wayfind.Capability
	diagnostics  []wayfind.Diagnostic
	reader       *parse.Reader
	// digest is the digest of all unchanged entries. It does not include cursors and times,
	// because they change even if nothing else does.
	digest hash.Hash
	// ttl is the shortest time for which a page may be kept; nil if no page states one.
	// private is true if a page is for this caller only.
	ttl     *time.Duration
	private bool
}

// lists reads all lists that the server advertises, each to its end.
func (s *session) lists(ctx context.Context) (*listing, error) {
	l := &listing{reader: parse.NewReader(mcp.Format()), digest: sha256.New()}
	advertised := s.greeting.result.Get("capabilities")
	for _, k := range allLists() {
		if advertised.Get(k.advertised).Kind() != parse.Object {
			continue
		}
		err := s.list(ctx, k, l)
		if no, ok := saysNo(err); ok {
			l.reader.Report(mcp.PartialList().At(""), advertised.Get(k.advertised),
				"the server advertises %s and refuses %s with code %d: %.200q", k.advertised, k.method, no.Code, no.Message)
		} else if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// list reads one list, page by page.
func (s *session) list(ctx context.Context, k list, l *listing) error {
	seen := map[string]bool{}
	var params []rawjson.Member
	for {
		if s.pages++; s.pages > maxPages {
			return s.meter.invalid(wayfind.CodeLimit, "%q: %w", k.method, &wayfind.TooLarge{Of: "pages", Limit: maxPages})
		}
		raw, err := s.call(ctx, k.method, params...)
		if err != nil {
			return err
		}
		page, err := s.page(k, &parse.Input{Body: raw}, l)
		if err != nil {
			return err
		}
		// An empty string is a cursor since mcpera.Modern. Older servers end their lists with it.
		if page.Next == nil || *page.Next == "" && s.about == nil {
			return nil
		}
		if seen[*page.Next] {
			return s.meter.invalid(wayfind.CodeProtocol, "%q: the cursor %.100q came twice", k.method, *page.Next)
		}
		seen[*page.Next] = true
		params = []rawjson.Member{{Name: "cursor", Value: rawjson.Quote(*page.Next)}}
	}
}

// page reads one page into the listing.
func (s *session) page(k list, in *parse.Input, l *listing) (*mcp.Page, error) {
	root, err := s.result(k.method, in)
	if err != nil {
		return nil, err
	}
	entries := root.Get(k.member)
	if s.items += entries.Len(); s.items > maxItems {
		return nil, s.meter.invalid(wayfind.CodeLimit, "%q: %w", k.method, &wayfind.TooLarge{Of: "capabilities", Limit: maxItems})
	}
	page, err := mcp.ReadPage(k.method, in)
	if err != nil {
		return nil, s.meter.invalid(codeOf(err), "result of %q: %w", k.method, err)
	}
	defined := map[string]parse.Node{}
	for _, entry := range entries.Items() {
		l.write(k.method, entry)
		defined[entry.Pointer()] = entry
	}
	for i := range page.Capabilities {
		page.Capabilities[i].Digest = digestOf(page.Capabilities[i], defined)
	}
	l.capabilities = append(l.capabilities, page.Capabilities...)
	l.diagnostics = append(l.diagnostics, page.Diagnostics...)
	l.keep(page.TTL, page.Private)
	return page, nil
}

// digestOf returns the digest of the whole entry from which a capability was made, with all
// members, before it was cleaned.
func digestOf(c wayfind.Capability, defined map[string]parse.Node) string {
	if len(c.Sources) == 0 {
		return ""
	}
	digest, err := cards.Digest(defined[c.Sources[0].Pointer].Raw())
	if err != nil {
		return ""
	}
	return digest
}

// write adds bytes to the digest.
func (l *listing) write(what string, n parse.Node) {
	_, _ = fmt.Fprintf(l.digest, "%s %d\n%s\n", what, len(n.Raw()), n.Raw())
}

// keep records the time for which a page may be kept. The shortest time applies to all pages.
func (l *listing) keep(ttl *time.Duration, private bool) {
	if ttl != nil && (l.ttl == nil || *ttl < *l.ttl) {
		l.ttl = ttl
	}
	l.private = l.private || private
}
