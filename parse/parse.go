// Package parse defines a format of discovery documents: where they may be
// found ([Location]), how they are recognised ([Claim]) and their content
// ([Reading]).
//
// A format is a value, not a type: one *[Format] with its functions. They are
// pure: they see one document as an [Input] and do no I/O, read no clock and
// keep no state. They state the content of the document. Trust, the safety of
// texts and the winning reading are decided later, when a client reads the
// document and merges it with others.
//
// To plug in a format of your own, write a function that returns a *Format and
// put it into client.Options.Formats, beside formats.All(). Package parsetest
// checks the laws that every format must keep.
package parse

import (
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Format is one discovery format.
type Format struct {
	// Name is the folder, the prefix of diagnostic codes and of keys, and
	// the word after --formats. Lower-case letters and digits.
	Name string
	Spec wayfind.SpecRef
	// Title describes the format for people, in one line.
	Title string
	// Locations are asked in their order. Those without After are asked at
	// once, together with the locations of all other formats.
	Locations []Location
	Cache     CachePolicy
	Limits    Limits
	// PerSource: an origin may have several documents of the format, so keys
	// carry the place: "<format>:<source slug>/<id>" instead of "<format>:<id>".
	PerSource bool
	// Files: a document may consist of several, to which references ({"$ref": URL}) lead.
	// A client asks for the documents of the same site, and Parse and Detail get them as one
	// document: see [FilesMember].
	Files bool
	// Index: its documents list other documents (a catalogue, a linkset). They
	// have no use by themselves, and Limits.Follow of a client does not count
	// the links between them.
	Index bool
	// Fields are the header fields that the format reads beside any document
	// (Claim.Aside), in canonical form: "Link".
	Fields []string
	// Match looks at a document and says whether it is one of this format.
	// It must be cheap and must not judge by the path alone.
	Match func(*Input) Claim
	// Parse reads a document that Match claimed. An error means that the
	// document is unusable; any lesser fault is a diagnostic. The Reading and
	// everything in it belong to the caller, which cleans it in place: make a
	// new one each time. The same holds for Detail.
	Parse func(*Input) (*Reading, error)
	// Near returns links to documents of the format that lie beside what a document of any
	// format names: the card of a server whose address it gives. No document promises them, so
	// only a few are asked for, on the site itself. Optional.
	Near func(*Reading) []Link
	// Marks are what every document of the format has, the most telling first: the
	// members of the top-level object or, for a text, its parts in words. A document
	// at one of the Locations that no format claims is reported with the first mark
	// that it lacks. Optional.
	Marks []string
	// Rules are those of the format's diagnostics.
	Rules []Rule
	// Examples are values, as JSON, of the members that the specification
	// requires or recommends, by the name of the member. Where members of one
	// name differ, the name of the member that they are in stands before it:
	// "pricing.type". A publisher who forgot a member is shown its example.
	Examples map[string]string
	// Detail reads a drill-down document about one capability. With an empty
	// Subject (client.Parse) it reads the document alone. Nil when there are
	// none.
	Detail func(*Input, Subject) (*Reading, error)
}

// Aside reports whether documents of the format are asked for only beside others: it
// has a location that is [Location.Aside].
func (f *Format) Aside() bool {
	return slices.ContainsFunc(f.Locations, func(l Location) bool { return l.Aside })
}

// Location is a place where a document of a format may be.
type Location struct {
	// Path is absolute: "/.well-known/agent".
	Path string
	// After names another Path of the same format: this one is asked only
	// after an "absent" (404, 410, 204) there. Empty: asked at once.
	After string
	// Section of the specification that names the place.
	Section string
	// Note for people, in docs and `wayfind formats`.
	Note string
	// Accept is the media types to ask for, as an Accept field value.
	Accept string
	// Base: the path stands below Target.Base instead of the root. Without a
	// base the location is not asked.
	Base bool
	// Aside: an answer there is a document of no format. It is asked for only
	// for the things that formats read beside documents (Claim.Aside), and
	// counts neither as found nor as absent.
	Aside bool
	// Unless names formats: the location is asked after all those that are asked
	// at once, and only when none of these formats has read a document.
	Unless []string
}

// CachePolicy holds a format's rules for caching its documents. Zero fields
// mean: as HTTP says.
type CachePolicy struct {
	// Default is the freshness lifetime of a document whose response gives
	// none (RFC 9111 §4.2.2 is not used then).
	Default time.Duration
	// Negative is how long an "absent" counts, regardless of the headers.
	Negative time.Duration
	// Max caps the lifetime of a response; 0 does not.
	Max time.Duration
	// Floor is the shortest time between two requests for the format's
	// documents, regardless of the headers.
	Floor time.Duration
	// Section of the specification that says so.
	Section string
}

// Limits bound a format's documents. Zero fields mean the defaults.
type Limits struct {
	// Bytes of the decoded body; default 256 KiB.
	Bytes int64
	// Items is the number of capabilities read; default 1,000.
	Items int
	// Redirects to follow; default 5, -1 none.
	Redirects int
	// SameSiteOnly refuses redirects to another registrable domain.
	SameSiteOnly bool
	// Truncate: of a longer body the first Bytes count. Otherwise it is too
	// large.
	Truncate bool
}

// Defaults of Limits.
const (
	DefaultBytes     = 256 << 10
	DefaultItems     = 1000
	defaultRedirects = 5
)

// WithDefaults returns the limits with zero fields filled in, and a negative
// Redirects as 0.
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
	// None: not ours.
	None Level = iota
	// Likely: ours, if no format is sure. Drill-down documents are Likely with
	// the dialect [DialectDetail]: no use during discovery.
	Likely
	// Exact: ours. Several formats may be exact about one document.
	Exact
)

// DialectDetail is the dialect of a drill-down document.
const DialectDetail = "detail"

// Claim is the answer of Format.Match.
type Claim struct {
	Level   Level
	Dialect string
	// Negative: the document says that the format is not supported.
	Negative bool
	// Aside: the format reads things beside a document, such as header fields
	// or the head of a page, for documents of any kind and any format. Level is
	// None. The reading gives Links, Documents and Policies; anything else in
	// it is ignored, and it decides neither the verdict nor whether there is
	// something to use. Of an answer with another status than 200 and 203 the
	// Input has no Body.
	Aside bool
	// Other: a known kind of document that no format here reads. The probe's
	// verdict is then other_format and Dialect names the kind. Level is None.
	Other bool
	// Why says, beside Other, why the document is not of the format that its
	// place is for: a sentence without foreign text. It is reported as
	// "document.foreign".
	Why string `json:",omitempty"`
}

// Reading is the content that a format found in a document. Formats fill in
// facts only: trust, source metadata, cleaning and merged keys are added by the
// client.
type Reading struct {
	Dialect string
	// Version of the format, as written.
	Version string
	// Services with their Interfaces and Capabilities. Service.ID may be
	// left empty for the single service of a document. Capability.ID is
	// required, Capability.Key is set by resolve.
	Services  []wayfind.Service
	Policies  []wayfind.Policy
	Documents []wayfind.Document
	// Domain is the host that the document says it is about; empty when it
	// does not say. A document about another site is trusted like one that
	// came from there.
	Domain string
	// Authorities are hosts that the document names as owners of the names in it,
	// each once. Under a public suffix they prove nothing, which is reported.
	Authorities []string `json:",omitempty"`
	// Authority defaults to native.
	Authority   wayfind.Authority
	Confidence  *float64
	Diagnostics []wayfind.Diagnostic
	// Signatures that the document carries, unverified.
	Signatures []wayfind.Signature
	// Signed are the pieces of Signatures, one for one, that a checker needs,
	// in documents whose signatures the client knows how to check: Agent
	// Cards. Nil otherwise.
	Signed []SignedPart
	// Links lead to more documents.
	Links []Link
	// Inline are documents that stand inside this one, of any format: they are read
	// in place. Pointers and URLs are those of this document.
	Inline []Inline
	// Unusable says why the document cannot be used, although it could be read:
	// the verdict is then malformed. Empty means usable.
	Unusable string
}

// Inline is a document inside another one.
type Inline struct {
	// Value is the document.
	Value Node
	// SHA256 is the digest that the outer document gives of it (RFC 8785), in
	// hexadecimal. A document with another digest is not read.
	SHA256 string
}

// MaxIndexes bounds the documents of formats with Index that lead to each
// other, or stand inside each other.
const MaxIndexes = 3

// SignedPart is one signature as it stands in a document (RFC 7515 §7.2.2), in
// base64url and not decoded.
type SignedPart struct {
	Protected, Signature string
}

// Link is a document that another one points to.
type Link struct {
	// URLs are alternatives: the next is asked when one answers 404.
	URLs []string `clean:"url"`
	// Role is its kind, an open string: "detail", "openapi" …
	Role string
	// Format that should read it; empty: all are asked.
	Format string
	// Subject is the ID of the capability or service it is about.
	Subject string
	// Version that the document must say it has (Reading.Version), where the link
	// names one. A document of another version is not used.
	Version string `json:",omitempty"`
	// Placed: the linking document says where the API is. A description that does not
	// say so itself, and would be taken to stand at its own place, is not used.
	Placed bool `json:",omitempty"`
	// SHA256 is the digest that the linking document gives of the bytes, in
	// lower-case hexadecimal. A document with other bytes is not read.
	SHA256 string
	// Lazy: not followed during discovery, only by Describe.
	Lazy bool
	// Auth: the linking document also says how to authenticate at the linked
	// one.
	Auth bool
}

// Subject is the subject of a drill-down document. The zero value says that
// the document stands alone.
type Subject struct {
	// Service and Capability as the Site has them; read only.
	Service    *wayfind.Service
	Capability *wayfind.Capability
}
