// Package a2a reads the Agent Cards of the Agent2Agent protocol: versions 0.1, 0.2.0
// to 0.2.6, 0.3 and 1.0, and cards that follow 1.0 and an earlier version at once.
//
//	f := a2a.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: card})
//
// The dialect names the version whose rules apply to a card: "0.1", "0.2", "0.3",
// "1.0" or "union". It depends on the members of the card before its protocolVersion:
// a card with supportedInterfaces follows 1.0, and a card that also has url is a
// union.
//
// # Guarantees
//
// An interface is a place where the agent takes messages. Interfaces keep the order of
// the card: a client uses the first that it supports (1.0 §8.3.2). Transport is
// "jsonrpc", "grpc", "http+json", or the value in the card. In a union, the interfaces
// of earlier versions come last, without repetitions. A tenant is kept unchanged.
// Interfaces of 1.0 require the header field A2A-Version. If the card has required
// extensions, they also require the field that names extensions. The address of a gRPC
// interface is often "host:port" and not a URL: the interface then has no URL, and
// Extensions contains the text under "address".
//
// A skill is a capability without an invocation of its own: skills describe what an
// agent is good at, and a client uses any of them by sending the agent a message. A
// skill without media types of its own has the media types of the card.
//
// Schemes and requirements are read in both notations, and so is the list of names of
// 0.1. Authentication is unknown if a card has no requirements. An empty alternative
// ("security": [{}]) means that no authentication is needed. A scheme with members
// that the model lacks is in Extensions in full, under "securitySchemes". Credentials
// in a card are not kept.
//
// Signatures are listed with the members of their protected headers, unverified. They
// are handed on unchanged: package security checks them for the client.
//
// A card that offers more to authenticated callers is Lazy. DetailURLs lists the URLs
// at which a GET returns the extended card. If only a method of the protocol returns
// it, DetailURLs is empty and Extensions names the method under "extendedCard". Detail
// reads the extended card, which is a whole card.
//
// Cards with faults are read; the faults are diagnostics. A card is unusable if it
// names no interface of the agent, or if it states that the agent does not support A2A
// ("a2a": {"supported": false}).
package a2a

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Paths of cards.
const (
	// Path is the path of a card in 0.3 and 1.0, and PathOld the path in earlier
	// versions.
	Path    = "/.well-known/agent-card.json"
	PathOld = "/.well-known/agent.json"
	// PathBare is in no version of the protocol, but in a design that others followed.
	// Some servers have the public card at PathREST, next to the extended card.
	PathBare = "/.well-known/agent-card"
	PathREST = "/v1/card"
)

// name is the name of the format.
const name = "a2a"

// Format returns the format.
func Format() *parse.Format {
	const accept = "application/a2a+json, application/json"
	return &parse.Format{
		Name:  name,
		Spec:  specOf(edition10),
		Title: "A2A Agent Cards: an agent, its addresses and its skills",
		Marks: []string{"name", "skills", "capabilities", "defaultInputModes"},
		Locations: []parse.Location{
			{Path: Path, Section: "§8.2", Accept: accept, Note: "the place since 0.3"},
			{Path: PathOld, Section: "§8.2", Accept: accept, Note: "the place before 0.3; other formats have documents there too"},
			{Path: PathBare, After: Path, Section: "§8.2", Accept: accept, Note: "in use, but of no version"},
			{Path: Path, Base: true, Section: "§8.2", Accept: accept, Note: "hosts of several agents have a card below the path of each"},
			{Path: PathREST, After: Path, Section: "§8.2", Accept: accept, Note: "where the agent of a host has its card beside the extended one"},
			{Path: PathREST, After: Path, Base: true, Section: "§8.2", Accept: accept, Note: "where some servers have the public card of an agent"},
		},
		// §8.6: HTTP caching applies. If the response has no lifetime, a client may
		// use one of its own.
		Cache:     parse.CachePolicy{Default: time.Hour, Section: "§8.6"},
		PerSource: true,
		Match:     match,
		Parse:     parseCard,
		Rules:     rules(),
		Examples:  examples(),
		Detail:    parseExtended,
	}
}

// reader reads one card.
type reader struct {
	*parse.Reader
	edition edition
	at      sections
	// old reports members that 1.0 dropped, under the specification of the version
	// that has them, and oldAt contains the sections of that version. They differ from
	// Reader and at in a union only.
	old   *parse.Reader
	oldAt sections
	union bool
	in    *parse.Input
	// base is the URL of the card, nil if it is not known.
	base *url.URL
	// named is true if an extension is required: each call must then name it.
	named bool
	// misplaced is true if an interface has an address that is no URL and that a person understands.
	misplaced bool
	// pays is true if an extension belongs to the Agent Payments Protocol.
	pays    bool
	schemes map[string]wayfind.Scheme
	// scopes is the number of scopes that were copied from schemes to skills.
	scopes int
}

func newReader(in *parse.Input, root parse.Node) *reader {
	e, union := editionOf(root)
	r := &reader{Reader: newReporter(e), edition: e, at: e.sections(), union: union, in: in, base: in.FinalURL}
	r.old, r.oldAt = r.Reader, r.at
	if union {
		r.old, r.oldAt = newReporter(edition03), edition03.sections()
	}
	return r
}

// newReporter returns a reader that reports under the specification of an edition.
func newReporter(e edition) *parse.Reader {
	return parse.NewReader(&parse.Format{Name: name, Spec: specOf(e)})
}

// diagnostics returns the diagnostics of both readers.
func (r *reader) diagnostics() []wayfind.Diagnostic {
	if r.old == r.Reader {
		return r.Diagnostics()
	}
	return append(r.Diagnostics(), r.old.Diagnostics()...)
}
