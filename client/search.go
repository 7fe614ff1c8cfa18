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
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Limits of a search.
const (
	// maxHits bounds the hits of a search: a registry returns no more (Agent Discovery Protocol,
	// /api/discover).
	maxHits = 50
	// maxQuery is the longest query, in code points: a registry ignores the rest.
	maxQuery = 200

	// searchPath is the path of a registry's search.
	searchPath = "/api/discover"
	// searchBytes bounds an answer: fifty hits of the largest size that the registry's own checks
	// accept.
	searchBytes = 1 << 20
	// searchLifetime is the lifetime of an answer that does not state one, as in the protocol's own
	// gateway.
	searchLifetime = 15 * time.Minute
	// maxHitCapabilities is the maximum number of capabilities of one hit.
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
	// RegistryMCP has the API of the MCP registry, version 0.1. Such a registry searches only names
	// and does not rank; this library orders the hits.
	RegistryMCP RegistryKind = "mcp"
)

// SearchOptions configures a search. If it is nil or a field is zero, the default applies.
type SearchOptions struct {
	// Limit is the number of hits to ask for, at most 50; default the registry's own limit (10).
	Limit int
	// Registry is the kind of the registry; default RegistryADP.
	Registry RegistryKind
	// Namespace means that the query is a domain, and the hits are the servers whose names are in
	// its namespace ("com.example/shop" for example.com). Only RegistryMCP has names.
	Namespace bool
	// Unverified includes services whose domain the registry has not checked.
	Unverified bool
}

// SearchResult is a registry's answer to a query.
type SearchResult struct {
	// Registry is the URL that was asked.
	Registry string `json:"registry"`
	// Hits are in the order of the registry; empty if it finds no hit.
	Hits []Hit `json:"hits"`
	// Diagnostics are about the answer and about hits that were left out.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics"`
	// FreshUntil is the time at which the registry is asked again.
	FreshUntil time.Time `json:"freshUntil"`
}

// Hit is a registry's hint at a domain. It contains the registry's claims, in cleaned text, and
// never enters a Site. To learn the offers of the domain itself, Resolve the Target.
type Hit struct {
	// Target is the target for Resolve, in canonical form: "https://mailforge.example". It is empty
	// for a server that runs only on the caller's machine.
	Target       string          `json:"target"`
	Name         string          `json:"name,omitempty"`
	Description  string          `json:"description,omitempty"`
	Category     string          `json:"category,omitempty"`
	Capabilities []HitCapability `json:"capabilities,omitempty"`
	// AuthType and PricingType are open strings, for example "api_key" and "freemium".
	AuthType    string `json:"authType,omitempty"`
	PricingType string `json:"pricingType,omitempty"`
	// Verified and TrustLevel are the checks that the registry reports. They raise no trust here.
	Verified   bool   `json:"verified,omitempty"`
	TrustLevel string `json:"trustLevel,omitempty"`
	// Suspicious lists the ways in which the texts address the model that reads them, as in
	// wayfind.Capability.
	Suspicious []string `json:"suspicious,omitempty"`
	// Service is the description of a server in a registry of MCP servers. Its addresses were not
	// asked, and its packages are never run.
	Service *wayfind.Service `json:"service,omitempty"`
	// Deprecated is true if the registry marks the service as deprecated.
	Deprecated bool `json:"deprecated,omitempty"`
	// Score is the value by which the registry orders; nil if it gives no score.
	Score *float64 `json:"score,omitempty"`
	// Diagnostics are about this hit.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics,omitempty"`
}

// HitCapability is a capability that fits the query.
type HitCapability struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

// Search asks a registry which domains offer something. By default the registry has the Agent
// Discovery Protocol (§6, GET /api/discover); SearchWith asks registries of MCP servers as well.
// registry is a domain or an https URL, to which the path of the protocol is appended. The request
// goes through the same guard and cache as discovery. No domain in the answer is contacted.
//
// Hits that cannot be a target of Resolve (IP addresses, private names, http) are left out with a
// diagnostic, and so are further hits of the same origin. It is no error if nothing is found.
//
// Errors are *wayfind.Error. They are of kind ErrInvalid for a registry that does not parse, a
// query that is empty or longer than 200 characters, a query that the registry refuses (with its
// words) and an invalid answer. Otherwise they have the kinds of Resolve, ErrThrottled with
// NotBefore.
func (c *Client) Search(ctx context.Context, registry, query string) (*SearchResult, error) {
	return c.SearchWith(ctx, registry, query, nil)
}

// SearchWith is Search with options.
func (c *Client) SearchWith(ctx context.Context, registry, query string, opts *SearchOptions) (*SearchResult, error) {
	leave, err := c.enter("search")
	if err != nil {
		return nil, err
	}
	defer leave()
	target, _, err := resolve.ParseTargetFor(registry, &c.engine.Opts.Policy)
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
	u := target.Directory().URL() + searchPath + "?" + question
	a, end := c.engine.NewSession(ctx, target.Host(), false)
	defer end()
	o := a.Ask(a.Work, searchCandidate(u, searchBytes, searchLifetime), false)
	traced(ctx)(o.Fact)
	if c.engine.Closed.Load() {
		return nil, discover.ErrClosed("search")
	}
	return found(u, o)
}

// searchQuery returns the encoded query of a request to a registry.
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

// checkQuery returns the trimmed query, or an error if a registry cannot be asked with it.
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

// searchCandidate makes a candidate of a query. A caller that asks a registry agrees to its site.
func searchCandidate(u string, bytes int64, lifetime time.Duration) *places.Candidate {
	reader := &parse.Format{Name: "registry", Limits: parse.Limits{Bytes: bytes}, Cache: parse.CachePolicy{Default: lifetime}}
	return &places.Candidate{
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

// searchFailed returns the error of an unusable answer. A 400 is about the query, and its body
// contains the reason, unless only the verdict could be kept.
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

// registryWords returns a registry's text about its own refusal, quoted, after a colon; "" if there
// is no text.
func registryWords(root parse.Node) string {
	words, _ := root.Get("error").Str()
	if words = secret.Veil(nil).Show(words, secret.StoredLine, maxWords); words == "" {
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
