// Package places decides where to look: [Plan] lists the well-known places of a target, and
// [Follow] the places to which a document links. It does no I/O.
package places

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Candidate is one URL to request, with all formats that claim the place.
type Candidate struct {
	URL string
	// Formats are in order of authority. If a linked document has no formats, all formats are
	// tried.
	Formats []*parse.Format
	// After contains URLs. The candidate is requested after one of them was absent, or at once
	// if After is empty.
	After []string
	// Else is the URL of another place, or empty. The candidate is requested after it, unless a
	// document was found there.
	Else string
	// Accept is the Accept field of the request.
	Accept string
	// Limits are the strictest limits of all formats, but the largest Bytes: the content
	// decides later which format reads it, and with which limit.
	Limits parse.Limits
	// Depth is the number of links that led here, or 0 for well-known places. Links from one
	// index to another are not counted.
	Depth int
	// Indexes is the number of nested indexes that led here.
	Indexes int
	// Pages is the number of pages of the same list before this one.
	Pages int
	// Index is true if the link leads to an index.
	Index bool
	// From is the URL of the document with the link, or empty at depth 0.
	From string
	// Led is true if another site led to that document.
	Led bool
	// Version is the version that the document must have according to the link, or empty.
	Version string
	// SHA256 contains the digests of the content in the links to this URL. All must match.
	SHA256 []string
	// Placed is true if that document names the address of the API.
	Placed bool
	// Auth is true if that document also describes how to authenticate.
	Auth bool
	// Canary is true for a page that cannot exist. It is requested to see the server's answer
	// to any path.
	Canary bool
	// Detail is true for a detail document that Describe requests.
	Detail bool
	// Lifetime is that of an answer which states none, or 0: then Formats determine it.
	Lifetime time.Duration
	// File is true for a document that belongs to another document whose references lead to it.
	File bool
	// parsed is parsedFrom, which is URL unless that has changed.
	parsed     *url.URL
	parsedFrom string
	// names are the names of Formats if they are shared with the candidates of other targets.
	names []string
	// Keys is true for a JWK Set that is used to check signatures. It is not an answer about
	// capabilities.
	Keys bool
	// Live is true for an endpoint that the client has spoken to.
	Live bool
	// Aside is true if the answer is not a document of a format. The place is requested only
	// for links and fields that formats read outside documents.
	Aside bool
	// Page is true if the caller has chosen the URL, so that the head of a page is read.
	Page bool
	// Unless contains names of formats. The candidate is requested after all candidates without
	// After, and only if none of these formats has read a document.
	Unless []string
	// Conventional is true for a place that no specification names: see [parse.Location].
	Conventional bool
	// Beside is true for a place that is requested only after another document was found.
	Beside bool
	// Lead is true for a place that is requested to find the site's own host. A redirect to that host
	// is not followed.
	Lead bool
	// Robots is true for the origin's robots.txt. It is not an answer about capabilities.
	Robots bool
}

// IsChosen reports whether the caller named the URL: as a page, or as an endpoint that no document names.
func (c *Candidate) IsChosen() bool { return c.Page || c.Live && c.From == "" }

// IsOrdinary reports whether a place is a path that an application may use for itself, such as
// "/agents": one that is neither well-known (RFC 8615) nor named for agents alone. An answer there
// without a document says nothing about the domain. What a link leads to, or what the caller chose, is
// not ordinary.
func (c *Candidate) IsOrdinary() bool {
	if c.Depth > 0 || c.Live || c.Page || c.Detail {
		return false
	}
	_, path, _ := strings.Cut(c.URL, "://")
	_, path, _ = strings.Cut(path, "/")
	path, _, _ = strings.Cut(path, "?")
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "agent.json", "agents.md", "llms.txt", "robots.txt":
		return false
	}
	return !strings.HasPrefix(path, ".well-known/") && !strings.Contains(path, "/.well-known/")
}

// MaxBeside is the maximum number of links outside documents, and in robots.txt, that are
// followed for one target.
const MaxBeside = 16

// RobotsFormat is the name of the format whose documents are rules for this client instead of
// offers to agents.
const RobotsFormat = "robots"

// defaultAccept is the Accept field if no format sets one.
const defaultAccept = "application/json, text/markdown;q=0.9, text/plain;q=0.8"

// AnyAccept is the Accept field for a URL that the caller has chosen.
const AnyAccept = "application/json, text/markdown;q=0.9, */*;q=0.8"

// Layout is the plan for all targets without a base path. These plans differ only in their
// origins.
type Layout struct {
	formats []*parse.Format
	plan    []Candidate // its URLs and After are paths
	bytes   int         // the length of all paths
}

// NewLayout returns the layout of formats.
func NewLayout(formats []*parse.Format) *Layout {
	l := &Layout{formats: formats, plan: Plan(resolve.Target{}, formats)}
	for i := range l.plan {
		c := &l.plan[i]
		c.Formats, c.names = slices.Clip(c.Formats), namesOf(c.Formats)
		l.bytes += len(c.URL)
	}
	return l
}

// Plan returns the plan for a target. Its URLs share one text, and its other fields are shared with
// the plans for other targets.
func (l *Layout) Plan(t resolve.Target) []Candidate {
	if t.Base != "" {
		return Plan(t, l.formats)
	}
	var text strings.Builder
	text.Grow(l.bytes + len(l.plan)*len(t.Origin))
	for i := range l.plan {
		text.WriteString(t.Origin)
		text.WriteString(l.plan[i].URL)
	}
	plan, rest := slices.Clone(l.plan), text.String()
	for i := range plan {
		n := len(t.Origin) + len(plan[i].URL)
		plan[i].URL, rest = rest[:n], rest[n:]
	}
	for i := range plan {
		if plan[i].After == nil {
			continue
		}
		after := make([]string, len(plan[i].After))
		for k, path := range plan[i].After {
			after[k] = t.Origin + path
		}
		plan[i].After = after
	}
	return plan
}

// Parse returns the URL, which the caller must not change. It is parsed once.
func (c *Candidate) Parse() (*url.URL, error) {
	if c.parsed != nil && c.parsedFrom == c.URL {
		return c.parsed, nil
	}
	u, err := url.Parse(c.URL)
	if err == nil {
		c.parsed, c.parsedFrom = u, c.URL
	}
	return u, err
}

// Names returns the names of the candidate's formats. The caller must not modify them.
func (c *Candidate) Names() []string {
	if slices.EqualFunc(c.names, c.Formats, func(name string, f *parse.Format) bool { return name == f.Name }) {
		return c.names
	}
	return namesOf(c.Formats)
}

func namesOf(formats []*parse.Format) (names []string) {
	names = slices.Grow(names, len(formats))
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// Plan returns the places to request for a target: one Candidate for each URL, in order of
// authority (the order of formats).
func Plan(t resolve.Target, formats []*parse.Format) []Candidate {
	most := 0
	for _, f := range formats {
		most += len(f.Locations)
	}
	plan, at := make([]Candidate, 0, most), make(map[string]int, most)
	add := func(f *parse.Format, l parse.Location, other string) {
		u := locate(t, l)
		i, ok := at[u]
		if !ok {
			i = len(plan)
			at[u] = i
			plan = append(plan, Candidate{URL: u, Limits: f.Limits.WithDefaults(), Robots: f.Name == RobotsFormat, Aside: l.Aside, Unless: l.Unless, Else: other, Conventional: l.Conventional, Beside: l.Beside})
			if l.After != "" {
				plan[i].After = []string{}
			}
		}
		plan[i].claim(t, f, l)
		if other == "" {
			plan[i].Else = "" // a format requires it at once
		}
	}
	for _, f := range formats {
		for _, l := range f.Locations {
			switch {
			case l.Base && t.Base == "":
			case l.Insert && t.Base != "":
				own := l
				own.Path += t.Base
				add(f, own, "")
				add(f, l, locate(t, own))
			default:
				add(f, l, "")
			}
		}
	}
	for i := range plan {
		if plan[i].Accept == "" {
			plan[i].Accept = defaultAccept
		}
	}
	return plan
}

// claim adds a format and its location to the place.
func (c *Candidate) claim(t resolve.Target, f *parse.Format, l parse.Location) {
	if !slices.Contains(c.Formats, f) {
		c.Formats = append(c.Formats, f)
	}
	c.Limits = strictest(c.Limits, f.Limits.WithDefaults())
	c.Accept = joinAccept(c.Accept, l.Accept)
	c.Aside, c.Conventional, c.Beside = c.Aside && l.Aside, c.Conventional && l.Conventional, c.Beside && l.Beside
	if len(l.Unless) == 0 {
		c.Unless = nil
	}
	switch {
	case l.After == "":
		c.After = nil // a format requires it at once
	case c.After != nil:
		c.After = append(c.After, locate(t, first(f, l)))
	}
}

// first returns the location that must be absent before a fallback is requested.
func first(f *parse.Format, l parse.Location) parse.Location {
	for _, other := range f.Locations {
		if other.Path == l.After && other.Base == l.Base {
			return other
		}
	}
	for _, other := range f.Locations {
		if other.Path == l.After {
			return other
		}
	}
	return parse.Location{Path: l.After, Base: l.Base}
}

// locate returns the URL of a location.
func locate(t resolve.Target, l parse.Location) string {
	if l.Base {
		return t.Origin + t.Base + l.Path
	}
	return t.Origin + l.Path
}

// strictest combines the limits of two formats that claim one place.
func strictest(a, b parse.Limits) parse.Limits {
	return parse.Limits{
		Bytes:        max(a.Bytes, b.Bytes),
		Items:        max(a.Items, b.Items),
		Redirects:    min(a.Redirects, b.Redirects),
		SameSiteOnly: a.SameSiteOnly || b.SameSiteOnly,
		Truncate:     a.Truncate && b.Truncate,
	}
}

// joinAccept adds the media ranges of b that a does not have.
func joinAccept(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	have := strings.Split(a, ", ")
	for r := range strings.SplitSeq(b, ", ") {
		if !slices.Contains(have, r) {
			have = append(have, r)
		}
	}
	return strings.Join(have, ", ")
}

// AcceptOf returns the Accept field for a link to a document of a format. Discovery and
// Describe send the same field, because the answer may vary on it.
func AcceptOf(f *parse.Format) string {
	if len(f.Locations) > 0 && f.Locations[0].Accept != "" {
		return f.Locations[0].Accept
	}
	return "application/json, application/yaml;q=0.9, text/plain;q=0.8"
}

// Alone returns a place that no format claims, so that no format determines the time of the next
// request and the lifetime of an answer. It has the Accept of Plan, because a server may negotiate
// the content.
func Alone(target resolve.Target, formats []*parse.Format, u *url.URL) *Candidate {
	alone := &Candidate{URL: u.String(), Page: true, Accept: AnyAccept, Limits: parse.Limits{}.WithDefaults()}
	plan := Plan(target, formats)
	if i := slices.IndexFunc(plan, func(c Candidate) bool { return c.URL == alone.URL }); i >= 0 {
		alone.Accept, alone.Limits.Truncate = plan[i].Accept, plan[i].Limits.Truncate
	}
	return alone
}
