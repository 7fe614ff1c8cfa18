package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind"
)

// authWord is an Auth in the forms of a view.
type authWord struct {
	whole, bare string
	shown       json.RawMessage // nil if not yet needed
}

// authView ignores which values are defaults of a specification. It sorts alternatives, flows
// and scopes, because their order has no meaning.
func (x *values) authView(a *wayfind.Auth) view {
	if a == nil {
		return view{}
	}
	word := x.auth(a)
	return view{a, word.whole, word.bare}
}

func (x *values) auth(a *wayfind.Auth) *authWord {
	x.work.Add(1)
	word, known := x.auths[a]
	if !known {
		needs := x.requirements(a)
		if a.Registration != nil {
			needs += x.meaning(a.Registration)
		}
		word = &authWord{whole: x.schemes(a, true) + needs, bare: x.schemes(a, false) + needs}
		x.auths[a] = word
	}
	return word
}

// schemes returns the schemes of an Auth as text, with or without their descriptions.
func (x *values) schemes(a *wayfind.Auth, texts bool) string {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
		s := a.Schemes[name]
		flows := make([]string, len(s.Flows))
		for i, f := range s.Flows {
			scopes := x.sorted(slices.Clone(f.Scopes), true)
			f.Scopes = nil
			flows[i] = x.meaning(f) + scopes
		}
		s.Defaulted, s.Flows = nil, nil
		if !texts {
			s.Description = ""
		}
		all = strconv.AppendQuote(all, name)
		all = append(all, x.meaning(s)...)
		all = append(all, x.sorted(flows, false)...)
	}
	return string(all)
}

// requirements returns the alternatives of an Auth as text.
func (x *values) requirements(a *wayfind.Auth) string {
	alternatives := make([]string, len(a.Requirements))
	for i, parts := range a.Requirements {
		needed := make([]string, len(parts))
		for j, p := range parts {
			needed[j] = strconv.Quote(p.Scheme) + x.sorted(slices.Clone(p.Scopes), true)
		}
		alternatives[i] = x.sorted(needed, false)
	}
	return x.sorted(alternatives, false) + strconv.FormatBool(a.Unknown)
}

// sorted writes a set, with its elements quoted or unchanged. It sorts the list in place.
func (x *values) sorted(list []string, quoted bool) string {
	for range list {
		x.work.Add(1)
	}
	slices.Sort(list)
	text := []byte{'['}
	for _, s := range slices.Compact(list) {
		x.work.Text(len(s))
		if quoted {
			text = strconv.AppendQuote(text, s)
		} else {
			text = append(text, s...)
		}
		text = append(text, ',')
	}
	return string(append(text, ']'))
}
