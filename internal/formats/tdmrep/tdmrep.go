// Package tdmrep reads tdmrep.json, the file of the TDM Reservation Protocol (W3C Community
// Group Report). It contains the paths for which a site reserves the rights to text and data
// mining.
//
//	f := tdmrep.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The format is read only if a caller names it, because it costs a request and does not affect
// anything that this module does. Header fields of the protocol are read by format robots, its
// meta elements by format links, without a request of their own.
//
// # Promises
//
// Each rule is a policy of kind "tdm", in the order of the file. If several rules match a
// path, the first applies. A reservation is 0 or 1; other values are ignored. Three shapes are
// read: the list that the report defines, a list in the member "tdmrep", and a single rule.
// The names of members may have underscores instead of hyphens.
//
// # Not supported
//
// The policies that rules lead to are not fetched.
package tdmrep

import (
	"net/url"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the place of the file.
const Path = "/.well-known/tdmrep.json"

// name is the name of the format.
const name = "tdmrep"

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "TDM Reservation Protocol", URL: "https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "tdmrep.json: reservation of rights to text and data mining",
		Locations: []parse.Location{{
			Path: Path, Accept: "application/json", Aside: true, Note: "policies only: it counts for no answer about capabilities",
		}},
		Match: match,
		Parse: parseDocument,
		Rules: rules(),
	}
}

// match recognises rules. They do not describe the offers of a site, so it claims no document
// as the format's own.
func match(in *parse.Input) parse.Claim {
	list := rulesIn(in)
	for _, rule := range list {
		if !member(rule, "tdm-reservation").Exists() {
			return parse.Claim{}
		}
	}
	return parse.Claim{Aside: len(list) > 0}
}

// rulesIn returns the rules of a document in any of its three shapes, or nil for another one.
func rulesIn(in *parse.Input) (list []parse.Node) {
	root, err := in.JSON()
	if err != nil {
		return nil
	}
	if root.Kind() == parse.Object {
		if member(root, "tdm-reservation").Exists() {
			return []parse.Node{root}
		}
		root = root.Get("tdmrep")
	}
	if root.Kind() != parse.Array {
		return nil
	}
	for _, rule := range root.Items() {
		list = append(list, rule)
	}
	return list
}

// member returns a member of a rule, with hyphens as in the report, or with underscores.
func member(rule parse.Node, hyphened string) parse.Node {
	if n := rule.Get(hyphened); n.Exists() {
		return n
	}
	return rule.Get(map[string]string{"tdm-reservation": "tdm_reservation", "tdm-policy": "tdm_policy"}[hyphened])
}

// parseDocument reads the rules.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	r := parse.NewReader(&parse.Format{Name: name, Spec: spec()})
	list := rulesIn(in)
	if list == nil {
		return nil, parse.Invalid("there are no rules")
	}
	reading := &parse.Reading{}
	for i, rule := range list {
		if i == parse.DefaultItems {
			r.Report(ruleTruncated, parse.Node{}, "the first %d of %d rules are read", parse.DefaultItems, len(list))
			break
		}
		if p, ok := policy(r, rule, in.FinalURL); ok {
			reading.Policies = append(reading.Policies, p)
		}
	}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// policy reads one rule. A rule without a location is about the whole site.
func policy(r *parse.Reader, rule parse.Node, base *url.URL) (p wayfind.Policy, ok bool) {
	reservation := member(rule, "tdm-reservation")
	value, whole := reservation.Int()
	if !whole || value != 0 && value != 1 {
		r.Report(ruleReservation, rule, "tdm-reservation is neither 0 nor 1; the rule says nothing")
		return p, false
	}
	p = wayfind.Policy{Kind: "tdm", Values: map[string]string{"tdm-reservation": strconv.FormatInt(value, 10)}, Sources: []wayfind.Ref{{Pointer: rule.Pointer()}}}
	if location := r.String(rule, "location", parse.Must, ""); location != "" {
		p.Paths = []string{location}
	}
	if text, ok := member(rule, "tdm-policy").Str(); ok && urlref.CheckLink(text) == nil {
		if ref, err := url.Parse(text); err == nil && base != nil {
			p.Values["tdm-policy"] = base.ResolveReference(ref).String()
		}
	}
	return p, true
}
