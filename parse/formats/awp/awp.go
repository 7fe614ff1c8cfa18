// Package awp reads the Agent Web Protocol 0.1 and 0.2: one document,
// agent.json, that describes the purpose of a site, its actions, how to call
// them and how to recover from their errors.
//
//	f := awp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The rules are those of the published text; sections in diagnostics are its
// sections, and §5.5 is one of version 0.2. Version 0.1 is read by the same
// rules: 0.2 only added members.
//
// # Promises
//
// Documents are read leniently and reported strictly. A missing member that §9
// requires of an action is an error. Two are warnings: a description, which §15
// only recommends, and members that an action leaves out because it goes
// through a protocol, as in the examples of §5.5. Members that the text does
// not define are ignored without a diagnostic (§15) and kept in Extensions.
//
// Effects are read with caution. A sensitivity of "irreversible" needs the
// confirmation of a person (MUST of §9), and so do "destructive" (SHOULD of
// §9) and an undefined word; no other member of the document takes
// that back. An action is idempotent when it takes an idempotency key, which
// is then in Effects.IdempotencyKey and must be sent.
//
// Authentication of an action is required when auth_required or
// auth.required_for says so, even if another member contradicts. Optional (§7)
// is two alternatives: nothing, or the scheme of the document. The format has
// no words for where a key goes or where a token comes from, so schemes lack
// it.
//
// Types become JSON Schema: entities are $defs of the schemas that refer to
// them, and names that the publisher made up ("airport_code") are any value,
// with the name in x-awp-type.
//
// The protocol's own site publishes an earlier form, in which actions stand
// below capabilities; it is read as [DialectEarly].
//
// # Not supported
//
// Another specification calls its document agent.json as well, and so did A2A
// before 0.3. Both are recognised as documents of another kind: reading the
// former under this name would give its intents the keys and the sections of
// a protocol that does not know them. Two more protocols have a member
// awp_version; without any other member of this one it is not claimed.
package awp

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is where a document is served (§3), and WellKnown where the tool of the
// protocol's authors writes it and their own site serves it.
const (
	Path      = "/agent.json"
	WellKnown = "/.well-known/agent.json"
)

// Version is the newest version of the protocol that is read (§4).
const Version = "0.2"

// DialectEarly is the form without awp_version: "protocol": "awp/1.0", and
// actions below capabilities.
const DialectEarly = "early"

// name is the name of the format.
const name = "awp"

// spec is the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agent Web Protocol 0.2", URL: "https://github.com/agentwebprotocol/spec"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "Agent Web Protocol: actions with their inputs, effects and recovery in one agent.json",
		Marks: []string{"awp_version", "domain", "intent", "actions"},
		Locations: []parse.Location{{
			Path: Path, Section: "§3", Accept: "application/json",
			Note: "the place that the specification names",
		}, {
			Path: WellKnown, Section: "§3", Accept: "application/json",
			Note: "where the authors' tool writes the document; other formats have documents there too",
		}},
		// The text does not speak of caching. An hour is what manifests of
		// this kind use, and short enough for agent_status (§13).
		Cache:    parse.CachePolicy{Default: time.Hour},
		Match:    match,
		Parse:    parseDocument,
		Rules:    rules(),
		Examples: examples(),
	}
}

// reader reads one document.
type reader struct {
	*parse.Reader
	// base is where the document was served, nil when that is not known:
	// endpoints are relative to its origin.
	base *url.URL
	// old: the document says that it is of version 0.1, and has had no newer
	// member yet.
	old bool
	// ids are those of all actions.
	ids map[string]bool
	// protocols are those of §5.5 by their identifier in lower case.
	protocols map[string]protocol
	entities  entities
	access    access
	needs     map[string][]string
}

// newReader names the format, but does not make its rules anew.
func newReader(in *parse.Input) *reader {
	return &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: in.FinalURL}
}

// wrongType reports a value of an open collection that is not of its type; a
// Reader does so for members that have a name.
func (r *reader) wrongType(n parse.Node, section string, want parse.Kind) {
	r.Report(ruleWrongType.At(section).AsWarning(), n, "the value is %v where %v belongs; it is ignored", n.Kind(), want)
}

// isOther reports whether a value is present and of another kind. Null counts
// as absent.
func isOther(n parse.Node, kind parse.Kind) bool {
	return n.Exists() && n.Kind() != kind && n.Kind() != parse.Null
}

// keepRest keeps the members of an object that the model has no place for, as
// an object of the same name.
func (r *reader) keepRest(extensions *map[string]parse.Raw, name string, obj parse.Node, known ...string) {
	parse.Keep(extensions, name, parse.Some(r.Rest(obj, known...)))
}
