package call

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// handleSchema is the name of the format of saved handles.
	handleSchema = "wayfind/handle/1"
	// handleLifetime is the time for which a saved handle can be opened.
	handleLifetime = 7 * 24 * time.Hour
)

// savedHandle is a handle as JSON. Its members are readable, except the sealed ones.
type savedHandle struct {
	handleLabel
	// Sealed is a sealedHandle, encrypted with the key of the Caller and bound to the label.
	Sealed string `json:"sealed"`
}

// handleLabel is the readable part of a saved handle.
type handleLabel struct {
	Schema string `json:"schema"`
	// Domain and Key name the tool, and Definition is the digest of its definition.
	Domain     string    `json:"domain"`
	Key        string    `json:"key,omitempty"`
	Definition string    `json:"definition"`
	Expires    time.Time `json:"expires"`
}

// sealedHandle is the encrypted part of a saved handle: URLs and arguments may contain secrets of
// the user.
type sealedHandle struct {
	Principal string     `json:"principal,omitempty"`
	Tool      string     `json:"tool"` // see toolID
	Form      tools.Form `json:"form,omitzero"`

	// For work that goes on: see handle.
	Kind       workKind    `json:"kind,omitempty"`
	Ref        string      `json:"ref,omitempty"`
	NotBefore  time.Time   `json:"notBefore,omitzero"`
	Extensions http.Header `json:"extensions,omitempty"`
	// For a page.
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Errors of saved handles.
var (
	errHandleForeign = errors.New("the saved handle is none of this Caller, or was changed: a Caller of another process needs the same TicketKey")
	errHandleExpired = errors.New("the saved handle has expired")
	errHandleOther   = errors.New("the saved handle is for another principal or for other definitions of the tools")
)

// Save returns the handle as JSON, for a file or a database. The JSON names the domain, the key of
// the tool, the digest of its definition and a time of expiry. The rest, such as URLs and
// arguments, is encrypted with Options.TicketKey. Credentials are not in it.
func (h *Handle) Save() ([]byte, error) {
	if h == nil || h.seal == nil {
		return nil, errors.New("call: the Handle is nil or zero: Caller.Call and Caller.Open return one")
	}
	return h.seal()
}

// page returns the handle for the next page; nil if there is none.
func (t *target) page(next json.RawMessage) *Handle {
	if next == nil {
		return nil
	}
	changed, err := (&parse.Input{Body: next}).JSONObject()
	given, err2 := (&parse.Input{Body: t.given}).JSONObject()
	if err != nil || len(t.given) > 0 && err2 != nil {
		return nil
	}
	var members []rawjson.Member
	for name, value := range given.Members() {
		if !changed.Get(name).Exists() {
			members = append(members, rawjson.Member{Name: name, Value: parse.Raw(value.Raw())})
		}
	}
	for name, value := range changed.Members() {
		members = append(members, rawjson.Member{Name: name, Value: parse.Raw(value.Raw())})
	}
	return t.pageOf([]byte(rawjson.Obj(members...)))
}

func (t *target) pageOf(arguments []byte) *Handle {
	return &Handle{Tool: t.name, Arguments: arguments, seal: func() ([]byte, error) {
		return t.seal(&sealedHandle{Arguments: arguments})
	}}
}

// seal writes a handle for a tool.
func (t *target) seal(own *sealedHandle) ([]byte, error) {
	own.Principal, own.Tool, own.Form = t.principal, toolID(t.tool), plainForm(t.caller.form)
	saved := savedHandle{handleLabel: handleLabel{
		Schema: handleSchema, Domain: t.tool.Domain, Key: t.tool.Key, Definition: t.plan.definition(), Expires: time.Now().Add(handleLifetime).UTC().Truncate(time.Second),
	}}
	label, err := json.Marshal(saved.handleLabel)
	if err != nil {
		return nil, err
	}
	secret, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	lock, err := t.caller.lock()
	if err != nil {
		return nil, err
	}
	saved.Sealed = base64.RawURLEncoding.EncodeToString(lock.Seal(nil, nil, secret, label))
	return json.Marshal(&saved)
}

// plainForm returns a form without the Box that was rendered, which another process does not have.
func plainForm(f tools.Form) tools.Form { return tools.Form{Vendor: f.Vendor, Strict: f.Strict} }

// lock returns the cipher of saved handles. Its key is derived from the key of tickets.
func (c *Caller) lock() (cipher.AEAD, error) {
	block, err := aes.NewCipher(c.mac([]byte(handleSchema)))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// unseal reads a saved handle.
func (c *Caller) unseal(saved []byte) (label handleLabel, own sealedHandle, err error) {
	var read savedHandle
	if err := json.Unmarshal(saved, &read); err != nil || read.Schema != handleSchema {
		return label, own, errHandleForeign
	}
	lock, err := c.lock()
	if err != nil {
		return label, own, err
	}
	clear, err := json.Marshal(read.handleLabel)
	sealed, err2 := base64.RawURLEncoding.DecodeString(read.Sealed)
	if err != nil || err2 != nil {
		return label, own, errHandleForeign
	}
	secret, err := lock.Open(nil, nil, sealed, clear)
	if err != nil || json.Unmarshal(secret, &own) != nil {
		return label, own, errHandleForeign
	}
	if !time.Now().Before(read.Expires) {
		return label, own, errHandleExpired
	}
	return read.handleLabel, own, nil
}

// Open returns the handle that [Handle.Save] wrote. It refuses, as Refused, a handle that was
// changed, has expired, belongs to another principal, was saved by a Caller with another
// TicketKey or for another form (see [Caller.With]), or whose tool is not in the Box with the same
// definition. It sends no request, but it calls Options.Credentials and Options.Approve for work
// that goes on.
func (c *Caller) Open(ctx context.Context, box *tools.Box, saved []byte) (*Handle, error) {
	if err := c.made(); err != nil {
		return nil, fail(Refused, err, "")
	}
	label, own, err := c.unseal(saved)
	if err != nil {
		return nil, fail(Refused, err, "")
	}
	t := &target{caller: c, box: box}
	if t.principal, err = c.principal(ctx); err != nil {
		return nil, fail(Refused, err, "")
	}
	if box == nil {
		return nil, fail(NotFoundTool, nil, "")
	}
	list := box.Tools()
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return toolID(&t) == own.Tool })
	if i < 0 {
		return nil, fail(NotFoundTool, nil, "")
	}
	t.name = list[i].Name
	if t.tool, err = box.Tool(t.name); err != nil {
		return nil, named(ctx, t.name, nil, fail(Gone, err, ""))
	}
	if t.plan = c.planOf(t.tool); t.principal != own.Principal || own.Kind == "" && plainForm(c.form) != own.Form || t.plan.definition() != label.Definition {
		return nil, named(ctx, t.name, nil, fail(Refused, errHandleOther, ""))
	}
	if own.Kind == "" {
		return t.pageOf(own.Arguments), nil
	}
	h, err := t.reopen(ctx, &own)
	if err != nil {
		return nil, named(ctx, t.name, nil, err)
	}
	return h, nil
}

// reopen returns the handle for work that goes on.
func (t *target) reopen(ctx context.Context, own *sealedHandle) (h *Handle, err error) {
	if err = t.choose(); err != nil {
		return nil, err
	}
	if t.shown, err = t.plan.projection(t.tool, t.caller.form); err != nil {
		return nil, fail(Gone, err, "it has no definition of this form")
	}
	ref := own.Ref
	if own.Kind == workTask {
		ref = t.at.URL
	}
	m, err := newMessage(http.MethodGet, ref, own.Extensions)
	if err != nil {
		return nil, unplaceable(err)
	}
	d := &draft{target: t, message: m}
	if err := d.approve(ctx); err != nil {
		return nil, err
	}
	parts, err := d.authenticate(ctx)
	if err != nil {
		return nil, err
	}
	p, err := d.finish(ctx, &subject{message: m}, parts)
	if err != nil {
		return nil, err
	}
	s := sent{agreed: &agreed{prepared: &p, judgement: judgement{effect: t.caller.Effect(t.tool)}}, parts: parts}
	return s.handle(own.Kind, own.Ref, own.NotBefore), nil
}
