package call

import (
	"context"
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/act/reach"
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
	shown     *schema.Projection // the form that the model was shown; nil for the publisher's schema
	resumed   string             // the idempotency key of an earlier attempt

	completion *Completion // the completion that is requested; nil for a call
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

// draft is a request that is not yet the subject of a call.
type draft struct {
	*target
	message
	begin     func() nextFunc
	unplaced  []string
	key       *key
	otherSite bool

	proven []Proof       // see proofs
	seen   *wayfind.Site // see site
	broken error         // the error of Options.Pinned
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
	t.given = o.arguments
	t.args, err = t.decode(o.arguments)
	return err
}

// finish makes a prepared call from a draft. It adds the places of credentials to its subject.
func (d *draft) finish(ctx context.Context, own *subject, parts []part) (prepared, error) {
	p := prepared{target: d.target, subject: own, begin: d.begin, unplaced: d.unplaced, parts: parts}
	for i := range parts {
		p.subject.placed = append(p.subject.placed, parts[i].placed)
	}
	if err := p.subject.collide(); err != nil {
		return p, err
	}
	p.news = d.caller.newlyDisclosed(d.principal, p.subject.placed)
	p.facts = d.facts(ctx, len(p.news) > 0)
	if d.broken != nil {
		return p, fail(Refused, d.broken, "")
	}
	return p, nil
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
	args, overlaps, err := httpcall.Decode(arguments, t.tool.Schema, p, 0)
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	t.overlaps = overlaps
	return args, nil
}

// choose finds the protocol of the tool, and an interface that supports it.
func (t *target) choose() error {
	if t.tool.Agent {
		err := t.speak(reach.A2A)
		if err != nil && t.speak(reach.Actors) == nil {
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

// speak finds an interface of a service at which calls in a protocol are made.
func (t *target) speak(name string) error {
	at, err := reach.Interfaces(t.tool.Service, name)
	if e, ok := errors.AsType[*reach.Error](err); ok {
		kind := Refused
		if e.Nowhere {
			kind = Gone
		}
		return fail(kind, nil, e.Error())
	}
	t.protocol = protocolNamed(name)
	if t.at = nil; len(at) > 0 {
		t.at = at[0]
	}
	return nil
}
