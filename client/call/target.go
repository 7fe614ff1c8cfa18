package call

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/uuid"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/schema"
)

// target is the tool that is called, with the caller and the arguments.
type target struct {
	caller    *Caller
	principal string
	name      string // the name that the model wrote
	box       *tools.Box
	tool      *tools.Tool
	plan      *plan
	protocol  protocol
	at        *wayfind.Interface // the interface that is used; nil for plain HTTP
	given     []byte             // the arguments as the model wrote them
	args      []byte             // validated with the publisher's schema
	overlaps  []string           // pointers to arguments that several alternatives take
	retyped   []string           // arguments of which a value was taken in the type of the schema
	nulls     []string           // arguments whose null is left out
	shown     *schema.Projection // the form that the model was shown; nil for the publisher's schema
	resumed   string             // the idempotency key of an earlier attempt
	undone    []string           // prerequisites that were called and did not succeed
	state     []string           // see present; nil before it is known
	meant     intention          // see intention; zero before it is made
	stores    string             // see stored; "" before it is made
	intended  bool               // see intend

	completion *Completion // the completion that is requested; nil for a call
}

// prepare does everything that needs no agreement: it finds the tool, reads the arguments and
// writes the request. Even if there is an error, it returns the prepared call as far as it
// got.
func (t *target) prepare(ctx context.Context, o order) (p prepared, err error) {
	p.target = t
	if t.principal, err = t.caller.principal(ctx); err != nil {
		return p, fail(Refused, err, "")
	}
	if o.box == nil {
		return p, fail(NotFoundTool, nil, "")
	}
	t.box, t.resumed = o.box, o.resumed
	if t.tool, err = o.box.Tool(t.name); err != nil {
		return p, fail(NotFoundTool, err, "")
	}
	t.plan = t.caller.planOf(t.tool)
	if err = t.choose(); err != nil {
		return p, err
	}
	if t.resumed != "" && t.plan.operation == nil {
		return p, errKeyless
	}
	if err = t.read(&o); err != nil {
		return p, err
	}
	if o.inOrder { // before a person is asked about a site or a credential
		if err = t.inOrder(); err != nil {
			return p, err
		}
	}
	if o.inOrder && t.completion == nil {
		t.present(ctx)
	}
	if err = t.recall(ctx); err != nil {
		return p, err
	}
	d, err := t.protocol.prepare(t)
	if p.unplaced = d.unplaced; d.url != nil {
		p.subject = &subject{message: d.message, key: d.key} // for the record of a refusal
	}
	if err == nil && d.origin != d.tool.Origin { // a server under development has only its own tools
		var guard *security.Guard
		_, err = guard.ParseRequest(d.url.String())
	}
	if err != nil {
		return p, unplaceable(err)
	}
	if err = d.approve(ctx); err != nil {
		return p, err
	}
	parts, err := d.authenticate(ctx)
	if err != nil {
		return p, err
	}
	if p, err = d.finish(ctx, p.subject, parts); err == nil && len(p.unplaced) > 0 && judge(p.facts).effect != Reads {
		err = fail(InvalidArguments, nil, t.misplaced(p.unplaced))
	}
	return p, err
}

// read reads the arguments of a call. If the call is a completion, there are no arguments.
func (t *target) read(o *order) (err error) {
	if t.completion = o.completion; t.completion != nil {
		t.args = []byte(`{}`)
		return t.completes()
	}
	t.given = httpcall.Object(o.arguments)
	t.args, err = t.decode(o.arguments)
	return err
}

// decode reads the arguments of a model strictly, restores the publisher's names and validates
// them with the publisher's schema.
func (t *target) decode(arguments []byte) ([]byte, error) {
	form := t.caller.form
	if old, ok := form.Before(t.box, t.name); ok && t.caller.planOf(old).definition() != t.plan.definition() {
		return nil, fail(InvalidArguments, nil, "the tool has changed since its definition was shown; look at it again")
	}
	p, err := t.plan.projection(t.tool, form)
	if err != nil {
		return nil, fail(Gone, err, "it has no definition of this form")
	}
	t.shown = p
	d, err := httpcall.Decode(arguments, t.tool.Schema, p, 0)
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	t.overlaps, t.retyped, t.nulls = d.Overlaps, d.Retyped, d.Nulls
	return d.Args, nil
}

// reads reports whether the publisher declares that the tool changes nothing.
func (t *target) reads() bool {
	does := effect.In(t.tool)
	return does.Reads || does.SaysReads
}

// choose finds the protocol of the tool, and an interface that supports it.
func (t *target) choose() error {
	if t.tool.Agent {
		err := t.speak(callable.A2A)
		if err != nil && t.speak(callable.Actors) == nil {
			return nil
		}
		return err
	}
	c := t.tool.Capability
	if c == nil || c.Invocation == nil {
		return fail(Gone, nil, "nothing says how it is called")
	}
	return t.speak(c.Invocation.Protocol)
}

// speak finds an interface of a service at which calls in a protocol are made. A method with servers
// of its own is called there.
func (t *target) speak(name string) error {
	if c := t.tool.Capability; name == callable.RPC && c != nil && c.Invocation != nil && c.Invocation.URL != "" {
		t.protocol, t.at = protocolNamed(name), &wayfind.Interface{Protocol: name, URL: c.Invocation.URL}
		return nil
	}
	at, err := callable.Interfaces(t.tool.Service, name)
	if e, ok := errors.AsType[*callable.Error](err); ok {
		kind := Refused
		if e.Nowhere {
			kind = Gone
		}
		return fail(kind, nil, e.Error())
	}
	t.protocol = protocolNamed(name)
	if t.at = nil; len(at) > 0 {
		// The first one that may be asked, as package tools judges it.
		t.at = at[max(0, slices.IndexFunc(at, func(f *wayfind.Interface) bool { return callable.Refused(t.tool.Origin, f.URL) == nil }))]
	}
	return nil
}

// a2aDraft returns the draft of a request, in either binding.
func (t *target) a2aDraft(msg *a2aMessage) (d draft, err error) {
	if callable.REST(t.at) {
		d, err = t.restDraft(msg)
	} else {
		d, err = t.rpcDraft(msg.method, msg.params(""))
	}
	if err == nil && callable.Version1(t.at) {
		d.header["A2a-Version"] = []string{"1.0"} // without the field, 0.3 is assumed
	}
	return d, err
}

// restDraft returns the draft of a request to a path below the URL of the interface.
func (t *target) restDraft(msg *a2aMessage) (d draft, err error) {
	base, err := newMessage(http.MethodPost, t.at.URL, nil)
	if err != nil {
		return d, err
	}
	method, header, path := http.MethodGet, http.Header{"Accept": {"application/json"}}, msg.path
	if msg.params != nil {
		method, header = http.MethodPost, jsonHeader("application/json")
	}
	if t.at.Tenant != "" {
		tenant, err := segment(t.at.Tenant)
		if err != nil {
			return d, err
		}
		path = "/" + tenant + path
	}
	m, err := newMessage(method, base.origin+strings.TrimRight(base.url.EscapedPath(), "/")+path, header)
	if err == nil && msg.params != nil {
		m.body = msg.params("")
	}
	return draft{target: t, message: m}, err
}

// completes returns an error if a completion of the tool must not be requested.
func (t *target) completes() error {
	c := t.tool.Capability
	if c == nil || c.Invocation == nil || c.Invocation.Protocol != "mcp" || c.Kind != wayfind.KindPrompt && c.Kind != wayfind.KindResource {
		return fail(Refused, nil, "only the arguments of prompts and resources of MCP servers are completed")
	}
	return nil
}

// auth returns the statement of the site about authentication that is nearest to the call.
func (t *target) auth() *wayfind.Auth {
	if c := t.tool.Capability; c != nil && c.Auth != nil {
		return c.Auth
	}
	if t.at != nil && t.at.Auth != nil {
		return t.at.Auth
	}
	return t.tool.Service.Auth
}

// declares reports whether a document names a scheme for the call. A document that declares no
// authentication may be wrong, so the scheme "none" is ignored.
func (t *target) declares() bool {
	auth := t.auth()
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if s.Kind != wayfind.SchemeNone {
			return true
		}
	}
	return false
}

// resource returns the URL that a token would be for (RFC 8707): the endpoint of a protocol
// or, for plain HTTP, the origin.
func (t *target) resource(m *message) string {
	if t.at == nil {
		return m.origin
	}
	u := *m.url
	u.RawQuery = ""
	return u.String()
}

func (t *target) dialectKey() dialectKey {
	return dialectKey{t.principal, cmp.Or(t.at.URL, t.at.Template)}
}

// speaksOlder reports whether the server supports the older dialect. known is false if the
// server was not asked.
func (t *target) speaksOlder() (older, known bool) {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	older, known = c.dialects[t.dialectKey()]
	return older, known
}

// learn remembers the dialect of the server.
func (t *target) learn(older bool) {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dialects == nil || len(c.dialects) >= maxSessions {
		c.dialects = make(map[dialectKey]bool)
	}
	c.dialects[t.dialectKey()] = older
}

// unlearn forgets the dialect of a server that did not understand it, so that the next call
// asks again.
func (t *target) unlearn() {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.dialects, t.dialectKey())
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
		if !changed.Get(name).Exists() && !changed.Get(t.shown.Shown(name)).Exists() {
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
	if own.Kind != "" {
		own.Meant, own.Stored = t.intention().arguments, t.stored()
	}
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
	t.meant, t.stores = intention{t.principal, own.Tool, own.Meant}, own.Stored // the handle has no arguments
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
	p.facts.does = effect.In(t.tool)
	s := sent{agreed: &agreed{prepared: &p, judgement: judgement{effect: t.caller.Effect(t.tool)}}, parts: parts}
	return s.handle(own.Kind, own.Ref, own.NotBefore), nil
}

// teller returns the name of a tool that reads the data that this tool changes: a tool of the
// same site with the same URL and the method GET. It returns "" if there is none.
func (t *target) teller() string {
	c, does := t.tool.Capability, effect.In(t.tool)
	if c == nil || c.Invocation == nil || does.Safe {
		return ""
	}
	for _, other := range t.box.Tools() {
		read := other.Capability
		if other.Origin != t.tool.Origin || read == nil || read.Invocation == nil || read.Invocation.Method != http.MethodGet {
			continue
		}
		if placeOf(read.Invocation) == placeOf(c.Invocation) {
			return other.Name
		}
	}
	return ""
}

// profile returns the URL of the caller's own profile if the service of a tool uses it,
// otherwise "".
func (t *target) profile() string {
	s := t.tool.Service
	if s == nil || t.caller.opts.AgentProfile == "" {
		return ""
	}
	for _, f := range s.Interfaces {
		if slices.ContainsFunc(f.Sources, func(r wayfind.Ref) bool { return strings.HasPrefix(r.Pointer, ucpServices) }) {
			return t.caller.opts.AgentProfile
		}
	}
	return ""
}

// introduced returns the arguments of a tool with the caller's profile. It replaces a profile
// that a model names, because the profile belongs to the operator.
func (t *target) introduced() (parse.Raw, error) {
	profile := t.profile()
	if profile == "" {
		return parse.Raw(t.args), nil
	}
	args, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	us := rawjson.Obj(rawjson.Member{Name: "profile", Value: rawjson.Quote(profile)})
	return set(args, "meta", set(args.Get("meta"), ucpAgent, us)), nil
}

// keyFor creates the key of a call, once for all attempts. It returns nil if the call needs no
// key. A request with a safe method has a key too, because it may do more than read, but it
// gets no body for the key.
func (t *target) keyFor(m *message) (*key, error) {
	slot := t.plan.key
	if slot.Name == "" || slot.In == "body" && m.body == nil && effect.IsSafe(m.method) {
		if t.resumed != "" {
			return nil, errKeyless
		}
		return nil, nil
	}
	if t.resumed != "" && forgotten(t.resumed, t.tool.Capability.Effects) {
		return nil, fail(Refused, nil, "the service no longer knows its key")
	}
	own := t.keyed()
	if t.resumed != "" && !uuid.IsFor(t.resumed, t.caller.key, own) {
		return nil, fail(Refused, nil, "its key is of another call or user, or of a Caller without the same TicketKey; look at the service before you call again")
	}
	k := &key{in: slot.In, name: slot.Name, value: cmp.Or(t.resumed, t.resumable())}
	if k.value == "" {
		k.value = uuid.V7For(time.Now(), t.caller.key, own)
	}
	sendable := slot.In == "query"
	switch slot.In {
	case "header":
		sendable = fieldname.CheckField(slot.Name) == nil && text.IsFieldValue(k.value)
	case "body":
		if m.body == nil {
			m.body, m.header["Content-Type"] = []byte("{}"), []string{"application/json"}
		}
		root, err := (&parse.Input{Body: m.body}).JSONObject()
		if root.Get(slot.Name).Exists() {
			return nil, fail(InvalidArguments, nil, "the idempotency key is no argument")
		}
		sendable = strings.Contains(m.header.Get("Content-Type"), "json") && err == nil
	}
	if !sendable {
		return nil, fail(Refused, nil, "its idempotency key cannot be sent")
	}
	return k, nil
}

// approved asks Options.Approve for an endpoint. If the approval is not given, it returns
// refusal.
func (t *target) approved(ctx context.Context, endpoint *url.URL, q security.ApprovalRequest, refusal *Error) error {
	if t.caller.opts.Approve == nil {
		return refusal
	}
	q.Endpoint, q.Domain, q.Digest, q.Subject = endpoint.String(), access.Of(t.caller.client).Domain(endpoint.Hostname()), t.plan.definition(), t.tool.Key
	_, refusal.Err = askHook("Approve", func() (struct{}, error) { return struct{}{}, t.caller.opts.Approve(ctx, q) })
	if refusal.Err != nil {
		return refusal
	}
	return nil
}

// forget removes the documents of a tool from the cache, so that the next read gets the
// current definition. If a site is under development, its name is a URL that identifies only
// itself, so each document is removed as well.
func (t *target) forget(ctx context.Context) {
	_ = t.caller.client.Purge(ctx, t.plan.site)
	for _, ref := range t.tool.Sources {
		_ = t.caller.client.Purge(ctx, ref.Source)
	}
}

// rpcDraft returns a request to the interface without an id. The id is created when the
// request is sent, and is not part of the agreement.
func (t *target) rpcDraft(method string, params parse.Raw) (d draft, err error) {
	m, err := newMessage(http.MethodPost, t.at.URL, jsonHeader("application/json"))
	if err != nil {
		return d, err
	}
	m.body = jsonrpc.Request("", method, params)
	return draft{target: t, message: m}, nil
}

// misplaced returns a message with the arguments that prevent a call, and the names that the
// model may have meant. A change without one of its filters would change too much.
func (t *target) misplaced(unplaced []string) string {
	var known []string
	if c := t.tool.Capability; c != nil {
		for i := range c.Params {
			if op := t.plan.operation; op == nil || op.Withheld(&c.Params[i]).IsZero() {
				known = append(known, t.shown.Shown(c.Params[i].Name))
			}
		}
	}
	slices.Sort(known)
	list := []string{"the tool has no argument " + quoted(unplaced)}
	for _, name := range unplaced[:min(len(unplaced), maxNoted)] {
		if near := nearestOf(name, known); near != "" {
			list = append(list, fmt.Sprintf("for %+.*q, did you mean %+.*q?", maxNotedName, name, maxNotedName, near))
		}
	}
	switch {
	case len(list) > 1:
	case len(known) == 0:
		list = append(list, "it takes none")
	default:
		list = append(list, "it takes "+quoted(known))
	}
	return strings.Join(list, "; ")
}

// prepared is a call whose request is written. No I/O was needed for it, except the I/O of
// Options.Credentials and Options.Approve.
type prepared struct {
	*target
	subject  *subject
	begin    func() nextFunc
	unplaced []string // arguments that do not fit anywhere in the request
	parts    []part   // of the authentication
	facts    facts
	news     []disclosedKey // credentials that go to an origin for the first time
}

// unplaceable returns the error of a call whose request could not be written.
func unplaceable(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Code == wayfind.CodeLimit {
		return fail(InvalidArguments, e, "")
	} else if ok {
		return fail(Refused, e, "where it would go is refused")
	}
	if e, ok := errors.AsType[*httpcall.Error](err); ok && e.Code.Contract() {
		return fail(Refused, e, e.Code.Sentence())
	}
	return fail(InvalidArguments, err, "")
}
