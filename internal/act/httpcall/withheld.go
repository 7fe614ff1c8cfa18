package httpcall

import (
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// OperationOf returns the operation of a capability. auth is the authentication that its
// service or document requires; it may be nil. The Invocation of the result is nil if no
// document describes how the capability is called.
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
	op.locked = lockOf(auth)
	return op
}

// keyField is the header field of idempotency keys.
const keyField = "Idempotency-Key"

// KeyOf returns the place of the idempotency key, as the publisher declares it; zero if the
// capability has no key. A variable of the path is never the key, because it names the
// resource.
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

// keyName returns the name of the idempotency key, if there is one.
func keyName(c *wayfind.Capability) string {
	if c.Effects != nil && c.Effects.IdempotencyKey != "" {
		return c.Effects.IdempotencyKey
	}
	return keyField
}

// IsKey reports whether a member of a body that is a single argument is the idempotency key.
func (op *Operation) IsKey(member string) bool { return strings.EqualFold(member, op.keyName) }

// memberOf returns the name of a member in the schema of a whole body, ignoring case; "" if
// there is no such member.
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

// inOf returns the place of a key. If a document does not specify it, a name with a hyphen is
// a header field, and any other name is a member of the body.
func inOf(in, name string) string {
	switch {
	case in != "":
		return in
	case strings.Contains(name, "-"):
		return inHeader
	}
	return inBody
}

// Withheld returns the reason why a model must never set a parameter; the zero Code if it may.
// [Place] refuses an argument for such a parameter, and no definition offers it. A capability
// that requires it from the model cannot be called: see [Operation.Callable].
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
	}
	if shapes, why := op.Written(param); shapes == 0 {
		return why
	}
	return Code{}
}

// code returns the result of Withheld for the parameter at an index. It uses the result of
// Prepare if there is one.
func (op *Operation) code(i int) Code {
	if op.codes != nil {
		return op.codes[i]
	}
	return op.Withheld(&op.Params[i])
}

// writesBody reports whether a body of the media type can be written at all.
func (op *Operation) writesBody() bool {
	kind := mediaOf(op.contentType())
	return kind != mediaUnknown && kind != mediaXML || slices.ContainsFunc(op.Params, func(p wayfind.Param) bool {
		return op.where(&p) == inBody && (isBytes(p.Schema) || kind == mediaXML && p.Whole && xmlSchemasOf(p.Schema) != nil)
	})
}

// needsBody reports whether a request without a body would be refused.
func (op *Operation) needsBody() bool {
	required := op.Invocation.BodyRequired
	return required != nil && *required
}

// Callable returns the origin of all requests, as the document writes it. The error is an
// *Error: no request of the operation can ever be sent, whatever the arguments. For operations
// over protocols other than plain HTTP, both results are empty.
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
	t := op.parse()
	origin = t.origin
	if op.locked != nil {
		refuse(op.locked.Code, op.locked.In, op.locked.Name)
	}
	if op.needsBody() && !op.writesBody() {
		refuse(CodeMedia, inBody, "")
	}
	for i := range op.Params {
		p := &op.Params[i]
		code := op.Withheld(p)
		if isRequired(p) && !code.IsZero() && !text.Row(code.row).filled && !(op.where(p) == inHeader && sentAnyway(p.Name)) {
			refuse(code, op.where(p), p.Name)
		}
		if p.In == inPath && !t.places(p.Name) {
			refuse(CodeNoPlace, inPath, p.Name)
		}
	}
	return origin, nil
}
