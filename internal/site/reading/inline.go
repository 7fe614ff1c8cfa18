package reading

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

// inline reads the documents inside a document that a format has read. They are recognised by their
// content, like any other. If no format claims one, it is reported.
func (r *Reader) inline(w *fuel.Counter, d *Contents, outer *parse.Format, list []parse.Inline) {
	deep, cut := 0, 0
	if outer.Index {
		if d.listed == nil {
			d.listed = new(int)
		}
		*d.listed += len(d.readings[len(d.readings)-1].part.Documents)
	}
	for _, made := range list {
		raw := made.Value.Raw()
		w.Text(len(raw))
		if !r.genuine(d, made) {
			continue
		}
		sum := sha256.Sum256(raw)
		part := &Contents{input: d.input.Within(made.Value), digest: hex.EncodeToString(sum[:]), secrets: d.secrets, around: d.around, whole: d.whole, listed: d.listed}
		if part.whole == nil {
			part.whole = d.input
		}
		if outer.Index {
			part.around++
		}
		r.match(part)
		if part.around >= parse.MaxIndexes && part.isIndex() {
			deep++
			continue
		}
		if d.listed != nil && *d.listed > parse.DefaultItems && part.isIndex() {
			cut++
			continue
		}
		r.parse(w, part)
		if !part.Read() && len(part.diags) == 0 {
			part.diags = append(part.diags, ruleInlineUnread.Diagnostic(d.input.URL.String(), "the document inside this one is not read: %s", part.verdict))
		}
		part.name(made.Value.Pointer())
		d.readings, d.diags = append(d.readings, part.readings...), append(d.diags, part.diags...)
		d.secret = d.secret || part.secret
		if part.Read() {
			d.inline = append(append(d.inline, made.Value.Pointer()), part.inline...)
		}
	}
	if cut > 0 {
		d.diags = append(d.diags, ruleInlineCut.Beyond("entries", 0, parse.DefaultItems).Diagnostic(d.input.URL.String(),
			"%d catalogues inside it are not read: those before have more than %d entries", cut, parse.DefaultItems))
	}
	if deep > 0 {
		d.diags = append(d.diags, ruleInlineDepth.Beyond("catalogues within each other", 0, parse.MaxIndexes).Diagnostic(d.input.URL.String(),
			"%d catalogues inside it are not read: more than %d would stand within each other", deep, parse.MaxIndexes))
	}
}

// genuine reports whether a document has the digest that the outer document contains for it.
func (r *Reader) genuine(d *Contents, made parse.Inline) bool {
	if made.SHA256 == "" {
		return true
	}
	digest, err := cards.Digest(made.Value.Raw())
	if err == nil && digest == made.SHA256 {
		return true
	}
	said := ruleInlineDigest.Diagnostic(d.input.URL.String(), "the document does not have the digest that stands beside it; it is not read")
	said.Pointer = made.Value.Pointer()
	d.diags = append(d.diags, said)
	return false
}

// isIndex reports whether a format that lists other documents is sure of this one.
func (d *Contents) isIndex() bool {
	return slices.ContainsFunc(d.claims, func(c claimed) bool { return c.format.Index && c.Level == parse.Exact })
}

// name sets the pointer of the diagnostics about a part as a whole.
func (d *Contents) name(pointer string) {
	for i := range d.diags {
		if d.diags[i].Pointer == "" && d.diags[i].Line == 0 {
			d.diags[i].Pointer = pointer
		}
	}
}

// inlineKey identifies a document inside another, by its pointer.
type inlineKey string

// about returns the document about a subject: this one, or one inside it.
func (d *Contents) about(subject parse.Subject) *parse.Input {
	var refs []wayfind.Ref
	switch {
	case subject.Capability != nil:
		refs = subject.Capability.Sources
	case subject.Service != nil:
		refs = subject.Service.Sources
	}
	best := ""
	for _, pointer := range d.inline {
		within := func(r wayfind.Ref) bool {
			return r.Pointer == pointer || strings.HasPrefix(r.Pointer, pointer+"/")
		}
		if len(pointer) > len(best) && slices.ContainsFunc(refs, within) {
			best = pointer
		}
	}
	if best == "" {
		return d.input
	}
	return d.input.Derived(inlineKey(best), func() any { // one for all, so that they share its derived values
		root, err := d.input.JSONThatFits()
		if err != nil {
			return d.input
		}
		whole := parse.Refs{Root: root}
		return d.input.Within(whole.At(best))
	}).(*parse.Input)
}
