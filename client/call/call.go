package call

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/placing"
)

// run is one call on its way.
type run struct {
	caller    *Caller
	ctx       context.Context
	outer     context.Context // that ctx is made of, while the call runs
	ends      []func()        // of contexts that were made besides
	box       *tools.Box
	tool      *tools.Tool
	principal string
	name      string
	started   time.Time

	args     []byte // judged by the publisher's schema
	protocol protocol
	at       *wayfind.Interface // that is used; nil for plain HTTP
	mcp      *mcpOperation      // with that protocol
	wire     *wire
	parts    []part

	decision  Decision
	reasons   []Reason
	by        string // who agreed: "", "session", "person", "ticket"
	ticket    *ticket
	otherSite bool
	unplaced  []string
	resumed   string // the idempotency key of an earlier attempt

	plan   *plan
	proven []Proof
	seen   *wayfind.Site
	news   []lentKey // credentials that go somewhere for the first time

	handed  bool     // an event of the answer was handed on
	stepped bool     // another token was had
	refusal error    // why it was not
	secrets []string // values that must not be shown
	fault   bool     // the service says that the arguments are at fault
	pollAt  string   // where the service says that the outcome will be
	status  int
	bytes   int
	result  *Result
}

// protocol is how a call is made over the wire.
type protocol interface {
	// name as in Invocation.Protocol.
	name() string
	// prepare writes the request.
	prepare(r *run) error
	// finish makes the call once it is agreed to.
	finish(r *run) error
}

// Call calls a tool with the arguments that the model wrote. The error is an *Error.
// There is a Result beside an error too, which says what the model is told.
func (c *Caller) Call(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Result, error) {
	return c.start(&run{caller: c, ctx: ctx, name: tool}, box, arguments, "")
}

// Resume repeats a call that ended with [OutcomeUnknown], with the idempotency key of its
// Result: a service that keeps its promise does nothing twice. It is refused for a tool
// that takes no such key, and for a key that the service no longer knows.
func (c *Caller) Resume(ctx context.Context, box *tools.Box, tool string, arguments []byte, key string) (*Result, error) {
	return c.start(&run{caller: c, ctx: ctx, name: tool, resumed: cmp.Or(key, "-")}, box, arguments, "")
}

// Redeem is Call with the ticket of a Result with the code [ConfirmationRequired]. The
// program calls it when a person has agreed. A ticket that was changed or used before,
// that has expired or that is for another call is refused.
func (c *Caller) Redeem(ctx context.Context, box *tools.Box, tool string, arguments []byte, ticket string) (*Result, error) {
	return c.start(&run{caller: c, ctx: ctx, name: tool}, box, arguments, cmp.Or(ticket, "-")) // an empty one is not none
}

func (c *Caller) start(r *run, box *tools.Box, arguments []byte, sealed string) (*Result, error) {
	r.started, r.principal, r.result = time.Now(), c.principal(r.ctx), &Result{}
	told := client.Event{Kind: client.EventCall}
	within, end := c.client.Observe(r.ctx, told)
	r.ctx = within
	err := r.prepare(box, arguments)
	if err == nil {
		err = r.confirm(sealed)
	}
	if err == nil {
		err = r.perform()
	}
	res, err := r.end(err)
	told.Outcome = client.OutcomeDone
	if e, ok := errors.AsType[*Error](err); ok {
		told.Outcome = e.Code.String()
	}
	if r.tool != nil {
		told.Target = r.tool.Origin
	}
	end(told)
	return res, err
}

// Preview describes a call that was not made.
type Preview struct {
	// Request that would be sent first.
	Request *Request `json:"request"`
	// Decision and Reasons say whether a person would be asked.
	Decision Decision `json:"decision"`
	Reasons  []Reason `json:"reasons,omitempty"`
	// Agreed: an earlier yes for the session covers it.
	Agreed bool `json:"agreed,omitempty"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	// This package never runs them by itself.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Unplaced are the arguments that the contract has no place for.
	Unplaced []string `json:"unplaced,omitempty"`
	// Ticket is what Redeem takes once a person has agreed to this request.
	Ticket string `json:"ticket,omitempty"`
}

// DryRun says what Call would send, and whether a person would be asked. No site is
// contacted and no token is fetched, but Options.Credentials and Options.Approve are
// called.
func (c *Caller) DryRun(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Preview, error) {
	r := &run{caller: c, ctx: ctx, name: tool, started: time.Now(), principal: c.principal(ctx), result: &Result{}}
	if err := r.prepare(box, arguments); err != nil {
		return nil, r.named(err)
	}
	p := &Preview{Request: r.wire.shown(), Decision: r.decision, Reasons: r.reasons, Agreed: r.remembered(), Unplaced: r.unplaced}
	if r.tool.Capability != nil {
		p.DependsOn = slices.Clone(r.tool.Capability.DependsOn)
	}
	if r.decision != Run {
		t, err := r.newTicket()
		if err != nil {
			return nil, r.named(err)
		}
		p.Ticket = c.seal(t)
	}
	return p, nil
}

// prepare does all that needs no agreement: it finds the tool, reads the arguments
// and writes the request.
func (r *run) prepare(box *tools.Box, arguments []byte) error {
	if box == nil {
		return fail(NotFoundTool, nil, "")
	}
	tool, err := box.Tool(r.name)
	if err != nil {
		return fail(NotFoundTool, err, "")
	}
	r.tool, r.box = tool, box
	r.plan = r.caller.planOf(tool)
	if r.protocol, err = r.choose(); err != nil {
		return err
	}
	if r.args, err = r.decode(arguments); err != nil {
		return err
	}
	if err := r.protocol.prepare(r); err != nil {
		return r.unplaceable(err)
	}
	if err := r.dev(); err != nil {
		return r.unplaceable(err)
	}
	if err := r.approve(); err != nil {
		return err
	}
	if err := r.authenticate(); err != nil {
		return err
	}
	r.decision, r.reasons = decide(r.known())
	return nil
}

// unplaceable is why no request could be written.
func (r *run) unplaceable(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return fail(Refused, e, "where it would go is refused")
	}
	if e, ok := errors.AsType[*placing.Error](err); ok && e.Code.Contract() {
		return fail(Refused, e, e.Code.Sentence())
	}
	return fail(InvalidArguments, err, "")
}

// known are the facts that the decision is made from.
func (r *run) known() known {
	k := known{method: r.wire.method, plain: r.protocolName() == protocolHTTP, otherSite: r.otherSite, pinChanged: r.pinChanged()}
	r.news = r.newlyLent()
	k.credential = len(r.news) > 0
	k.destructive = k.plain && r.wire.method == "DELETE"
	k.suspicious = len(r.tool.Service.Suspicious) > 0
	c := r.tool.Capability
	if c == nil {
		return k
	}
	k.effects, k.price, k.suspicious = c.Effects, c.Price, k.suspicious || len(c.Suspicious) > 0
	k.trusted = c.Effects != nil && said(c.Effects.ReadOnly) && !k.safe() && r.trusted() // nothing else depends on it
	if c.Effects == nil && (c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt) {
		k.effects = readOnlyByKind()
	}
	k.robots = c.RobotsDisallowed && enforced(r.caller.client)
	k.asksSecret = !r.declares() && slices.ContainsFunc(c.Params, isNamedLikeCredential)
	k.guessed = slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Confidence != nil && *p.Confidence < minConfidence })
	return k
}

// readOnlyByKind are the effects of content to read: by the protocol, and no
// more borne out than the site's word.
func readOnlyByKind() *wayfind.Effects {
	yes := true
	return &wayfind.Effects{ReadOnly: &yes}
}

// trusted reports whether a signature or a pin vouches for the definition.
func (r *run) trusted() bool {
	return containsProof(r.proofs(), ProofPin) || containsProof(r.proofs(), ProofSigned)
}

func (r *run) protocolName() string { return r.protocol.name() }

// lentKey is where a credential of a user went before.
type lentKey struct{ principal, origin, scheme string }

// newlyLent are the credentials that go where none went before.
func (r *run) newlyLent() (list []lentKey) {
	c := r.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range r.wire.placed {
		if k := (lentKey{r.principal, p.Origin, p.Scheme}); !c.lent[k] {
			list = append(list, k)
		}
	}
	return list
}

// lend remembers where credentials go with the agreement of a person.
func (r *run) lend() {
	c := r.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lent) >= maxSessions {
		clear(c.lent)
	}
	for _, k := range r.news {
		c.lent[k] = true
	}
}

// choose finds who speaks the protocol of the tool.
func (r *run) choose() (protocol, error) {
	if r.tool.Agent {
		p, err := r.speak("a2a")
		if r.at == nil {
			return r.speak(actorsName)
		}
		return p, err
	}
	c := r.tool.Capability
	if c == nil || c.Invocation == nil {
		return nil, fail(Gone, nil, "nothing says how it is called")
	}
	if c.Invocation.Protocol == protocolHTTP {
		return httpCall{}, nil
	}
	return r.speak(c.Invocation.Protocol)
}

// speak finds the interface that a protocol is spoken at.
func (r *run) speak(name string) (protocol, error) {
	p := speaker(name)
	if p == nil {
		return nil, fail(Refused, nil, fmt.Sprintf("calls in the protocol %s are not made", plainWord(name)))
	}
	var first *wayfind.Interface
	for i := range r.tool.Service.Interfaces {
		f := &r.tool.Service.Interfaces[i]
		if f.Protocol != name || f.URL == "" && f.Template == "" {
			continue
		}
		if first == nil {
			first = f
		}
		if suits(p, f) {
			r.at = f
			return p, nil
		}
	}
	if r.at = first; first == nil {
		return nil, fail(Gone, nil, fmt.Sprintf("nothing says where the protocol %s is spoken", plainWord(name)))
	}
	return p, nil
}

// suits reports whether a protocol is spoken at an interface in a way that is known.
func suits(p protocol, f *wayfind.Interface) bool {
	s, picky := p.(interface{ suits(*wayfind.Interface) bool })
	return !picky || s.suits(f)
}

// plainWord is a foreign word as our sentences may have it.
func plainWord(s string) string {
	if len(s) > 32 || strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && c != '+' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return "that it names"
	}
	return s
}
