package client

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/rank"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// Limits of a search in a registry of MCP servers.
const (
	// maxServerPages bounds the requests of one search, each for serverPage entries, and
	// maxServerBytes the bytes of all answers.
	maxServerPages = 5
	serverPage     = "100"
	maxServerBytes = 4 << 20
	// maxServerWords bounds the words of a query that are searched, each by itself, because a
	// registry compares a whole text with names.
	maxServerWords = 3
	// defaultServers is the number of hits if there is no Limit.
	defaultServers = 10
	// serverLifetime is the shortest time between two requests that a registry wants.
	serverLifetime = time.Hour

	serversVersion = "/v0.1"
	serversPath    = "/servers"
	// officialMeta is the member with the status of an entry in the registry.
	officialMeta = "io.modelcontextprotocol.registry/official"
	// serverFormat is the format of an entry.
	serverFormat = "mcp"
)

var (
	ruleSearchPublisher = parse.Rule{Code: "search.publisher_mismatch", Severity: wayfind.SeverityWarning,
		Means: "The name of a server belongs to one domain, and its endpoint is on another one.",
		Mend:  "Publish the server under a name of the domain that serves it."}
	ruleSearchEntry = parse.Rule{Code: "search.entry", Severity: wayfind.SeverityWarning,
		Means: "An entry of the registry is no description of a server. It was left out.",
		Mend:  "List entries with a `server` that has a `name`."}
)

// serverSearch is one search in a registry of MCP servers.
type serverSearch struct {
	client  *Client
	session *discover.Session
	base    string
	// domain is the domain whose namespace is searched; "" for any.
	domain string
	open   bool // anyone can have a name below domain
	result *SearchResult
	pages  int
	bytes  int
	seen   map[string]bool
	texts  []rank.Entry
}

// searchServers asks a registry of MCP servers. If the query has a slash, it is a name, and the
// server is requested by that name. Otherwise each word is searched by itself, because registries
// compare texts only with names.
func (c *Client) searchServers(ctx context.Context, target resolve.Target, query string, opts *SearchOptions) (*SearchResult, error) {
	query, err := checkQuery(query, opts)
	if err != nil {
		return nil, err
	}
	base := target.Directory().URL()
	if !strings.HasSuffix(base, serversVersion) && !strings.HasSuffix(base, "/v0") {
		base += serversVersion
	}
	s := &serverSearch{client: c, base: base + serversPath, seen: map[string]bool{},
		result: &SearchResult{Registry: base + serversPath, Hits: []Hit{}, Diagnostics: []wayfind.Diagnostic{}}}
	questions := strings.Fields(strings.ToLower(query))
	questions = questions[:min(len(questions), maxServerWords)]
	if opts.Namespace {
		if questions, err = s.namespaceOf(query); err != nil {
			return nil, err
		}
	}
	a, end := c.engine.NewSession(ctx, target.Host(), false)
	defer end()
	s.session = a
	if strings.Contains(query, "/") && !opts.Namespace {
		err = s.named(ctx, query)
	} else {
		err = s.list(ctx, questions)
	}
	if err != nil {
		return nil, err
	}
	s.rank(query, cmp.Or(opts.Limit, defaultServers))
	return s.result, nil
}

// namespaceOf treats the query as a domain. The names in its namespace begin with its labels in
// reverse order.
func (s *serverSearch) namespaceOf(query string) (questions []string, err error) {
	target, _, err := resolve.ParseTarget(query)
	if err != nil {
		return nil, err
	}
	s.domain = target.Host()
	_, registrable := s.client.engine.Opts.Policy.SuffixList.RegistrableDomain(s.domain)
	s.open = !registrable
	return []string{reversed(s.domain)}, nil
}

func reversed(domain string) string {
	labels := strings.Split(domain, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// accounts is the prefix of namespaces that belong to accounts of a host, not to a domain.
const accounts = "io.github."

// namespace returns the domain whose owner may use a name according to the registry; "" if there is
// no such domain.
func namespace(name string) string {
	space, _, ok := strings.Cut(strings.ToLower(name), "/")
	if !ok || strings.HasPrefix(space, accounts) {
		return ""
	}
	return reversed(space)
}

// isBelow reports whether a host is a domain or below it.
func isBelow(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// named requests one server by its name. A registry without it returns 404.
func (s *serverSearch) named(ctx context.Context, name string) error {
	root, err := s.page(ctx, s.base+"/"+url.PathEscape(name)+"/versions/latest")
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Code == wayfind.CodeAbsent {
		return nil
	}
	if err != nil {
		return err
	}
	s.entry(ctx, root)
	return nil
}

// list requests all pages for each question.
func (s *serverSearch) list(ctx context.Context, questions []string) error {
	for _, question := range questions {
		cursor := ""
		for first := true; first || cursor != ""; first = false {
			if s.pages == maxServerPages || s.bytes >= maxServerBytes {
				s.result.Diagnostics = append(s.result.Diagnostics, searchNote(ruleSearchLimit, parse.Node{}, "the registry has more than %d pages: the rest was left out", s.pages))
				return nil
			}
			values := url.Values{"search": {question}, "version": {"latest"}, "limit": {serverPage}}
			if cursor != "" {
				values.Set("cursor", cursor)
			}
			root, err := s.page(ctx, s.base+"?"+values.Encode())
			if err != nil {
				return err
			}
			list := root.Get("servers")
			if list.Kind() != parse.Array && list.Kind() != parse.Null {
				return searchInvalid(s.base, wayfind.CodeSchema, "servers is %v where an array belongs", list.Kind())
			}
			for _, item := range list.Items() {
				s.entry(ctx, item)
			}
			next, _ := root.Get("metadata").Get("nextCursor").Str()
			if next == cursor {
				break
			}
			cursor = next
		}
	}
	return nil
}

// page requests one document of the registry.
func (s *serverSearch) page(ctx context.Context, u string) (root parse.Node, err error) {
	s.pages++
	o := s.session.Ask(s.session.Work, searchCandidate(u, maxServerBytes, serverLifetime), false)
	traced(ctx)(o.Fact)
	switch {
	case s.client.engine.Closed.Load():
		return root, discover.ErrClosed("search")
	case o.Doc == nil || o.Doc.Input() == nil || !verdict.Readable(o.Probe.Verdict):
		return root, searchFailed(u, o)
	}
	root, err = o.Doc.Input().JSONObject()
	if err != nil {
		_, code := verdict.OfError(err)
		return root, searchInvalid(u, wayfind.Code(code), "%w", err)
	}
	s.bytes += len(o.Doc.Input().Body)
	s.result.Diagnostics = append(s.result.Diagnostics, o.Diagnostics...)
	if s.pages == 1 || o.FreshUntil.Before(s.result.FreshUntil) {
		s.result.FreshUntil = o.FreshUntil
	}
	return root, nil
}

// entry reads one entry. Only the latest version that is not deleted is used. If a domain is
// searched, only names in its namespace are used.
func (s *serverSearch) entry(ctx context.Context, item parse.Node) {
	server := item.Get("server")
	if server.Kind() != parse.Object {
		server = item
	}
	name, _ := server.Get("name").Str()
	if name == "" {
		s.result.note(ruleSearchEntry, item, "an entry was left out: it has no name")
		return
	}
	official := item.Get("_meta").Get(officialMeta)
	status := cmp.Or(textOf(official, "status"), textOf(server, "status"))
	latest, said := official.Get("isLatest").Bool()
	space := namespace(name)
	if status == "deleted" || said && !latest || s.seen[name] || s.domain != "" && space != s.domain && (s.open || !isBelow(space, s.domain)) {
		return
	}
	s.seen[name] = true
	hit, err := s.hit(ctx, name, server, space)
	if err != nil {
		s.result.note(ruleSearchTarget, item, "a hit was left out, because it cannot be used: %v", err)
		return
	}
	hit.Deprecated = status == "deprecated"
	s.result.Hits = append(s.result.Hits, hit)
	s.texts = append(s.texts, rank.Entry{Name: name, Text: [rank.Fields]string{rank.Name: name + " " + hit.Service.Name, rank.Description: hit.Description}})
}

// hit reads the description of a server as its format reads it elsewhere.
func (s *serverSearch) hit(ctx context.Context, name string, server parse.Node, space string) (Hit, error) {
	at := s.base + "/" + url.PathEscape(name) + "/versions/latest"
	r, err := Parse(ctx, server.Raw(), &ParseOptions{URL: at, Format: serverFormat, Formats: formats.All()})
	if err != nil {
		return Hit{}, err
	}
	if len(r.Site.Services) != 1 {
		return Hit{}, errors.New("it describes no server")
	}
	service := r.Site.Services[0]
	h := Hit{Name: service.Name, Description: service.Description, Service: &service, Suspicious: service.Suspicious, Diagnostics: r.Diagnostics}
	if space != "" && service.Provider == nil {
		service.Provider = &wayfind.Provider{Identifier: space}
	}
	for _, f := range service.Interfaces {
		u, err := url.Parse(cmp.Or(f.URL, f.Template))
		if err != nil || strings.ContainsAny(u.Host, "{}") {
			continue
		}
		target, _, err := resolve.ParseTarget("https://" + u.Host)
		if err != nil {
			return Hit{}, err
		}
		if h.Target == "" {
			h.Target = target.String()
		}
		if space != "" && !isBelow(u.Hostname(), space) {
			d := searchNote(ruleSearchPublisher, server, "the name belongs to %q, and the endpoint is at %q", space, u.Hostname())
			d.Source = at
			h.Diagnostics = append(h.Diagnostics, d)
		}
	}
	if h.Target == "" && len(service.LocalInstall) == 0 {
		return Hit{}, errors.New("it has neither an address nor a package")
	}
	return h, nil
}

// rank sorts the hits, the best first, and keeps at most most of them. Registries do not rank.
func (s *serverSearch) rank(query string, most int) {
	hits, all := s.result.Hits, make([]Hit, 0, len(s.result.Hits))
	ranked := make([]bool, len(hits))
	for _, found := range rank.New(nil, len(s.texts), func(i int) rank.Entry { return s.texts[i] }).Search(query, len(hits)) {
		ranked[found.Entry] = true
		hit := hits[found.Entry]
		hit.Score = &found.Score
		all = append(all, hit)
	}
	for i, hit := range hits {
		if !ranked[i] {
			all = append(all, hit)
		}
	}
	s.result.Hits = all[:min(len(all), most)]
}
