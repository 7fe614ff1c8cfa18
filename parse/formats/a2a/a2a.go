// Package a2a reads the Agent Cards of the Agent2Agent protocol: 0.1, 0.2.0 to
// 0.2.6, 0.3 and 1.0, and cards that are of 1.0 and an earlier version at once.
//
//	f := a2a.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: card})
//
// The dialect names the version whose rules a card is held to: "0.1", "0.2",
// "0.3", "1.0" or "union". What a card has decides, not what it says: a card
// with supportedInterfaces is of 1.0, and together with url it is a union,
// whatever its protocolVersion.
//
// # What is promised
//
// An interface is a place where the agent is spoken to, in the order of the
// card: the first that a client supports is the one to use (1.0 §8.3.2).
// Transport is "jsonrpc", "grpc", "http+json", or what the card says. In a
// union what earlier versions declare comes last, without repetitions. A
// tenant is kept as it is. Interfaces of 1.0 require the header field
// A2A-Version, and those of a card with extensions that are required one that
// names extensions too. A gRPC interface is often no URL but "host:port": it
// then has no URL, and the text in Extensions as "address".
//
// A skill is a capability without an invocation of its own: skills say what an
// agent is good at, and all of them are reached by sending it a message. A
// skill has the media types of the card where it does not say otherwise.
//
// Schemes and requirements are read in both notations, and the list of names
// of 0.1. A card that requires nothing in so many words leaves it unknown what
// is needed; an empty alternative ("security": [{}]) says that nothing is. Of a
// scheme that holds more than the model has, Extensions has all under
// "securitySchemes". Credentials that stand in a card are not kept.
//
// Signatures are listed with what their protected headers say, unverified, and
// handed on as they stand: package security checks them, for the client.
//
// A card that says that there is more for callers who authenticate is Lazy.
// DetailURLs has the places where a GET gives the extended card; a card that
// is only spoken to otherwise has none, and Extensions says under
// "extendedCard" which method to call. Detail reads the extended card, which is
// a whole card.
//
// Cards with faults are read; the faults are diagnostics. A card is unusable
// when it names no place to speak to the agent, or says that it speaks no A2A
// ("a2a": {"supported": false}).
package a2a

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// The places of cards.
const (
	// Path is that of 0.3 and 1.0, and PathOld that of versions before.
	Path    = "/.well-known/agent-card.json"
	PathOld = "/.well-known/agent.json"
	// PathBare is in no version, but in a design that others followed, and
	// PathREST where some servers have the public card beside the extended one.
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
		Title: "A2A Agent Cards: an agent, where it is spoken to and what it is good at",
		Locations: []parse.Location{
			{Path: Path, Section: "§8.2", Accept: accept, Note: "the place since 0.3"},
			{Path: PathOld, Section: "§8.2", Accept: accept, Note: "the place before 0.3; other formats have documents there too"},
			{Path: PathBare, After: Path, Section: "§8.2", Accept: accept, Note: "in use, but of no version"},
			{Path: Path, Base: true, Section: "§8.2", Accept: accept, Note: "hosts of several agents have a card below the path of each"},
			{Path: PathREST, After: Path, Section: "§8.2", Accept: accept, Note: "where the agent of a host has its card beside the extended one"},
			{Path: PathREST, After: Path, Base: true, Section: "§8.2", Accept: accept, Note: "where some servers have the public card of an agent"},
		},
		// §8.6: as HTTP says; where it says nothing a client may use a lifetime
		// of its own.
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
	// old reports on members that 1.0 dropped, in the name of the version that
	// has them, and oldAt are its sections. They differ in a union only.
	old   *parse.Reader
	oldAt sections
	union bool
	// base is where the card was served, nil when that is not known.
	base *url.URL
	// named: an extension is required, so that calls must name it.
	named   bool
	schemes map[string]wayfind.Scheme
	// scopes counts what was copied from schemes to skills.
	scopes int
}

func newReader(in *parse.Input, root parse.Node) *reader {
	e, union := editionOf(root)
	r := &reader{Reader: newReporter(e), edition: e, at: e.sections(), union: union, base: in.FinalURL}
	r.old, r.oldAt = r.Reader, r.at
	if union {
		r.old, r.oldAt = newReporter(edition03), edition03.sections()
	}
	return r
}

// newReporter reports in the name of an edition.
func newReporter(e edition) *parse.Reader {
	return parse.NewReader(&parse.Format{Name: name, Spec: specOf(e)})
}

// diagnostics are those of both readers.
func (r *reader) diagnostics() []wayfind.Diagnostic {
	if r.old == r.Reader {
		return r.Diagnostics()
	}
	return append(r.Diagnostics(), r.old.Diagnostics()...)
}
