package httpcall

import (
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/authkind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
	"github.com/wayfindhq/wayfind/internal/text"
)

// OperationOf is the operation of a capability whose service or document asks for auth,
// which may be nil. Its Invocation is nil if nothing says how it is called.
func OperationOf(c *wayfind.Capability, auth *wayfind.Auth) *Operation {
	op := &Operation{Invocation: c.Invocation, Params: c.Params, Key: KeyOf(c), keyName: keyName(c)}
	if auth == nil {
		return op
	}
	for _, name := range slices.Sorted(maps.Keys(auth.Schemes)) {
		s := auth.Schemes[name]
		if authkind.Of(s).Members == authkind.PlaceOfKey && s.Name != "" {
			op.Credentials = append(op.Credentials, Slot{In: s.In, Name: s.Name})
		}
	}
	return op
}

// keyField is the header field of idempotency keys.
const keyField = "Idempotency-Key"

// KeyOf is where the publisher wants the key that makes a repetition harmless; zero for a
// capability that has none. A variable of the path is no key: it names the resource.
func KeyOf(c *wayfind.Capability) Slot {
	name := keyName(c)
	for _, p := range c.Params {
		if s := (Slot{In: inOf(p.In, p.Name), Name: p.Name}); p.Name == name || s.In == inHeader && strings.EqualFold(p.Name, name) {
			if s.In == inPath {
				return Slot{}
			}
			return s
		}
	}
	for i := range c.Params {
		if member := memberOf(&c.Params[i], name); member != "" {
			return Slot{In: inBody, Name: member}
		}
	}
	if c.Effects == nil || c.Effects.IdempotencyKey == "" {
		return Slot{}
	}
	return Slot{In: inOf("", name), Name: name}
}

// keyName is the name that such a key has, if there is one.
func keyName(c *wayfind.Capability) string {
	if c.Effects != nil && c.Effects.IdempotencyKey != "" {
		return c.Effects.IdempotencyKey
	}
	return keyField
}

// IsKey reports whether a member of a body that is one argument is the key.
func (op *Operation) IsKey(member string) bool { return strings.EqualFold(member, op.keyName) }

// memberOf is the name under which the schema of a whole body has a member; "" for none.
func memberOf(p *wayfind.Param, name string) string {
	if !p.Whole || p.In != inBody || len(p.Schema) == 0 {
		return ""
	}
	doc, err := jsonscan.Scan(p.Schema)
	if err != nil {
		return ""
	}
	for member := range doc.Root().Get("properties").Members() {
		if strings.EqualFold(member, name) {
			return member
		}
	}
	return ""
}

// inOf is the place of a key. If a document does not say the place, a name with a hyphen is
// the name of a header field.
func inOf(in, name string) string {
	switch {
	case in != "":
		return in
	case strings.Contains(name, "-"):
		return inHeader
	}
	return inBody
}

// Withheld says why a parameter is never the model's to fill; the zero Code if it is.
// [Place] takes no argument for it, no definition offers it, and a capability that requires
// it of the model cannot be called: see [Operation.Callable].
func (op *Operation) Withheld(param *wayfind.Param) Code {
	in := param.In
	if op.Invocation != nil && op.Invocation.Protocol == "http" {
		in = op.where(param)
	}
	switch {
	case op.keyName != "" && param.In != inPath && (param.Name == op.keyName || in == inHeader && strings.EqualFold(param.Name, op.keyName)):
		return CodeKey
	case op.credential(in, param.Name):
		return CodeCredential
	case in == inHeader:
		return fieldCode(param.Name)
	case in == inCookie && !token(param.Name):
		return CodeCookieName
	case in == inBody && op.Invocation != nil && !op.writes(param):
		return CodeMedia
	}
	return Code{}
}

// code is Withheld for a parameter by its place in the list, which Prepare has looked at.
func (op *Operation) code(i int) Code {
	if op.codes != nil {
		return op.codes[i]
	}
	return op.Withheld(&op.Params[i])
}

// writes reports whether a parameter of the body has a form in its media type.
func (op *Operation) writes(param *wayfind.Param) bool {
	kind := mediaOf(op.contentType())
	if param.Whole {
		return kind != mediaUnknown || isBytes(param.Schema)
	}
	return kind == mediaJSON || kind == mediaForm || kind == mediaMultipart
}

// Callable returns the origin of every request, as the document writes it. The error is an
// *Error: no request of the operation can ever be sent, whatever the arguments. Operations
// over other protocols than plain HTTP have neither.
func (op *Operation) Callable() (origin string, err error) {
	if op.Invocation == nil || op.Invocation.Protocol != "http" {
		return "", nil
	}
	defer func() {
		if e := recover(); e != nil {
			stopped, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			origin, err = "", stopped.err
		}
	}()
	origin = op.parse().origin
	for i := range op.Params {
		p := &op.Params[i]
		code := op.Withheld(p)
		if p.Required != nil && *p.Required && !code.IsZero() && !text.Row(code.row).filled {
			refuse(code, op.where(p), p.Name)
		}
	}
	return origin, nil
}
