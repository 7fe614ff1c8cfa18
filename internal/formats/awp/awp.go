// Package awp reads the Agent Web Protocol 0.1 and 0.2: one document, agent.json, that
// describes the purpose of a site, its actions, how to call them and how to recover
// from their errors.
//
//	f := awp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The rules come from the published text; diagnostics refer to its sections. §5.5 is a
// section of version 0.2. Version 0.1 is read by the same rules, because 0.2 only
// added members.
//
// # Promises
//
// Documents are read leniently and reported strictly. It is an error if an action
// lacks a member that §9 requires. There are two exceptions, which are warnings: a
// missing description, which §15 only recommends, and missing members of an action
// that goes through a protocol, as in the examples of §5.5. Members that the text does
// not define are ignored without a diagnostic (§15) and kept in Extensions.
//
// Effects are read with caution. An action needs the confirmation of a person if its
// sensitivity is "irreversible" (MUST of §9), "destructive" (SHOULD of §9) or an
// undefined word. No other member of the document revokes that. An action is
// idempotent if it takes an idempotency key. The name of the key is then in
// Effects.IdempotencyKey, and calls must send the key.
//
// An action requires authentication if auth_required is true or auth.required_for lists
// it, even if another member contradicts. Optional authentication (§7) becomes two
// alternatives: none, or the scheme of the document. The format does not define where
// a key goes or where a token comes from, so schemes lack these facts.
//
// Types become JSON Schema. Entities are $defs of the schemas that refer to them. A
// name that the publisher made up ("airport_code") means any value, with the name in
// x-awp-type.
//
// The protocol's own site publishes an earlier form, with the actions below
// capabilities; it is read as [DialectEarly].
//
// # Not supported
//
// Another specification calls its document agent.json as well, and so did A2A before
// 0.3. Both are recognised as documents of another kind. If the former were read as
// this format, its intents would get the keys and the sections of a protocol that does
// not define them. Two more protocols have a member awp_version. A document with
// awp_version is therefore claimed only if it has another member of this protocol.
package awp

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a document (§3). The tool of the protocol's authors writes the
// document to WellKnown, and their own site serves it there.
const (
	Path      = "/agent.json"
	WellKnown = "/.well-known/agent.json"
)

// Version is the newest version of the protocol that is read (§4).
const Version = "0.2"

// DialectEarly is the form without awp_version: it has "protocol": "awp/1.0", and the
// actions are below capabilities.
const DialectEarly = "early"

// name is the name of the format.
const name = "awp"

// spec returns the specification that diagnostics refer to.
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
		// The text does not mention caching. One hour is usual for manifests of this
		// kind, and short enough for agent_status (§13).
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
	in *parse.Input
	// base is the URL of the document, nil if it is not known. Endpoints are relative
	// to its origin.
	base *url.URL
	// old is true if the document is of version 0.1 and no member of a later version
	// has been read yet.
	old bool
	// ids are the IDs of all actions.
	ids map[string]bool
	// protocols are the protocols of §5.5 by their identifiers in lower case.
	protocols map[string]protocol
	entities  entities
	access    access
	needs     map[string][]string
}

// newReader returns a reader that names the format, without building its rules again.
func newReader(in *parse.Input) *reader {
	return &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, base: in.FinalURL}
}

// wrongType reports a value of a wrong type in an open collection. For members with
// fixed names, the Reader reports it.
func (r *reader) wrongType(n parse.Node, section string, want parse.Kind) {
	r.Report(ruleWrongType.At(section).AsWarning(), n, "the value is %v where %v belongs; it is ignored", n.Kind(), want)
}

// isOther reports whether a value is present and of another kind. Null is treated as
// absent.
func isOther(n parse.Node, kind parse.Kind) bool {
	return n.Exists() && n.Kind() != kind && n.Kind() != parse.Null
}

// keepRest keeps the members of an object that the model has no place for, in an
// object of the same name.
func (r *reader) keepRest(extensions *map[string]parse.Raw, name string, obj parse.Node, known ...string) {
	parse.Keep(extensions, name, rawjson.Some(rawjson.Copies(r.UnknownMembers(obj, known...))))
}
