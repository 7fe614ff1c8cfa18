package client

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/describe"
	"github.com/wayfindhq/wayfind/internal/discover"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Limits of a search.
const (
	// maxHits bounds the hits of a search: a registry gives no more (Agent
	// Discovery Protocol, /api/discover).
	maxHits = 50
	// maxQuery is the longest query, in code points: a registry cuts the rest.
	maxQuery = 200

	// searchPath is where a registry is asked.
	searchPath = "/api/discover"
	// searchBytes bounds an answer: fifty hits of the largest size that the
	// registry's own checks let in.
	searchBytes = 1 << 20
	// searchLifetime is the lifetime of an answer that states none, as in the
	// protocol's own gateway.
	searchLifetime = 15 * time.Minute
	// maxHitCapabilities bounds the capabilities of one hit.
	maxHitCapabilities = 50
	// maxWords bounds the quotation of a registry's refusal, in code points.
	maxWords = 200
)

// RegistryKind is the protocol of a registry.
type RegistryKind string

// The kinds of registries.
const (
	// RegistryADP has the search of the Agent Discovery Protocol (§6).
	RegistryADP RegistryKind = "adp"
	// RegistryMCP has the API of the MCP registry, version 0.1. Such a registry searches
	// names alone and does not rank: the order of the hits is this library's.
	RegistryMCP RegistryKind = "mcp"
)

// SearchOptions narrow or widen a search. Nil and zero fields are the defaults.
type SearchOptions struct {
	// Limit is the number of hits to ask for; default the registry's own (10),
	// at most 50.
	Limit int
	// Registry is the kind of the registry; default RegistryADP.
	Registry RegistryKind
	// Namespace: the query is a domain, and the hits are the servers whose names are in
	// its namespace ("com.example/shop" of example.com). Only RegistryMCP has names.
	Namespace bool
	// Unverified asks for services as well whose domain the registry has not
	// checked.
	Unverified bool
}

// SearchResult is a registry's answer to a query.
type SearchResult struct {
	// Registry is the URL that was asked.
	Registry string `json:"registry"`
	// Hits in the order of the registry; empty when it finds none.
	Hits []Hit `json:"hits"`
	// Diagnostics about the answer and about hits that were left out.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics"`
	// FreshUntil is when the registry is asked again.
	FreshUntil time.Time `json:"freshUntil"`
}

// Hit is a registry's hint at a domain. It holds the registry's claims, in
// cleaned text, and never enters a Site. Ask the domain itself for its offers:
// Resolve Target.
type Hit struct {
	// Target for Resolve, in canonical form: "https://mailforge.example"; empty for a
	// server that runs on the caller's machine only.
	Target       string          `json:"target"`
	Name         string          `json:"name,omitempty"`
	Description  string          `json:"description,omitempty"`
	Category     string          `json:"category,omitempty"`
	Capabilities []HitCapability `json:"capabilities,omitempty"`
	// AuthType and PricingType are open strings: "api_key", "freemium".
	AuthType    string `json:"authType,omitempty"`
	PricingType string `json:"pricingType,omitempty"`
	// Verified and TrustLevel: the checks that the registry reports. It raises
	// no trust here.
	Verified   bool   `json:"verified,omitempty"`
	TrustLevel string `json:"trustLevel,omitempty"`
	// Suspicious says how its texts address the model that reads them, as that
	// of a wayfind.Capability.
	Suspicious []string `json:"suspicious,omitempty"`
	// Service is what a registry of MCP servers says of one: its addresses, which were
	// not asked, and its packages, which nothing here runs.
	Service *wayfind.Service `json:"service,omitempty"`
	// Deprecated: the registry says so.
	Deprecated bool `json:"deprecated,omitempty"`
	// Score by which the registry orders; nil when it gives none.
	Score *float64 `json:"score,omitempty"`
	// Diagnostics about this hit.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics,omitempty"`
}

// HitCapability is a capability that fits the query.
type HitCapability struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

// Search asks a registry which domains offer something. By default that is a registry of
// the Agent Discovery Protocol (§6, GET /api/discover); SearchWith asks registries of MCP
// servers too. registry is a domain or an https URL, below which the path of the protocol
// stands. The request goes through the same guard and cache as discovery; no domain of the
// answer is contacted.
//
// Hits that cannot be a target of Resolve (IP addresses, private names, http)
// are left out with a diagnostic, and so are further ones of the same origin.
// Nothing found is no error.
//
// Errors are *wayfind.Error: of kind ErrInvalid for a registry that does not
// parse, a query that is empty or longer than 200 characters, a query that the
// registry refuses (with its words) and an answer that is none; else the kinds
// of Resolve, ErrThrottled with NotBefore.
func (c *Client) Search(ctx context.Context, registry, query string) (*SearchResult, error) {
	return c.SearchWith(ctx, registry, query, nil)
}

// SearchWith is Search with options.
func (c *Client) SearchWith(ctx context.Context, registry, query string, opts *SearchOptions) (*SearchResult, error) {
	if c.engine.Closed.Load() {
		return nil, discover.ErrClosed("search")
	}
	target, _, err := resolve.ParseTarget(registry)
	if err != nil {
		return nil, err
	}
	if opts != nil && opts.Registry == RegistryMCP {
		return c.searchServers(ctx, target, query, opts)
	}
	if opts != nil && (opts.Namespace || opts.Registry != "" && opts.Registry != RegistryADP) {
		return nil, invalidOption("a registry of kind %q has no namespaces, or is not known", opts.Registry)
	}
	question, err := searchQuery(query, opts)
	if err != nil {
		return nil, err
	}
	u := target.String() + searchPath + "?" + question
	a, end := c.engine.NewSession(ctx, target.Host(), false)
	defer end()
	o := a.Ask(a.Work, searchCandidate(u, searchBytes, searchLifetime), false)
	traced(ctx)(o.Fact)
	if c.engine.Closed.Load() {
		return nil, discover.ErrClosed("search")
	}
	return found(u, o)
}

// searchQuery is the question to a registry.
func searchQuery(query string, opts *SearchOptions) (string, error) {
	query, err := checkQuery(query, opts)
	if err != nil {
		return "", err
	}
	values := url.Values{"q": {query}}
	if opts != nil && opts.Limit > 0 {
		values.Set("limit", strconv.Itoa(opts.Limit))
	}
	if opts != nil && opts.Unverified {
		values.Set("include_unverified", "true")
	}
	return values.Encode(), nil
}

// checkQuery returns a query that a registry can be asked.
func checkQuery(query string, opts *SearchOptions) (string, error) {
	query = strings.TrimSpace(query)
	switch n := utf8.RuneCountInString(query); {
	case n == 0:
		return "", invalidOption("the query is empty")
	case n > maxQuery:
		return "", invalidOption("the query has %d characters, a registry reads at most %d", n, maxQuery)
	case !utf8.ValidString(query):
		return "", invalidOption("the query is not UTF-8")
	case opts != nil && (opts.Limit < 0 || opts.Limit > maxHits):
		return "", invalidOption("the limit %d is not between 0 and %d", opts.Limit, maxHits)
	}
	return query, nil
}

// searchCandidate makes a candidate of a query. A caller that asks a registry
// agrees to its site.
func searchCandidate(u string, bytes int64, lifetime time.Duration) places.Candidate {
	reader := &parse.Format{Name: "registry", Limits: parse.Limits{Bytes: bytes}, Cache: parse.CachePolicy{Default: lifetime}}
	return places.Candidate{
		URL: u, Formats: []*parse.Format{reader}, Depth: 1, Detail: true, Accept: "application/json",
		Limits: parse.Limits{SameSiteOnly: true}.WithDefaults(),
	}
}

func searchInvalid(u string, code wayfind.Code, format string, args ...any) *wayfind.Error {
	return wayfind.NewError("search", u, code, fmt.Errorf(format, args...))
}

// found reads the answer of a registry.
func found(u string, o *discover.Outcome) (*SearchResult, error) {
	if o.Doc == nil || o.Doc.Input() == nil || !verdict.Readable(o.Probe.Verdict) {
		return nil, searchFailed(u, o)
	}
	root, err := o.Doc.Input().JSON()
	if err != nil {
		_, code := verdict.OfError(err)
		return nil, searchInvalid(u, wayfind.Code(code), "%w", err)
	}
	if success, ok := root.Get("success").Bool(); ok && !success {
		return nil, searchInvalid(u, wayfind.CodeSchema, "the registry refuses%s", registryWords(root))
	}
	data, ok := hitsIn(root)
	if !ok {
		return nil, searchInvalid(u, wayfind.CodeSchema, "data is %v where an array belongs", root.Get("data").Kind())
	}
	r := &SearchResult{Registry: u, Hits: []Hit{}, Diagnostics: slices.Clone(o.Diagnostics), FreshUntil: o.FreshUntil}
	r.read(data)
	if r.Diagnostics == nil {
		r.Diagnostics = []wayfind.Diagnostic{}
	}
	return r, nil
}

// searchFailed is the error of an answer that is none. A 400 is about the query
// and says why, unless only the verdict could be kept.
func searchFailed(u string, o *discover.Outcome) error {
	if o.Probe.Verdict == wayfind.VerdictEndpointLike {
		words := ""
		if o.Doc != nil && o.Doc.Input() != nil {
			if root, err := o.Doc.Input().JSONObject(); err == nil {
				words = registryWords(root)
			}
		}
		return searchInvalid(u, wayfind.CodeStatus, "the registry answers %d%s", o.Probe.Status, words)
	}
	e := describe.Unanswered(o)
	e.Op = "search"
	if o.Probe.Verdict == wayfind.VerdictAbsent {
		e.Code = wayfind.CodeAbsent
	}
	return e
}

// registryWords is a registry's text about its own refusal, quoted, behind a
// colon; "" when it says nothing.
func registryWords(root parse.Node) string {
	words, _ := root.Get("error").Str()
	words, _ = text.Clean(words, false, 0)
	words, _ = secret.Redact("", words)
	if words, _ = text.Clean(words, false, maxWords); words == "" {
		return ""
	}
	return ": " + strconv.Quote(words)
}

// The rules about answers of registries.
var (
	ruleSearchDuplicate = parse.Rule{Code: "search.duplicate", Severity: wayfind.SeverityWarning,
		Means: "The registry lists one domain several times.",
		Mend:  "List each domain once, with all of its capabilities."}
	ruleSearchLimit = parse.Rule{Code: "search.limit", Severity: wayfind.SeverityWarning,
		Means: "The answer of the registry is longer than this program reads.",
		Mend:  "Answer with the best hits only."}
	ruleSearchTarget = parse.Rule{Code: "search.target", Severity: wayfind.SeverityWarning,
		Means: "The registry lists a target that is not a public domain. It cannot be asked.",
		Mend:  "List public domains, not addresses or names of a private network."}
)
