// Package aicatalog reads catalogues of a publisher's offers to agents: AI Catalog 1.0
// (September 2026) and its drafts of April, Agentic Resource Discovery (ARD) 0.9 and
// 0.91, and the MCP Catalog that they replaced.
//
//	f := aicatalog.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: catalogue})
//
// The members of a document determine its dialect:
//
//	""       AI Catalog, and ARD up to 0.9: a specVersion
//	"ard"    ARD 0.91: entries and no specVersion
//	"april"  the drafts of April: mediaType instead of type
//	"mcp"    MCP Catalog: the specVersion "draft"
//
// # How a document is recognised
//
// A document is a catalogue if it has an entry with an identifier and a type. The
// names of the drafts are accepted: urn and id, and mediaType. An empty list is a
// catalogue if the document has a specVersion or is at a place of catalogues. Other
// lists at these places, such as resources, are another format.
//
// # Promises
//
// Each entry is a Document, even if no client follows it. The Document has the
// identifier, media type, publisher, version, tags and digest from the catalogue. The
// host is a service without capabilities. An entry for a skill is a capability that
// consists of a file. An entry for a registry is an interface that searches may use.
//
// Entries whose type or URL names a format that clients read are links, and so are,
// after these, entries whose type is JSON, YAML or missing. The bytes
// behind a link decide which format it is. A value in data (inline, in the drafts) is
// read in place. An entry that has both a URL and data, or neither, is listed and not
// followed.
//
// Trust manifests are never a reason for trust: signatures are listed as unverified or
// unverifiable, and attestations, DIDs and logos are URLs that are not fetched. Sample
// queries, names of capabilities and free metadata are kept as Extensions, as data.
// JSON-LD is not expanded, and no context is fetched. Signatures of a catalogue as a
// whole and JSON-LD in web pages are not read.
package aicatalog

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Paths of catalogues. PathMCP is requested if there is no document at PathCatalog.
const (
	PathARD     = "/.well-known/ard.json"
	PathCatalog = "/.well-known/ai-catalog.json"
	PathMCP     = "/.well-known/mcp/catalog.json"
)

// name is the name of the format.
const name = "aicatalog"

// maxBytes is the largest catalogue that is read. A catalogue may list each component
// of a product.
const maxBytes = 4 << 20

// Dialects.
const (
	dialectARD   = "ard"
	dialectApril = "april"
	dialectMCP   = "mcp"
)

// Sections of the specifications.
const (
	secDiscovery = "Discovery"
	secARD       = "ARD §5.1"
	secMCP       = "MCP Catalog"
	secCatalog   = "Top-Level Structure"
	secVersion   = "Version Handling"
	secHost      = "Host Info"
	secEntry     = "Catalog Entry"
	secDigest    = "Digest"
	secPublisher = "Publisher Object"
	secTrust     = "Trust Manifest"
	secAir       = "ARD §4.2.1"
)

func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "AI Catalog", URL: "https://github.com/Agent-Card/ai-catalog"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "AI Catalog and ARD: lists of agents, servers, APIs and skills, with where they are described",
		Marks: []string{"specVersion", "entries"},
		Locations: []parse.Location{
			{Path: PathARD, Section: secARD, Accept: "application/json, application/ai-catalog+json", Note: "ARD from 0.91 on"},
			{Path: PathCatalog, Section: secDiscovery, Accept: "application/ai-catalog+json, application/json", Note: "AI Catalog, and ARD up to 0.9"},
			{Path: PathMCP, After: PathCatalog, Section: secMCP, Accept: "application/json", Note: "the MCP Catalog that the AI Catalog replaced"},
		},
		Cache:     parse.CachePolicy{Default: time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes},
		PerSource: true,
		Index:     true,
		Match:     match,
		Parse:     parseCatalog,
		Detail:    detail,
		Rules:     rules(),
		Examples:  examples(),
	}
}

// reader reads one catalogue.
type reader struct {
	*parse.Reader
	made *parse.Reading
	// base is the URL of the catalogue, nil if it is not known.
	base *url.URL
	// service is the service of the host.
	service wayfind.Service
	// versions is the number of entries for each identifier. seen contains the pairs
	// of identifier and version that were read.
	versions map[string]int
	seen     map[[2]string]bool
	// open are the links to documents that may be of any format, or of none. They come after the others, so that
	// those get the requests first.
	open []parse.Link
}

func parseCatalog(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONThatFits()
	if err != nil {
		return nil, err
	}
	base := in.FinalURL
	if base == nil {
		base = in.URL
	}
	r := &reader{
		Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: base, versions: map[string]int{}, seen: map[[2]string]bool{},
		made: &parse.Reading{Dialect: dialectOf(root), Authority: wayfind.AuthorityCatalog},
	}
	r.Cut(root)
	r.MediaType(in, root, secDiscovery, "application/ai-catalog+json", "application/json")
	r.version(root)
	r.host(root)
	r.entries(root)
	r.made.Links = append(r.made.Links, r.open...)
	r.finish(root)
	r.made.Diagnostics = r.Diagnostics()
	return r.made, nil
}

// version reads the version of the specification. Readers of version 1 must not guess
// the meaning of other versions.
func (r *reader) version(root parse.Node) {
	if r.made.Dialect == dialectARD {
		return
	}
	r.made.Version = r.Text(root, "specVersion", parse.Must, secCatalog)
	at := root.Get("specVersion")
	major, minor := majorMinor(r.made.Version)
	switch {
	case r.made.Version == "" || r.made.Dialect == dialectMCP:
	case major > 1:
		r.Report(ruleVersion, at, "version %q is not read: its rules may be others", r.made.Version)
		r.made.Unusable = "it is of a version that is not known"
	case minor < 0:
		r.Report(ruleVersion.AsWarning(), at, "version %q is not of the form \"1.0\"", r.made.Version)
	}
	if r.made.Dialect == dialectMCP {
		r.Report(ruleMCP, root, "the MCP Catalog was replaced by the AI Catalog at %s", PathCatalog)
	}
}

// finish adds the service of the host, if the catalogue has any data for it.
func (r *reader) finish(root parse.Node) {
	s := &r.service
	says := false
	for member, value := range r.UnknownMembers(root, "specVersion", "host", "entries") {
		parse.SetExtension(&s.Extensions, member, value)
		says = says || !isEmpty(value)
	}
	if root.Get("host").Kind() != parse.Object && len(s.Capabilities) == 0 && !says {
		return
	}
	if len(s.Sources) == 0 {
		s.Sources = parse.SourcesAt(root)
	}
	r.made.Services = append([]wayfind.Service{*s}, r.made.Services...)
}

// isEmpty reports whether a value has no content.
func isEmpty(n parse.Node) bool {
	switch n.Kind() {
	case parse.Array, parse.Object:
		return n.Len() == 0
	case parse.String:
		text, _ := n.Str()
		return text == ""
	}
	return n.Kind() == parse.Null
}
