package mcpserver

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/resolve"
)

// grants are the agreements of the person who starts the server.
type grants struct {
	named    []string // targets, each an origin and a path
	names    []string // exact names of tools, which name their domain or the only one
	short    []string // exact names of tools without a domain, if there are several domains
	patterns []string // patterns of names of tools
	open     []string // patterns of domains
	hosts    []string // hosts whose annotations are trusted

	mu    sync.Mutex
	read  map[string]bool   // targets whose tools were bound
	whole bool              // the tools with short names were bound
	bound map[string]string // digests of the definitions of tools that a name allows
}

// newGrants reads the grants of options.
func newGrants(o *Options) (*grants, error) {
	if len(o.Allow) > 0 && len(o.Domains) == 0 {
		return nil, errors.New("mcpserver: Allow is for tools of Domains, and there are none")
	}
	g := &grants{read: make(map[string]bool), bound: make(map[string]string), open: slices.Clone(o.Open), hosts: slices.Clone(o.TrustAnnotations)}
	for _, domain := range o.Domains {
		g.named = append(g.named, targetsOf(domain)...)
	}
	for _, name := range o.Allow {
		isChosen := slices.ContainsFunc(o.OperationNames, func(chosen tools.OperationName) bool { return chosen.Name == name })
		switch {
		case strings.Contains(name, "*"):
			g.patterns = append(g.patterns, name)
		case len(o.Domains) > 1 && isPlain(name) && !isChosen:
			g.short = append(g.short, name)
		default:
			g.names = append(g.names, name)
		}
	}
	for _, pattern := range slices.Concat(g.patterns, g.open) {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("mcpserver: %q is no pattern", pattern)
		}
	}
	return g, nil
}

// targetsOf returns what the tools of a domain are of: its URL, or the directory that the URL is. A server
// under development is named by its URL already.
func targetsOf(domain string) []string {
	if target, _, err := resolve.ParseTarget(domain); err == nil {
		if strings.Contains(target.Tail, "?") { // its directory was not named
			return []string{target.Shown().URL()}
		}
		return []string{target.URL(), target.Directory().URL()}
	}
	plain := strings.TrimPrefix(domain, resolve.ServerPrefix)
	return []string{plain, strings.TrimSuffix(plain, "/")}
}

// isNamed reports whether a tool is from a domain that the server has from the start.
func (g *grants) isNamed(t *tools.Tool) bool {
	return slices.Contains(g.named, secret.Message{}.URL(t.Origin+t.Base))
}

// bind records the definitions of the tools that exact names allow when their domain is first read.
// Until then, definitions from a store are used. A short name waits until all domains are read, which
// whole reports: a domain that is missing may have a tool with that name, too. live are the targets
// that were read. old are the names that hosts may have saved.
func (g *grants) bind(box *tools.Box, old saved, live []string, whole bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var now []string
	for _, t := range box.Tools() {
		target := t.Origin + t.Base
		if !g.isNamed(&t) {
			continue
		}
		isFirst := !g.read[target]
		if isFirst && slices.Contains(live, target) {
			now = append(now, target)
		}
		byShort := whole && !g.whole && names(g.short, &t, old) && !g.isShared(box, &t)
		if !byShort && !(isFirst && names(g.names, &t, old)) {
			continue
		}
		if digest, err := digestOf(box, t.Name); err == nil {
			g.bound[subject(&t)] = digest
		}
	}
	for _, target := range now {
		g.read[target] = true
	}
	g.whole = g.whole || whole
}

// isShared reports whether another named domain has a tool with the plain name of a tool. It can have got the
// name from a store in which the other one was missing.
func (g *grants) isShared(box *tools.Box, t *tools.Tool) bool {
	return slices.ContainsFunc(box.Tools(), func(other tools.Tool) bool {
		_, bare, _ := strings.Cut(other.Name, separator)
		return strings.EqualFold(bare, t.Name) && subject(&other) != subject(t) && g.isNamed(&other)
	})
}

// calls reports whether an exact name in the options is a name of a tool.
func (g *grants) calls(t *tools.Tool, old saved) bool {
	return names(g.names, t, old) || names(g.short, t, old)
}

// names reports whether one of the names is a name of a tool.
func names(list []string, t *tools.Tool, old saved) bool {
	return slices.ContainsFunc(list, func(name string) bool { return old.plain(name) == t.Name })
}

// waits reports whether a short name in the options could be that of a tool when all domains are read.
func (g *grants) waits(t *tools.Tool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, bare, _ := strings.Cut(t.Name, separator)
	return !g.whole && g.isNamed(t) && (slices.Contains(g.short, bare) || slices.Contains(g.short, t.Name))
}

// subject returns an identifier of a tool that does not depend on its name.
func subject(t *tools.Tool) string { return tools.NameKey(t.Origin+t.Base, t.Key) }

// digestOf returns the digest of the whole definition of a tool.
func digestOf(box *tools.Box, name string) (string, error) {
	t, err := box.Tool(name)
	if err != nil {
		return "", err
	}
	return t.Digest()
}

// allows reports whether an exact name allows the calls of a tool as it is defined now.
func (g *grants) allows(t *tools.Tool) bool {
	g.mu.Lock()
	bound, ok := g.bound[subject(t)]
	g.mu.Unlock()
	if !ok {
		return false
	}
	digest, err := t.Digest()
	return err == nil && digest == bound
}

// covers reports whether a pattern allows calls of a tool that change something.
func (g *grants) covers(t *tools.Tool, old saved) bool {
	return g.isNamed(t) && slices.ContainsFunc(old.all(t.Name), func(name string) bool { return matches(g.patterns, name) })
}

// opens reports whether a pattern lets a domain be opened.
func (g *grants) opens(domain string) bool { return matches(g.open, domain) }

// matches reports whether one of the patterns matches a text.
func matches(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, text)
		return ok && err == nil
	})
}

// trusts reports whether the annotations about the effects of a tool are trusted. They are if the
// person named its server, and the server itself has declared them. A document of another site that
// refers to the server proves nothing.
func (g *grants) trusts(t *tools.Tool) bool {
	c := t.Capability
	if c == nil || c.Invocation == nil || c.Invocation.Protocol != protocolMCP || len(t.Sources) == 0 {
		return false
	}
	var places []string
	for i := range t.Service.Interfaces {
		if f := &t.Service.Interfaces[i]; f.Protocol == protocolMCP {
			places = append(places, f.URL)
		}
	}
	if len(places) == 0 {
		return false
	}
	for _, source := range t.Sources {
		places = append(places, source.Source)
	}
	all := func(holds func(place string) bool) bool {
		return !slices.ContainsFunc(places, func(place string) bool { return !holds(place) })
	}
	return g.isNamed(t) && all(func(place string) bool { return within(place, t.Origin+t.Base) }) ||
		slices.ContainsFunc(g.hosts, func(host string) bool { return all(func(place string) bool { return isOn(place, host) }) })
}

// protocolMCP is the protocol whose servers annotate their tools.
const protocolMCP = "mcp"

// within reports whether a URL is a target or below it.
func within(place, target string) bool {
	rest, ok := strings.CutPrefix(place, target)
	return ok && (rest == "" || rest[0] == '/')
}

// isOn reports whether a URL is on a host, which has a port if the URL has one.
func isOn(place, host string) bool {
	u, err := url.Parse(place)
	return err == nil && host != "" && strings.EqualFold(u.Host, host)
}

// consent returns the decision on a call that needs the agreement of a person:
//
//	                     | changes                                    | once, or asked each time
//	allowed              | run, by a name or a pattern                | run, by a name
//	with elicitation     | asked, and asked no more for the session   | asked each time
//	without              | refused                                    | refused
//	without, host asks   | run by its own name, else refused          | refused
func (a *attempt) consent(q *call.Question) call.Decision {
	switch light := isLight(q); {
	case !slices.Contains(q.Reasons, call.ReasonLost) && a.grants.allows(a.tool), light && a.grants.covers(a.tool, *a.names()):
		return call.Run
	case elicits(a.req.ClientCapabilities()):
		return q.Decision
	case light && a.own && a.opts.HostConfirms:
		return call.Run
	}
	return call.Refuse
}

// isLight reports whether one agreement of a person may cover several calls like this one.
func isLight(q *call.Question) bool { return q.Effect == call.Changes && q.Decision != call.AskEach }

// unasked returns the reason why no person can be asked about a call, and the flags that allow it, or "".
func (a *attempt) unasked(q *call.Question) (why, flags string) {
	why, flags = "the host cannot ask one", "--allow "+a.tool.Name
	switch {
	case slices.Contains(q.Reasons, call.ReasonLost):
		return why, "" // no flag allows a second try
	case a.grants.waits(a.tool):
		return "--allow with a name of no domain waits until all domains have answered", flags
	case a.grants.calls(a.tool, *a.names()):
		why = "the tool is not defined as it was when the server started with --allow"
		if !a.grants.isNamed(a.tool) {
			why, flags = "--allow covers only the domains that the server starts with", "--domain "+a.tool.Domain+" "+flags
		}
	}
	switch {
	case !isLight(q):
		return why, flags
	case !a.opts.HostConfirms:
		flags += ", or with --confirm host if the host itself asks before each call"
	case !a.own:
		why += "; a host that calls the tool by its own name, if it is listed, asks the user itself"
	}
	if host := a.annotated(q); host != "" {
		flags += ", or with --trust-annotations " + host + " if the user trusts that server to know which of its tools only read"
	}
	return why, flags
}

// annotated returns the host of the MCP server that annotates a tool as read-only, or "" if none
// does.
func (a *attempt) annotated(q *call.Question) string {
	if c := a.tool.Capability; q.Request == nil || c == nil || c.Invocation == nil || c.Invocation.Protocol != protocolMCP || !slices.Contains(q.Reasons, call.ReasonSaysReadOnly) {
		return ""
	}
	u, err := url.Parse(q.Request.URL)
	if err != nil {
		return ""
	}
	return u.Host
}
