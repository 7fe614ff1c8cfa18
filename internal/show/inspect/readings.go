package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// readings are the statements of several documents about one thing. The first column is the
// answer; the others are the documents.
type readings struct {
	// Why are the reasons for the answer, in our own words and with keys of the site.
	Why     []string    `json:"why,omitempty"`
	Columns []reading   `json:"columns"`
	Rows    []statement `json:"rows"`
}

// reading is one document.
type reading struct {
	// Name is foreign text: a key.
	Name string `json:"name"`
	origin
}

// statement is one field, with the statement of each column; "" if it has none.
type statement struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
	// Same reports for each column whether its statement is equal to the answer.
	Same []bool `json:"same"`
	// Merged reports for each column whether its statement was merged into the answer, and is
	// not stored separately.
	Merged []bool `json:"merged,omitempty"`
}

// fieldInDocument is the row with the text of the documents themselves.
const fieldInDocument = "in the document"

// compared returns the fields in which readings are compared.
func compared() []string {
	return []string{"name", "title", "description", "invocation", "input", "output", "auth", "effects", "price", "limits", "artifact"}
}

// capabilityReadings returns the alternatives of a capability next to it, or nil if it has
// none.
func capabilityReadings(site *wayfind.Site, c *wayfind.Capability) *readings {
	if len(c.Alternatives) == 0 {
		return nil
	}
	r := &readings{Columns: []reading{column(site, c.Key, ownPlace(c))}}
	for n := range c.Alternatives {
		r.Columns = append(r.Columns, column(site, c.Alternatives[n].Key, ownPlace(&c.Alternatives[n])))
	}
	for _, conflict := range site.Conflicts {
		if c.HasKey(conflict.Subject) {
			r.Why = append(r.Why, printable(conflict.Field+": "+conflict.Message))
		}
	}
	all := []members{membersOf(c)}
	for n := range c.Alternatives {
		all = append(all, membersOf(&c.Alternatives[n]))
	}
	for _, field := range compared() {
		values := []string{all[0].field(c, field)}
		for n := range c.Alternatives {
			values = append(values, all[n+1].field(&c.Alternatives[n], field))
		}
		r.add(field, values)
	}
	return r
}

// add adds a field if any column has a value.
func (r *readings) add(field string, values []string) {
	s := statement{Field: field, Values: values}
	for _, v := range values {
		s.Same = append(s.Same, v != "" && v == values[0])
	}
	if cmp.Or(values...) != "" {
		r.Rows = append(r.Rows, s)
	}
}

func column(site *wayfind.Site, name string, ref wayfind.Ref) reading {
	o := origin{URL: ref.Source, Pointer: ref.Pointer, Line: ref.Line}
	o.rank(site)
	return reading{printable(name), o}
}

// ownPlace returns the place of a reading itself, and not of an alternative.
func ownPlace(c *wayfind.Capability) wayfind.Ref {
	for _, ref := range c.Sources {
		if !slices.ContainsFunc(c.Alternatives, func(a wayfind.Capability) bool { return slices.Contains(a.Sources, ref) }) {
			return ref
		}
	}
	return wayfind.Ref{}
}

// conflictDetail shows which statement won, the document that it is from, and the reason.
func (i *Inspector) conflictDetail(site *wayfind.Site, c *wayfind.Conflict) *detail {
	d := &detail{Name: c.Subject, From: originsOf(c.Sources), Facts: facts("field", c.Field)}
	r := &readings{Why: []string{printable(c.Message)}, Columns: []reading{{Name: "the answer"}}}
	values, excerpts, merged := []string{kept(site, c)}, []string{""}, []bool{false}
	_, capability := site.Capability(c.Subject)
	for _, ref := range c.Sources {
		says, name, into := "", "", capability == nil
		if capability != nil {
			whose := readingAt(capability, ref)
			name = whose.Key
			if into = whose == capability && joined(c.Field); !into {
				says = fieldOf(whose, c.Field)
			}
		}
		r.Columns = append(r.Columns, column(site, name, ref))
		values, excerpts, merged = append(values, says), append(excerpts, i.said(site, ref)), append(merged, into)
	}
	r.add(c.Field, values)
	for n := range r.Rows {
		r.Rows[n].Merged = merged
	}
	r.add(fieldInDocument, excerpts)
	d.Readings = r
	return d
}

// joined reports whether the answer has the most cautious of all statements, which may be from
// another document than the best one.
func joined(field string) bool {
	first, _, _ := strings.Cut(field, ".")
	return first == "auth" || first == "effects"
}

// readingAt returns the alternative at a place, or the capability itself.
func readingAt(c *wayfind.Capability, ref wayfind.Ref) *wayfind.Capability {
	for n := range c.Alternatives {
		if slices.Contains(c.Alternatives[n].Sources, ref) {
			return &c.Alternatives[n]
		}
	}
	return c
}

// kept returns the statement of the answer that a conflict is about.
func kept(site *wayfind.Site, c *wayfind.Conflict) string {
	if _, capability := site.Capability(c.Subject); capability != nil {
		return fieldOf(capability, c.Field)
	}
	if c.Field != "auth" {
		return ""
	}
	if s := site.Service(c.Subject); s != nil {
		return humanize.Auth(s.Auth)
	}
	for n := range site.Services {
		for _, f := range site.Services[n].Interfaces {
			if c.Subject == f.Protocol+" "+f.URL+f.Template {
				return humanize.Auth(f.Auth)
			}
		}
	}
	return ""
}
