package reading

import (
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

// addDigests sets the digest of each capability's definition, and the digest of each service's own
// part of the document, both before cleaning. Without a digest, a definition is compared by its
// form in the model.
func addDigests(w *fuel.Counter, r *parse.Reading, in *parse.Input) {
	root, err := in.JSON()
	if err != nil {
		return
	}
	d := &digests{work: w, document: parse.Refs{Root: root}, definitions: map[string]*string{}, parts: map[string]*string{}}
	for i := range r.Services {
		d.seen(r.Services[i].Sources, d.parts)
		for j := range r.Services[i].Capabilities {
			d.seen(r.Services[i].Capabilities[j].Sources, d.definitions)
		}
	}
	d.around()
	for i := range r.Services {
		service := &r.Services[i]
		service.Digest = d.of(service.Sources, d.parts, d.part)
		for j := range service.Capabilities {
			capability := &service.Capabilities[j]
			capability.Digest = d.of(capability.Sources, d.definitions, parse.Node.Raw)
		}
	}
}

// digests contains the digests of the parts of a document.
type digests struct {
	work     *fuel.Counter
	document parse.Refs
	// definitions and parts contain the digests of capabilities and services by JSON pointer,
	// because many may be made of one value; nil if a digest is not known yet.
	definitions, parts map[string]*string
	// within contains the pointers of the values that hold a definition.
	within map[string]bool
}

// seen records the pointer of a definition.
func (d *digests) seen(refs []wayfind.Ref, at map[string]*string) {
	if len(refs) > 0 {
		at[refs[0].Pointer] = nil
	}
}

// around records the values that hold definitions.
func (d *digests) around() {
	d.within = map[string]bool{}
	for _, at := range []map[string]*string{d.definitions, d.parts} {
		for pointer := range at {
			for !d.within[pointer] {
				d.work.Text(len(pointer))
				d.within[pointer] = true
				pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
			}
		}
	}
}

// of returns the digest of a definition, computed once for each pointer.
func (d *digests) of(refs []wayfind.Ref, known map[string]*string, raw func(parse.Node) []byte) string {
	if len(refs) == 0 {
		return ""
	}
	pointer := refs[0].Pointer
	d.work.Text(len(pointer))
	if digest := known[pointer]; digest != nil {
		return *digest
	}
	var digest string
	if n := d.document.At(pointer); n.Exists() {
		text := raw(n)
		d.work.Text(len(text))
		digest, _ = cards.Digest(text) // "" if the value has no canonical form
	}
	known[pointer] = &digest
	return digest
}

// part returns the value of a service without the definitions of capabilities and of other
// services, so that the addition of one changes nothing.
func (d *digests) part(n parse.Node) []byte {
	if own := d.rest(n, n.Pointer()); own != nil {
		return own
	}
	return rawjson.Obj()
}

// rest returns the value at a pointer without the definitions below it, or nil if there is no rest.
func (d *digests) rest(n parse.Node, pointer string) parse.Raw {
	if !d.within[pointer] {
		return n.Raw()
	}
	var members []rawjson.Member
	for name, value := range n.Members() {
		members = append(members, rawjson.Member{Name: name, Value: d.beside(value, pointer+"/"+reftoken.Escape(name))})
	}
	var items []parse.Raw
	for i, value := range n.Items() {
		items = append(items, d.beside(value, pointer+"/"+strconv.Itoa(i)))
	}
	switch text := rawjson.Obj(members...); {
	case len(text) > len("{}"):
		return text
	case n.Kind() == parse.Object:
		return nil
	}
	switch text := rawjson.Arr(items...); {
	case len(text) > len("[]"):
		return text
	case n.Kind() == parse.Array:
		return nil
	}
	return n.Raw()
}

// beside is rest for a value inside another; it returns nil for a definition.
func (d *digests) beside(n parse.Node, pointer string) parse.Raw {
	d.work.Text(len(pointer))
	if _, capability := d.definitions[pointer]; capability {
		return nil
	}
	if _, service := d.parts[pointer]; service {
		return nil
	}
	return d.rest(n, pointer)
}
