package tools

import (
	"mime"
	"net/http"

	"github.com/wayfindhq/wayfind/security/schema"
)

// Form is the form in which a model was shown the definitions of tools. Together with the tool,
// it is all that is needed to convert the model's arguments back into the publisher's form.
// Create one for definitions of [Box.Define]; [Definitions] contain their own. The zero value
// is for a model that was shown the publisher's schemas.
//
// Forms are comparable.
type Form struct {
	// Vendor is the vendor of the definitions.
	Vendor Vendor
	// Strict is true if the definitions were rendered with strict mode, if a tool can have it.
	Strict bool

	from *Box // the Box that was rendered; nil if it is not known
}

// Before returns the tool of this name as the model was shown it, if the definitions were
// rendered from another Box than b. If the tool has changed since then, the arguments have
// another meaning.
func (f Form) Before(b *Box, name string) (*Tool, bool) {
	if f.from == nil || f.from == b {
		return nil, false
	}
	t, err := f.from.Tool(name)
	return t, err == nil
}

// Projection returns the schema of the arguments as it is in a definition of the form. It
// converts arguments back. It is nil for the zero Form. The error is an error of
// [schema.Schema.For] or of [Box.Tool].
func (t *Tool) Projection(f Form) (*schema.Projection, error) {
	if f.Vendor.IsZero() {
		return nil, nil
	}
	t, err := t.chosen()
	if err != nil {
		return nil, err
	}
	plain, words := f.Vendor.row.plain, t.wording(t.brevity)
	if !f.Strict || f.Vendor.row.strict.IsZero() {
		return t.Schema.Worded(plain, words)
	}
	target := f.Vendor.row.strict
	p, err := t.Schema.Worded(target, t.wording(schema.Whole))
	if err != nil || t.brevity == schema.Whole && !(p.Strict && t.patches(p)) {
		return p, err
	}
	// The whole definition decides whether it is strict: arguments are decoded with that one.
	if p.Strict && !t.patches(p) {
		return t.Schema.Worded(target, words)
	}
	why := p.Why
	if p.Strict {
		why = whyNull
	}
	if p, err = t.Schema.Worded(plain, words); err == nil {
		p.Target, p.Why = target, why
	}
	return p, err
}

// whyNull is the reason why a tool is not strict if null removes something.
const whyNull = "null_removes"

// patches reports whether null in a strict definition would be understood as a request to
// remove something: in a patch (RFC 7396, and RFC 6902 §4.3), and if an update accepts null for
// an optional member.
func (t *Tool) patches(p *schema.Projection) bool {
	if t.Capability == nil || t.Capability.Invocation == nil {
		return false
	}
	v := t.Capability.Invocation
	for _, kind := range append([]string{v.ContentType}, v.ContentTypes...) {
		switch media, _, _ := mime.ParseMediaType(kind); media {
		case "application/merge-patch+json", "application/json-patch+json":
			return true
		}
	}
	return (v.Method == http.MethodPatch || v.Method == http.MethodPut) && p.LosesNull()
}
