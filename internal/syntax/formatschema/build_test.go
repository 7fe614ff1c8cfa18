package formatschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// place is what is known about the values at one place of the documents of a format.
type place struct {
	// objects is the number of objects at the place, and listed the number of objects of which all
	// members are read.
	objects, listed int
	// asked is the number of objects in which the member was looked up, absent the number of those
	// that lack it, and must the number of those in which it is required.
	asked, absent, must int
	// kinds are the kinds that are read, empty for all.
	kinds []parse.Kind
	// taken are the kinds of the members in documents that break no rule, by their names.
	taken map[string][]parse.Kind
	// wished is set if a reader looked the member up, and known also if it looked things in it up.
	wished, known bool
	spec          wayfind.SpecRef
	member        map[string]*place
	other         *place // of the members whose names are free
	item          *place
	// schema is set for a JSON Schema, which is described once.
	schema bool
}

func (p *place) named(name string) *place {
	if p.member == nil {
		p.member = map[string]*place{}
	}
	if p.member[name] == nil {
		p.member[name] = &place{}
	}
	return p.member[name]
}

func one(p **place) *place {
	if *p == nil {
		*p = &place{}
	}
	return *p
}

// builder joins the lookups of a format in many documents.
type builder struct {
	format   *parse.Format
	document place // the top-level value
	schemas  place // the JSON Schemas in all documents
	objects  int
	root     []string // the kinds of the top-level value
}

// wrong are the severities of documents that break a rule.
func wrong(list []wayfind.Diagnostic) bool {
	return slices.ContainsFunc(list, func(d wayfind.Diagnostic) bool { return d.Severity != wayfind.SeverityInfo })
}

// read lets the format read a document in full. ok is false if the document is not one of the
// format, or cannot be used.
func read(f *parse.Format, in *parse.Input) (diags []wayfind.Diagnostic, ok bool) {
	claim := f.Match(in)
	if claim.Level == parse.None && !claim.Aside || claim.Negative {
		return nil, false
	}
	if claim.Dialect == parse.DialectDetail && f.Detail != nil {
		r, err := f.Detail(in, parse.Subject{})
		if err != nil {
			return nil, false
		}
		return r.Diagnostics, r.Unusable == ""
	}
	r, err := f.Parse(in)
	if err != nil {
		return nil, false
	}
	diags = append(diags, in.Diagnostics()...)
	diags = append(diags, r.Diagnostics...)
	for i := range r.Services {
		s := &r.Services[i]
		for j := range s.Capabilities {
			if f.Detail == nil || !s.Capabilities[j].Lazy {
				continue
			}
			if detail, err := f.Detail(in, parse.Subject{Service: s, Capability: &s.Capabilities[j]}); err == nil {
				diags = append(diags, detail.Diagnostics...)
			}
		}
	}
	return diags, r.Unusable == ""
}

// add notes the lookups in one document.
func (b *builder) add(document *parse.Input) {
	in, trace := document.Traced()
	diags, ok := read(b.format, in)
	asked := map[string]*parse.Asked{}
	var list []*parse.Asked
	for a := range trace.Objects() {
		lookups := *a // a look at the members here is a lookup, too
		list, asked[a.Object.Pointer()] = append(list, &lookups), &lookups
	}
	if !slices.ContainsFunc(list, isRead) {
		return // the format only looked what the document is
	}
	root, err := in.JSON()
	if err != nil {
		root, _ = in.Tree()
	}
	if kind := root.Kind().String(); ok && !slices.Contains(b.root, kind) {
		b.root = append(b.root, kind)
	}
	for _, a := range list {
		b.object(a, asked, ok && !wrong(diags))
	}
}

// isRead reports an object in which a member was read.
func isRead(a *parse.Asked) bool {
	return slices.ContainsFunc(a.Wishes, func(w parse.Wish) bool { return w.Known })
}

// object notes the lookups in one object. sound is set if its document breaks no rule.
func (b *builder) object(a *parse.Asked, asked map[string]*parse.Asked, sound bool) {
	p, ok := b.at(a.Object.Pointer(), asked)
	if !ok {
		return
	}
	b.objects++
	p.objects++
	if a.Listed {
		p.listed++
	}
	there := map[string]bool{}
	for name, value := range a.Object.Members() {
		there[name] = true
		if p.taken == nil {
			p.taken = map[string][]parse.Kind{}
		}
		if sound {
			p.taken[name] = with(p.taken[name], value.Kind())
		}
	}
	for i := range a.Wishes {
		w := &a.Wishes[i]
		m := p.named(w.Name)
		m.asked++
		if !there[w.Name] {
			m.absent++
		}
		if !w.Known {
			continue
		}
		m.wished, m.known = true, true
		m.kinds = with(m.kinds, w.Kinds...)
		if w.Need == parse.Must {
			m.must++
		}
		if w.Spec.Title != "" && (m.spec.Title == "" || m.spec.Section == "") {
			m.spec = w.Spec
		}
	}
}

// free moves the members that were looked up only where they are, in objects of which all members
// are read: the documents choose their names. They have one description.
func (p *place) free() {
	for _, name := range slices.Sorted(maps.Keys(p.member)) {
		m := p.member[name]
		switch {
		case m.absent > 0:
			m.free()
		case !m.wished:
			delete(p.member, name) // a reference led there
		case p.listed == p.objects && (m.asked < p.objects || p.objects == 1 && m.must == 0):
			delete(p.member, name)
			m.kinds, m.asked, m.must = nil, 0, 0
			one(&p.other).join(m)
		default:
			m.free()
		}
	}
	for _, more := range []*place{p.other, p.item} {
		if more != nil {
			more.free()
		}
	}
}

// join adds what is known about another place.
func (p *place) join(o *place) {
	p.objects, p.listed = p.objects+o.objects, p.listed+o.listed
	p.asked, p.absent, p.must = p.asked+o.asked, p.absent+o.absent, p.must+o.must
	p.kinds, p.wished, p.known, p.schema = with(p.kinds, o.kinds...), p.wished || o.wished, p.known || o.known, p.schema || o.schema
	for name, kinds := range o.taken {
		if p.taken == nil {
			p.taken = map[string][]parse.Kind{}
		}
		p.taken[name] = with(p.taken[name], kinds...)
	}
	if p.spec.Title == "" {
		p.spec = o.spec
	}
	for name, m := range o.member {
		p.named(name).join(m)
	}
	if o.other != nil {
		one(&p.other).join(o.other)
	}
	if o.item != nil {
		one(&p.item).join(o.item)
	}
}

func with(list []parse.Kind, kinds ...parse.Kind) []parse.Kind {
	for _, k := range kinds {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// at returns the place of an object. ok is false if the way to it is not known: a reader did not
// look it up in the object around it, but followed a reference.
func (b *builder) at(pointer string, asked map[string]*parse.Asked) (p *place, ok bool) {
	p, path, inside := &b.document, "", false
	step := func() {
		p.known = true
		if a := asked[path]; a != nil && a.Schema {
			p.schema = true
			p, inside = &b.schemas, true
		}
	}
	step()
	if pointer == "" {
		return p, true
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		parent := asked[path]
		path += "/" + part
		switch {
		case parent != nil && (!inside || parent.Schema) && isAsked(parent, name):
			p = p.named(name)
		case parent == nil && isIndex(name):
			p = one(&p.item)
		case inside || parent != nil && parent.Listed:
			p = one(&p.other)
		default:
			return nil, false
		}
		step()
	}
	return p, !inside || asked[path].Schema // names in a schema are free
}

func isAsked(a *parse.Asked, name string) bool {
	return slices.ContainsFunc(a.Wishes, func(w parse.Wish) bool { return w.Name == name })
}

func isIndex(name string) bool { _, err := strconv.Atoi(name); return err == nil }

// schema is a JSON Schema, with its keywords in the order in which people read them.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Comment     string             `json:"$comment,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        []string           `json:"type,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Other       *schema            `json:"additionalProperties,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Examples    []json.RawMessage  `json:"examples,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// write returns the schema of the format.
func (b *builder) write() ([]byte, error) {
	if b.objects == 0 {
		return nil, nil
	}
	b.document.free()
	s := b.schemaOf(&b.document, "", nil, true)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Comment = "Made from the code of wayfind that reads the format: wayfind formats --schema " + b.format.Name
	s.Title, s.Description = b.format.Title, specText(b.format.Spec)
	s.Ref, s.Type = "", b.root
	if b.schemas.member != nil {
		def := b.schemaOf(&b.schemas, "", nil, false)
		def.Title = "a JSON Schema"
		s.Defs = map[string]*schema{"schema": def}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// schemaOf returns the schema of a place. within is the name of the member around it, taken are the
// kinds of the values there, and sure is set if each document is read there.
func (b *builder) schemaOf(p *place, within string, taken []parse.Kind, sure bool) *schema {
	s := &schema{}
	if p.schema {
		s.Ref = "#/$defs/schema"
	}
	if len(p.kinds) > 0 {
		for _, k := range with(slices.Clone(p.kinds), taken...) {
			s.Type = append(s.Type, k.String())
		}
		slices.Sort(s.Type)
	}
	s.Description = specText(p.spec)
	for _, name := range slices.Sorted(maps.Keys(p.member)) {
		m := p.member[name]
		if !m.known {
			continue // a format only looked whether it is there
		}
		if s.Properties == nil {
			s.Properties = map[string]*schema{}
		}
		made := b.schemaOf(m, name, p.taken[name], sure && m.asked == p.objects)
		if e := cmp.Or(b.format.Examples[within+"."+name], b.format.Examples[name]); e != "" {
			made.Examples = []json.RawMessage{json.RawMessage(e)}
		}
		s.Properties[name] = made
		if sure && m.must > 0 && m.must == p.objects {
			s.Required = append(s.Required, name)
		}
	}
	if p.other != nil {
		s.Other = b.schemaOf(p.other, within, nil, sure)
	}
	if p.item != nil {
		s.Items = b.schemaOf(p.item, within, nil, sure)
	}
	return s
}

// specText names a section of a specification.
func specText(spec wayfind.SpecRef) string {
	if spec.Title == "" {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", spec.Title, spec.Section)) + ", " + spec.URL
}
