package wayfind

import (
	"encoding/json"
	"iter"
	"slices"
	"time"
)

// Site is one origin's offer to agents. It is immutable once returned.
type Site struct {
	// Origin is the scheme and the canonical host: "https://example.com".
	Origin string `json:"origin"`
	// Host is the site's own host, "www.example.com", if the well-known places of Origin redirect
	// there: the documents were requested at that host, and Origin is still the name that the caller
	// typed. It is empty if Origin itself is asked.
	Host string `json:"host,omitempty"`
	// Base is the path that the caller named, "" or "/shop". Some formats are looked for below
	// it. Well-known locations are not (RFC 8615 §3).
	Base     string    `json:"base,omitempty"`
	Services []Service `json:"services,omitempty"`
	// Policies state how the site wants agents to behave.
	Policies []Policy `json:"policies,omitempty"`
	// Documents are links that a person or an agent may want to follow.
	Documents []Document `json:"documents,omitempty"`
	// Sources are the documents that were read, the best authority first.
	Sources []Source `json:"sources,omitempty"`
	// Probes lists each place that was asked, in the order of the plan.
	Probes []Probe `json:"probes,omitempty"`
	// Conflicts are the disagreements between sources.
	Conflicts   []Conflict   `json:"conflicts,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	// Incomplete lists the places that gave no answer, so there may be more than this Site has. It
	// is nil if there are none, or if the domain could not be asked at all: then Resolve returns an
	// error other than ErrNotFound.
	Incomplete *Incomplete `json:"incomplete,omitempty"`
	// ResolvedAt is the time at which the last probe of this Site ended.
	ResolvedAt time.Time `json:"resolvedAt,omitzero"`
	// FreshUntil is the earliest end of freshness of all probes. If the Site is incomplete, FreshUntil
	// is at the latest the time at which a missing place may be asked. If a missing place may be asked
	// at once, FreshUntil equals ResolvedAt.
	FreshUntil time.Time `json:"freshUntil,omitzero"`
}

// must panics if the Site is nil, with the reason. The zero Site is a site without offers.
func (s *Site) must() {
	if s == nil {
		panic("wayfind: the Site is nil: client.Client.Resolve returns one, or an error")
	}
}

// Asked returns the origin whose places were asked: that of Host, or else Origin.
func (s *Site) Asked() string {
	s.must()
	if s.Host != "" {
		return "https://" + s.Host
	}
	return s.Origin
}

// Capabilities yields each capability with its service.
func (s *Site) Capabilities() iter.Seq2[*Service, *Capability] {
	s.must()
	return func(yield func(*Service, *Capability) bool) {
		for i := range s.Services {
			service := &s.Services[i]
			for j := range service.Capabilities {
				if !yield(service, &service.Capabilities[j]) {
					return
				}
			}
		}
	}
}

// Capability returns the capability with a key or alias, or nils if there is none.
func (s *Site) Capability(key string) (*Service, *Capability) {
	s.must()
	for service, capability := range s.Capabilities() {
		if capability.HasKey(key) {
			return service, capability
		}
	}
	return nil, nil
}

// Service returns the service with an ID or alias, or nil if there is none.
func (s *Site) Service(id string) *Service {
	s.must()
	for i := range s.Services {
		if s.Services[i].ID == id {
			return &s.Services[i]
		}
	}
	for i := range s.Services {
		if slices.Contains(s.Services[i].Aliases, id) {
			return &s.Services[i]
		}
	}
	return nil
}

// Source returns the source with a requested or final URL, or nil if there is none.
func (s *Site) Source(url string) *Source {
	s.must()
	for i := range s.Sources {
		if s.Sources[i].URL == url || s.Sources[i].FinalURL == url {
			return &s.Sources[i]
		}
	}
	return nil
}

// Policy is a statement of the site about how agents should behave. It is data, not a
// rule of this library: it never widens what the library does.
type Policy struct {
	// Kind is an open string: "cannot", "behaviour", "rate_limit", "cache",
	// "identify" …
	Kind string `json:"kind"`
	Text string `json:"text,omitempty" clean:"text"`
	// Limit is set if the text names a rate.
	Limit *Limit `json:"limit,omitempty"`
	// Agents are the user agents to which the policy applies, as written. "*" is any. It is
	// empty if the policy names none.
	Agents []string `json:"agents,omitempty"`
	// Paths are the paths to which the policy applies, as written, in the notation of its
	// source. It is empty if the policy applies to the whole site.
	Paths []string `json:"paths,omitempty"`
	// Values contain the policy as names and values: "ai-train": "no".
	Values  map[string]string `json:"values,omitempty"`
	Sources []Ref             `json:"sources,omitempty"`
}

// With returns a copy of the Site with the description of a Detail instead of its service, and
// with the source of that description. Capabilities that Describe found can then be described
// further. The Site itself does not change.
func (s *Site) With(d *Detail) *Site {
	s.must()
	own := *s
	if d == nil || d.Service == nil {
		return &own
	}
	own.Services = slices.Clone(s.Services)
	for i := range own.Services {
		if own.Services[i].ID == d.Service.ID {
			own.Services[i] = *d.Service
		}
	}
	if d.Source != nil && s.Source(d.Source.URL) == nil {
		own.Sources = append(slices.Clone(s.Sources), *d.Source)
	}
	own.Conflicts = slices.Concat(s.Conflicts, d.Conflicts)
	return &own
}

// Document is a link.
type Document struct {
	// Rel is an open string: "documentation", "changelog", "terms" …
	Rel   string `json:"rel"`
	URL   string `json:"url" clean:"url"`
	Title string `json:"title,omitempty"`
	// Description is the publisher's description of the document.
	Description string `json:"description,omitempty" clean:"text"`
	// Section is the heading of the listing above the entry.
	Section string `json:"section,omitempty"`
	// Optional is true if the document may be omitted if there is little room, according to the
	// listing.
	Optional bool `json:"optional,omitempty"`
	// Identifier is the document's name in the listing: "urn:air:example.com:shop".
	Identifier string `json:"identifier,omitempty"`
	// MediaType is the media type in the listing. It may be wrong.
	MediaType string `json:"mediaType,omitempty"`
	// Version and Updated are the document's version and date in the listing.
	Version string     `json:"version,omitempty"`
	Updated *time.Time `json:"updated,omitempty"`
	// Publisher is the author in the listing.
	Publisher *Provider `json:"publisher,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	// Digest is the digest of the bytes at URL in the listing: "sha256:" and hexadecimal
	// digits. It has not been compared.
	Digest string `json:"digest,omitempty"`
	// Trust compares URL with the origin that was asked. It is empty if they were not compared.
	Trust Trust `json:"trust,omitempty"`
	// Verdict is the meaning of the answer if discovery asked for the document. It is
	// VerdictSkipped if a format reads such documents and discovery did not ask for it: its
	// Probe has the reason. It is empty if no format reads what the listing says.
	Verdict Verdict `json:"verdict,omitempty"`
	// Signatures are the listing's signatures of the document, unverified.
	Signatures []Signature `json:"signatures,omitempty"`
	// Extensions contain members of the listing's entry that have no field here, by name.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	Sources    []Ref                      `json:"sources,omitempty"`
}

// Artifact is a file that a capability consists of, as its listing describes it: the text
// of a skill, or an archive. Discovery does not fetch it.
type Artifact struct {
	URL string `json:"url" clean:"url"`
	// MediaType is the declared media type.
	MediaType string `json:"mediaType,omitempty"`
	// SHA256 is the declared digest of the bytes at URL, in lower-case hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Size is the declared size in bytes, or 0 if the listing declares none.
	Size int64 `json:"size,omitempty"`
}

// Content is a file that was fetched, such as the text of a skill. Strangers wrote it,
// often as instructions for a model. This library never runs, unpacks or obeys it.
type Content struct {
	// MediaType is the media type as sent, without parameters. It may be wrong or empty.
	MediaType string `json:"mediaType,omitempty"`
	// Size is the size in bytes, and SHA256 the digest of the bytes in hexadecimal.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Verified is true if the listing contains this digest, and false if it contains none.
	Verified bool `json:"verified,omitempty"`
	// Text is the text of the file, cleaned like all text of the model and without secrets. It
	// is empty if the file is not text. Use it for display.
	Text string `json:"text,omitempty" clean:"text"`
	// Bytes are the bytes of the file as received. Do not write to them.
	Bytes []byte `json:"bytes,omitempty"`
}

// Probe is one place that was asked.
type Probe struct {
	// URL is the URL that was requested. Another URL of the same document (same bytes) is a
	// separate probe.
	URL string `json:"url"`
	// Formats are the formats that look at this place, in order of authority.
	Formats []string `json:"formats,omitempty"`
	// Format is the format that read the answer, if one did.
	Format  string  `json:"format,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Reason is the detailed cause, for example the code of an Error.
	Reason string `json:"reason,omitempty"`
	// Status is the HTTP status of the last answer, or 0 if there was no answer.
	Status int `json:"status,omitempty"`
	// From is the URL of the document that names this place, or empty.
	From string `json:"from,omitempty"`
	// Redirects are the URLs to which the redirects led, in order.
	Redirects []string `json:"redirects,omitempty"`
	// RobotsDisallowed is true if the site's robots.txt disallows crawlers there.
	RobotsDisallowed bool `json:"robotsDisallowed,omitempty"`
	// Extensions contain the site's data about its refusal: for a demand for payment (402), the
	// members "accepts" and "x402Version". They are a stranger's data: this library never pays,
	// and never chooses a way to pay.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	// Error is the text of the error, escaped.
	Error string `json:"error,omitempty"`
	// TooLarge is the limit that the document exceeds, with VerdictTooLarge.
	TooLarge *TooLarge `json:"tooLarge,omitempty"`
	// Decides is true if the answer of this place became the error of the whole domain.
	Decides bool `json:"decides,omitempty"`
	// FreshUntil is the time until which the answer is remembered.
	FreshUntil time.Time `json:"freshUntil,omitzero"`
}

// Conflict is a disagreement between sources about one fact.
type Conflict struct {
	// Subject is a capability key, a service ID or the origin.
	Subject string `json:"subject"`
	// Field is the field that differs, as a JSON name: "auth", "effects.readOnly".
	Field string `json:"field"`
	// Message names the sources with their statements, and the reading that was
	// kept.
	Message string `json:"message"`
	Sources []Ref  `json:"sources,omitempty"`
}

// Ref is the place in a document that a fact is from.
type Ref struct {
	// Source is the URL of the document as it was requested.
	Source string `json:"source"`
	// Pointer is an RFC 6901 JSON pointer, or empty for the whole document.
	Pointer string `json:"pointer,omitempty"`
	// Line is the number of the line, from 1, for documents that are not JSON.
	Line int `json:"line,omitempty"`
}

// Finding is the result of one probe, before documents are merged: see
// client.Client.Probe.
type Finding struct {
	Probe Probe `json:"probe"`
	// Source is nil if the probe found no document.
	Source       *Source      `json:"source,omitempty"`
	Services     []Service    `json:"services,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
	Diagnostics  []Diagnostic `json:"diagnostics,omitempty"`
}

// Detail is the result of describing: see client.Client.Describe. It belongs
// to the caller that asked and never becomes part of a Site.
type Detail struct {
	// Capability is the capability that was described, completed by the detail document. It
	// is nil if a service was described.
	Capability *Capability `json:"capability,omitempty"`
	// Service is the capability's service, or the service that was described.
	Service *Service `json:"service,omitempty"`
	// Source is the detail document. It is nil if the Site was complete already.
	Source *Source `json:"source,omitempty"`
	// Content is the file that the capability consists of. It is nil if the capability is
	// not a file.
	Content     *Content     `json:"content,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	// Conflicts are disagreements that appear only in detail documents.
	Conflicts []Conflict `json:"conflicts,omitempty"`
}
