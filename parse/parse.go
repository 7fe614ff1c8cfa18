// Package parse defines a format of discovery documents: the places of its documents
// ([Location]), the test that recognises them ([Claim]) and their content ([Reading]).
//
// A format is a value, not a type: one *[Format] with its functions. They are pure: they read
// one document as an [Input], and they do no I/O, read no clock and keep no state. They return
// only the content of the document. Trust, the safety of texts and the choice between readings
// are decided later, when a client reads the document and merges it with others.
//
// To plug in a format of your own, write a function that returns a *Format and add the value
// to client.Options.Formats, together with formats.All(). Package parsetest checks the laws
// that every format must keep.
package parse

import (
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Format is one discovery format.
type Format struct {
	// Name is the folder, the prefix of diagnostic codes and of keys, and the word after
	// --formats. It has only lower-case letters and digits.
	Name string
	Spec wayfind.SpecRef
	// Title describes the format for people, in one line.
	Title string
	// Locations are requested in their order. Locations without After are requested at once,
	// together with the locations of all other formats.
	Locations []Location
	Cache     CachePolicy
	Limits    Limits
	// PerSource is set if an origin may have several documents of the format. Keys then contain
	// the place: "<format>:<source slug>/<id>" instead of "<format>:<id>".
	PerSource bool
	// Files is set if a document may consist of several, linked by references ({"$ref": URL}). A
	// client requests the documents of the same site, and Parse and Detail get them as one
	// document: see [FilesMember].
	Files bool
	// Index is set if the documents list other documents (a catalogue, a linkset). They have no
	// use by themselves, and Limits.Follow of a client does not count the links between them.
	Index bool
	// Fields are the header fields that the format reads next to any document (Claim.Aside), in
	// canonical form: "Link".
	Fields []string
	// Match returns whether a document is one of this format, and with which certainty. It must be
	// cheap and must not judge by the path alone.
	Match func(*Input) Claim
	// Parse reads a document that Match claimed. An error means that the document is unusable; any
	// lesser fault is a diagnostic. The Reading and everything in it belong to the caller, which
	// cleans it in place: make a new one each time. This applies to Detail too.
	Parse func(*Input) (*Reading, error)
	// Near returns links to documents of the format that may be next to a document of any format:
	// the card of a server whose address the document names, for example. No document promises
	// them, so only a few are requested, and only on the same site. Optional.
	Near func(*Reading) []Link
	// Marks are the parts that every document of the format has, the most telling first: the
	// members of the top-level object or, for a text, its parts in words. If no format claims a
	// document at one of the Locations, the first mark that the document lacks is reported.
	// Optional.
	Marks []string
	// Rules are the rules of the format's diagnostics.
	Rules []Rule
	// Examples are values, as JSON, of the members that the specification requires or recommends,
	// by the name of the member. If members of the same name differ, the key has the name of the
	// enclosing member in front: "pricing.type". A publisher who forgot a member is shown its
	// example.
	Examples map[string]string
	// Detail reads a detail document about one capability. If Subject is empty (client.Parse),
	// it reads the document alone. Nil if the format has no such documents.
	Detail func(*Input, Subject) (*Reading, error)
}

// IsLinked reports whether documents of the format are found by links: it has no location but conventional
// ones.
func (f *Format) IsLinked() bool {
	return !slices.ContainsFunc(f.Locations, func(l Location) bool { return !l.Conventional })
}

// Aside reports whether documents of the format are requested only for the things next to
// other documents: it has a location that is [Location.Aside].
func (f *Format) Aside() bool {
	return slices.ContainsFunc(f.Locations, func(l Location) bool { return l.Aside })
}

// Location is a place where a document of a format may be.
type Location struct {
	// Path is absolute: "/.well-known/agent".
	Path string
	// After names another Path of the same format. This location is requested only after an
	// "absent" (404, 410, 204) there. If After is empty, it is requested at once.
	After string
	// Section is the section of the specification that names the place.
	Section string
	// Note is a note for people, in docs and `wayfind formats`.
	Note string
	// Accept contains the media types to request, as an Accept field value.
	Accept string
	// Base is set if the path is below Target.Base instead of the root. Without a base the
	// location is not requested.
	Base bool
	// Insert is set if a target with a base path has a place of its own: Path with the base path
	// after it (RFC 8414 §3.1, RFC 9728 §3.1). Path alone is then requested after that place, unless
	// a document was found there.
	Insert bool
	// Aside is set if an answer there is not a document of any format. The location is requested
	// only for the things that formats read next to documents (Claim.Aside), and is neither found
	// nor absent.
	Aside bool
	// Unless names formats. The location is requested after all that are requested at once, and
	// only if none of these formats has read a document.
	Unless []string
	// Conventional is set if publishers use the place although no specification names it. A document
	// there that no document links to has [wayfind.AuthorityConventional], and a robots.txt that
	// forbids the place is obeyed in each mode but RobotsIgnore.
	Conventional bool
	// Beside is set if the location is requested only after another document of the site was found.
	Beside bool
}

// CachePolicy holds a format's rules for caching its documents. Zero fields mean that the
// rules of HTTP apply.
type CachePolicy struct {
	// Default is the freshness lifetime of a document whose response does not have one. With 0 it
	// is a tenth of the time since Last-Modified (RFC 9111 §4.2.2), 24 hours at most.
	Default time.Duration
	// Negative is the lifetime of an "absent", regardless of the headers.
	Negative time.Duration
	// Max is the longest lifetime of a response; 0 means no limit.
	Max time.Duration
	// Floor is the shortest time between two requests for the format's documents, regardless of
	// the headers.
	Floor time.Duration
	// Section is the section of the specification with these rules.
	Section string
}

// Limits bound a format's documents. Zero fields mean the defaults.
type Limits struct {
	// Bytes is the size of the decoded body; default 256 KiB.
	Bytes int64
	// Items is the number of capabilities that are read; default 1,000.
	Items int
	// Redirects is the number of redirects to follow; default 5, -1 for none.
	Redirects int
	// SameSiteOnly refuses redirects to another registrable domain.
	SameSiteOnly bool
	// Truncate is set if only the first Bytes of a longer body are read. Otherwise such a body is
	// too large.
	Truncate bool
}

// Defaults of Limits.
const (
	DefaultBytes     = 256 << 10
	DefaultItems     = 1000
	defaultRedirects = 5
)

// WithDefaults returns the limits with the zero fields set to their defaults, and a negative
// Redirects set to 0.
func (l Limits) WithDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Items == 0 {
		l.Items = DefaultItems
	}
	switch {
	case l.Redirects == 0:
		l.Redirects = defaultRedirects
	case l.Redirects < 0:
		l.Redirects = 0
	}
	return l
}

// Level is the certainty of a format that a document is its own.
type Level int

// The levels.
const (
	// None: the document is not of this format.
	None Level = iota
	// Likely: the document is of this format unless another format is certain. Detail
	// documents are Likely with the dialect [DialectDetail]: they are of no use during discovery.
	Likely
	// Exact: the document is of this format. Several formats may be exact about one document.
	Exact
)

// DialectDetail is the dialect of a detail document.
const DialectDetail = "detail"

// Claim is the result of Format.Match.
type Claim struct {
	Level   Level
	Dialect string
	// Negative is set if the document declares that the site does not support the format.
	Negative bool
	// Aside is set if the format reads things next to a document, such as header fields or the
	// head of a page, for documents of any kind and any format. Level is None. The reading
	// contributes Links, Documents and Policies; the rest of it is ignored, and it decides neither
	// the verdict nor whether there is something to use. If the status of an answer is not 200 or
	// 203, the Input has no Body.
	Aside bool
	// Other is set for a known kind of document that no format here reads. The probe's verdict is
	// then other_format and Dialect names the kind. Level is None.
	Other bool
	// Why is the reason, for Other, why the document is not of the format that its place is for: a
	// sentence without foreign text. It is reported as "document.foreign".
	Why string `json:",omitempty"`
}

// Reading is the content that a format found in a document. Formats fill in facts only: trust,
// source metadata, cleaning and merged keys are added by the client.
type Reading struct {
	Dialect string
	// Version is the version of the format, as written.
	Version string
	// Services contains the services with their Interfaces and Capabilities. Service.ID may be
	// empty for the single service of a document. Capability.ID is required; resolve sets
	// Capability.Key.
	Services  []wayfind.Service
	Policies  []wayfind.Policy
	Documents []wayfind.Document
	// Domain is the host that the document describes, as the document itself declares. It is empty
	// if the document does not declare one. A document about another site is trusted like one that
	// came from there.
	Domain string
	// Authorities are the hosts that the document names as owners of the names in it, each once. A
	// host under a public suffix proves nothing, which is reported.
	Authorities []string `json:",omitempty"`
	// Authority defaults to native.
	Authority   wayfind.Authority
	Confidence  *float64
	Diagnostics []wayfind.Diagnostic
	// Signatures are the signatures that the document carries, unverified.
	Signatures []wayfind.Signature
	// Signed are the parts of Signatures that a checker needs, one for each, in documents whose
	// signatures the client can check: Agent Cards. Nil otherwise.
	Signed []SignedPart
	// Links lead to more documents.
	Links []Link
	// Inline are documents of any format embedded in this one. They are read in place. Pointers
	// and URLs are relative to this document.
	Inline []Inline
	// Unusable is the reason why the document cannot be used, although it could be read: the
	// verdict is then malformed. Empty means usable.
	Unusable string
}

// Inline is a document inside another one.
type Inline struct {
	// Value is the document.
	Value Node
	// SHA256 is the digest that the outer document states for it (RFC 8785), in hexadecimal. A
	// document with another digest is not read.
	SHA256 string
}

// MaxIndexes bounds the documents of formats with Index that lead to each other, or are
// embedded in each other.
const MaxIndexes = 3

// SignedPart is one signature as written in a document (RFC 7515 §7.2.2), in base64url and not
// decoded.
type SignedPart struct {
	Protected, Signature string
}

// Link is a document that another one points to.
type Link struct {
	// URLs are alternatives: the next is requested if the previous one returns 404.
	URLs []string `clean:"url"`
	// Role is its kind, an open string: "detail", "openapi" …
	Role string
	// Format is the format that should read the document; if empty, all formats are tried.
	Format string
	// Subject is the ID of the capability or service that the document is about.
	Subject string
	// Version is the version that the document must have (Reading.Version); empty if the link
	// names none. A document of another version is not used.
	Version string `json:",omitempty"`
	// Placed is set if the linking document declares the place of the API. A description that does
	// not declare it, and would be taken to be at its own place, is not used.
	Placed bool `json:",omitempty"`
	// SHA256 is the digest that the linking document states for the bytes, in lower-case
	// hexadecimal. A document with other bytes is not read.
	SHA256 string
	// Lazy links are not followed during discovery, only by Describe.
	Lazy bool
	// Auth is set if the linking document also describes the authentication at the linked one.
	Auth bool
	// Page is set if the linked document is the next page of the linking one. Pages are not counted as
	// links in a row, but at most twenty follow the first.
	Page bool `json:",omitempty"`
}

// Subject is the subject of a detail document. The zero value means that there is no other
// document.
type Subject struct {
	// Service and Capability are the values in the Site; they are read-only.
	Service    *wayfind.Service
	Capability *wayfind.Capability
}
