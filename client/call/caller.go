package call

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/security"
)

// shared is the state of a Caller and of all Callers that are derived from it, as with
// [Caller.With].
type shared struct {
	client *client.Client
	opts   Options
	key    []byte // seals tickets
	salt   []byte // of the digests in records
	pace   callresult.Pace

	mu        sync.Mutex
	sessions  map[sessionKey]session
	spent     map[string]time.Time
	disclosed map[disclosedKey]bool
	lost      map[intention]lostCall
	underWay  map[intention]int // see agreed.intend
	plans     map[planKey]*plan
	record    string // digest of the last record
	// transports by origin.
	transports map[string]http.RoundTripper
	tokens     *tokens.Keeper

	challenges map[challengeKey]*challenged
	dialects   map[dialectKey]bool // true for the older dialect
	talks      *conversations
	lately     map[madeKey]try
}

// principal returns the user on whose behalf a call is made.
func (c *shared) principal(ctx context.Context) (string, error) {
	if c.opts.Principal == nil {
		return "", nil
	}
	return askHook("Principal", func() (string, error) { return c.opts.Principal(ctx), nil })
}

// ownMetadata refuses metadata of the resource on another site.
func (c *shared) ownMetadata(metadata, origin string) error {
	if metadata == "" {
		return nil
	}
	u, err := parseURL(metadata)
	if err == nil && (security.Origin(u) == origin || access.Of(c.client).SameSite(u.Host, strings.TrimPrefix(origin, "https://"))) {
		return nil
	}
	return fail(CredentialRefused, wayfind.NewError("oauth", origin, wayfind.CodeCrossSite, errStranger), "the site names a server of another site for it")
}

// challenge remembers the challenge of a site, so that later requests carry a credential.
func (c *shared) challenge(k challengeKey, what *challenged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.challenges == nil || len(c.challenges) >= maxSessions {
		c.challenges = make(map[challengeKey]*challenged)
	}
	c.challenges[k] = what
}

// provide implements access.CredentialProvider.
func (c *shared) provide(ctx context.Context, q security.CredentialRequest, before access.CredentialSource) (access.CredentialSource, error) {
	if c.opts.Credentials == nil {
		return nil, nil
	}
	l := &listCredential{shared: c, asked: q}
	var err error
	if l.principal, err = c.principal(ctx); err != nil {
		return nil, err
	}
	refused, again := before.(*listCredential)
	if again {
		l.part = refused.part
	}
	challenge := l.challenged()
	switch {
	case again && l.part.grant.kind != kindOAuth:
		return nil, nil // the server has refused the only credential
	case again:
		_, l.part.stale, _ = strings.Cut(refused.value.Value, " ")
		l.part.more = append(slices.Clone(l.part.more), challenge.scopes...)
	default:
		if found, err := l.find(ctx, challenge); err != nil || !found {
			return nil, err
		}
	}
	if challenge != nil {
		l.part.metadata, l.part.proofs = cmp.Or(challenge.metadata, l.part.metadata), challenge.proofs
	}
	if err := l.ownMetadata(l.part.metadata, q.Origin); err != nil {
		return nil, err
	}
	if err := l.get(ctx); err != nil {
		return nil, err
	}
	if q.Challenged && !l.isForDocument() {
		c.challenge(l.key(), challenge)
	}
	return l, nil
}

// Caller makes calls. Make one with [New]. It is safe for concurrent use.
type Caller struct {
	*shared
	form   tools.Form
	asker  string                 // see AskedBy
	trusts func(*tools.Tool) bool // nil if no tool is trusted
	hears  *hearing               // nil if notices are not passed on
	// answers is used if Options.Input is nil. It may be nil, too.
	answers func(context.Context, *InputRequest) (*InputAnswer, error)
	// inSession is true if MCP servers that can begin a session do so.
	inSession bool
}

// made returns nil for a Caller that New made or that is derived from one.
func (c *Caller) made() error {
	if c == nil || c.shared == nil {
		return errUnmade
	}
	return nil
}

// derive returns a copy of a Caller, which shares the state of c.
func (c *Caller) derive() *Caller {
	if err := c.made(); err != nil {
		panic("call: " + err.Error())
	}
	own := *c
	return &own
}

// With returns a Caller for a model that was shown definitions of a form. The Caller restores
// the publisher's names in the arguments of its calls. [tools.Definitions] have their form.
// For definitions of [tools.Box.Define], state the vendor and whether they are strict.
// Agreements, sessions and connections are shared with c. A new Caller costs nothing.
//
// A Caller without a form is for a model that was shown the publisher's schemas.
func (c *Caller) With(form tools.Form) *Caller {
	own := c.derive()
	own.form = form
	return own
}

// Forget ends the session of a principal. It removes agreements and tokens, in this Caller and
// in Options.Tokens, and returns the error of Options.Tokens. Sites whose documents the principal had no
// credential for are asked about again (see [Caller.WithCredentials]).
func (c *Caller) Forget(principal string) error {
	if err := c.made(); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	c.forget(principal)
	access.Of(c.client).Reask(lister{c.shared, principal})
	err := c.tokens.Forget(principal)
	c.talks.forget(principal) // afterwards, so that no call with one of these tokens begins anew
	return err
}

// Close ends the conversations with servers that the Caller and all Callers derived from it keep between
// calls, and waits for that, at most 3 seconds. A conversation that a call uses ends with the call.
// Later calls begin conversations that end with them.
//
// MCP servers of the versions with a handshake keep a session between calls: a page, a cart, a
// transaction. A Caller has one for each server, site that describes it, principal, party
// ([Caller.AskedBy]) and login with its scopes, and at most 64 for a principal and party. It ends 5
// minutes after its last call, or at the server's word. Without Close, it ends after that time, if the
// program still runs.
func (c *Caller) Close() error {
	if err := c.made(); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	c.talks.close()
	return nil
}

// Leave ends everything that is kept for the party that c is of (see [Caller.AskedBy]), once it is gone:
// its conversations with servers, and what a person has agreed to for its session. It sends requests in
// the background.
func (c *Caller) Leave() {
	if err := c.made(); err != nil {
		panic("call: " + err.Error())
	}
	c.mu.Lock()
	maps.DeleteFunc(c.sessions, func(k sessionKey, _ session) bool { return k.asker == c.asker })
	maps.DeleteFunc(c.disclosed, func(k disclosedKey, _ bool) bool { return k.asker == c.asker })
	c.mu.Unlock()
	c.talks.endIf(func(k conversationKey) bool { return k.asker == c.asker })
}

func (c *Caller) forget(principal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.sessions, func(k sessionKey, _ session) bool { return k.principal == principal })
	maps.DeleteFunc(c.disclosed, func(k disclosedKey, _ bool) bool { return k.principal == principal })
	maps.DeleteFunc(c.challenges, func(k challengeKey, _ *challenged) bool { return k.principal == principal })
	maps.DeleteFunc(c.lost, func(k intention, _ lostCall) bool { return k.principal == principal })
	maps.DeleteFunc(c.dialects, func(k dialectKey, _ bool) bool { return k.principal == principal })
	maps.DeleteFunc(c.lately, func(k madeKey, _ try) bool { return k.principal == principal })
}

// chained links a record to the previous record.
func (c *Caller) chained(rec *Record) *Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec.Previous = c.record
	if raw, err := json.Marshal(rec); err == nil {
		sum := sha256.Sum256(raw)
		c.record = hex.EncodeToString(sum[:])
	}
	return rec
}

// keyed returns a digest that can be compared within one Caller.
func (c *Caller) keyed(data []byte) string {
	m := hmac.New(sha256.New, c.salt)
	m.Write(data)
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// Call calls a tool with the arguments that the model wrote. The error is an *Error. The
// Result is not nil even if there is an error: it contains the explanation of the error for
// the model.
func (c *Caller) Call(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments})
}

// Resume repeats a call that ended with [OutcomeUnknown], with the idempotency key from its
// Result, so that a service that keeps its promise does nothing twice. Resume refuses a tool
// that takes no idempotency key, a key that the service no longer knows, and the key of another tool,
// principal or arguments. A key of another Caller needs the same Options.TicketKey. Call does the same by
// itself for an hour, with the same Caller.
func (c *Caller) Resume(ctx context.Context, box *tools.Box, tool string, arguments []byte, key string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, resumed: cmp.Or(key, "-")})
}

// CallConfirmed is Call with the ticket from a Result with the code [ConfirmationRequired]. The
// program calls it after a person has agreed. CallConfirmed refuses a ticket that was changed, was
// used before, has expired or is for another call.
func (c *Caller) CallConfirmed(ctx context.Context, box *tools.Box, tool string, arguments []byte, ticket string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, sealed: cmp.Or(ticket, "-")}) // an empty ticket is invalid, not absent
}

// CallConfirmedForSession is CallConfirmed for a person who has agreed for the session, as with
// [AllowSession]. If the [Question] did not offer a session, it is the same as CallConfirmed.
func (c *Caller) CallConfirmedForSession(ctx context.Context, box *tools.Box, tool string, arguments []byte, ticket string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, sealed: cmp.Or(ticket, "-"), session: true})
}

// run makes a call, from the choice of the tool to the Result.
func (c *Caller) run(ctx context.Context, o order) (*Result, error) {
	if err := c.made(); err != nil {
		return unmade(err)
	}
	r := &road{started: time.Now(), target: target{caller: c, name: o.name}}
	event := client.Event{Kind: client.EventCall}
	within, part := access.Of(c.client).Observe(ctx, event)
	res, err := r.travel(within, o)
	res, err = r.end(within, res, err)
	event.Outcome = client.OutcomeDone
	if e, ok := errors.AsType[*Error](err); ok {
		event.Outcome = e.Code.String()
	}
	if r.target.tool != nil {
		event.Target = r.target.tool.Origin
	}
	part.End(event)
	return res, err
}

// DryRun returns the request that Call would send, and whether a person would be asked. It
// contacts no site and fetches no token, but it calls Options.Credentials and Options.Approve.
func (c *Caller) DryRun(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Preview, error) {
	if err := c.made(); err != nil {
		return nil, fail(Refused, err, "")
	}
	t := target{caller: c, name: tool}
	prepared, err := t.prepare(ctx, order{box: box, name: tool, arguments: arguments})
	if err != nil {
		return nil, named(ctx, tool, nil, err)
	}
	a := agreed{prepared: &prepared, judgement: judge(prepared.facts)}
	p := &Preview{Request: prepared.subject.shown(), Decision: a.decision, Reasons: a.reasons, Agreed: a.remembered(), Unplaced: prepared.unplaced, Retyped: t.retyped, Nulls: t.nulls}
	if capability := t.tool.Capability; capability != nil {
		p.DependsOn = slices.Clone(capability.DependsOn)
	}
	if a.decision != Run {
		p.Ticket = c.seal(a.newTicket())
	}
	return p, nil
}

// challengeOf returns the remembered challenge for a call; nil if there is none.
func (c *Caller) challengeOf(d *draft) *challenged {
	if d.declares() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.challenges[d.challengeKey()]
}

// Complete asks the MCP server of a prompt or a resource template for a completion. It changes
// nothing. Model.JSON of the Result is the completion in the format of the protocol: its
// values and, if the server states it, their total. The errors are the errors of Call. For any
// other tool the code is Refused.
func (c *Caller) Complete(ctx context.Context, box *tools.Box, tool string, ask *Completion) (*Result, error) {
	if ask == nil && c.made() == nil { // an order without a completion is a call
		return unmade(errNoCompletion)
	}
	return c.run(ctx, order{box: box, name: tool, completion: ask})
}

// Effect returns the effect that calls of a tool may have, whatever their arguments and
// whatever Options.Pinned returns. It contacts no site.
func (c *Caller) Effect(t *tools.Tool) Effect { return c.judged(t).effect }

// Decision returns the decision on the calls of a tool, as far as its definition alone says: a credential, or
// a call that was lost, may add a question.
func (c *Caller) Decision(t *tools.Tool) Decision {
	if err := c.made(); err != nil {
		panic("call: " + err.Error())
	}
	return c.judged(t).decision
}

func (c *Caller) judged(t *tools.Tool) judgement {
	if t == nil {
		panic("call: a nil Tool: tools.Box.Tool returns one")
	}
	return judge(facts{does: effect.In(t), trusted: c != nil && c.trusts != nil && c.trusts(t)})
}

// Trusting returns a Caller for an operator who trusts the statements of a site about the
// effects of some tools, because the operator has named their server. For such tools, the
// statement that a tool only reads is trusted. A statement that adds caution always applies.
// Agreements, sessions and connections are shared with c.
func (c *Caller) Trusting(trusts func(*tools.Tool) bool) *Caller {
	own := c.derive()
	own.trusts = trusts
	return own
}

// AskedBy returns a Caller for one of several parties that share a principal, such as the hosts of one
// bridge. What a person has agreed to for a session, and which credential may go to an origin, holds for
// the party that asked. The empty text is a party of its own, which c is of. Tokens and connections are
// shared with c. A new Caller costs nothing.
func (c *Caller) AskedBy(asker string) *Caller {
	own := c.derive()
	own.asker = asker
	return own
}

// transport returns the transport for an origin of the site of a tool. It sends through the
// guard of the Client.
func (c *Caller) transport(origin string) http.RoundTripper {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.transports[origin]
	if t == nil {
		if len(c.transports) >= maxSessions {
			clear(c.transports)
		}
		t = access.Of(c.client).HTTPForCalls(origin, false).Transport
		c.transports[origin] = t
	}
	return t
}

// Wait polls until the work is done or ctx ends. The last Result is returned even if there is
// an error.
func (c *Caller) Wait(ctx context.Context, h *Handle) (*Result, error) {
	if h == nil || h.look == nil {
		return &Result{Model: ModelResult{Code: Gone, Text: Gone.Sentence()}}, fail(Gone, nil, "there is nothing to wait for")
	}
	for pause := firstPoll; ; pause = min(2*pause, mostPoll) {
		wait := pause
		if told := time.Until(h.NotBefore); told > 0 {
			wait = max(told, firstPoll)
		}
		if err := sleep(ctx, wait); err != nil {
			return &Result{Model: ModelResult{Code: Timeout, Text: "The work goes on; wait longer.", Pending: true}, Program: ProgramResult{Handle: h}}, fail(Timeout, err, "")
		}
		res, err := h.look(ctx)
		if err != nil || !res.Model.Pending {
			return res, err
		}
		if res.Program.Handle != nil {
			h = res.Program.Handle
		}
	}
}

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

// WithCredentials returns a context under which servers list their tools, and origins serve their
// documents, for the principal of the context. tools.Load, tools.Watch, client.Client.Resolve and
// client.Client.Describe then ask Options.Credentials, instead of client.Options.Credentials, for
// the servers and documents that demand a credential, and get tokens as a call does. Such a
// [tools.Box] is for that principal only.
//
// If the documents of a server name a scheme, the server gets the credential with the first
// request, otherwise when it demands one. The Tool of the CredentialRequest is empty. A
// document of another site proves nothing: the Grant for a server that it names needs
// ProofPerson.
func (c *Caller) WithCredentials(ctx context.Context) context.Context {
	own := c.derive()
	return access.WithCredentialProvider(ctx, own.provide, func(ctx context.Context) (access.Asker, error) {
		principal, err := own.principal(ctx)
		return lister{own.shared, principal}, err
	})
}

// lister is the principal of a Caller who is asked for the credentials of documents.
type lister struct {
	*shared
	principal string
}

// Answering returns a Caller whose calls ask input the questions of tools, unless Options.Input is
// set. It is called as Options.Input is. Agreements, sessions and connections are shared with c.
func (c *Caller) Answering(input func(context.Context, *InputRequest) (*InputAnswer, error)) *Caller {
	own := c.derive()
	own.answers = input
	return own
}

// InSession returns a Caller whose calls begin a session with an MCP server that can, as versions before
// 2026-07-28 do. In a session, a server asks its questions by requests of its own, which tools of that
// time cannot do otherwise. Set it for hosts of that time. Agreements, sessions and connections are shared
// with c.
func (c *Caller) InSession() *Caller {
	own := c.derive()
	own.inSession = true
	return own
}

// inputHook returns the hook for the questions of tools, or nil.
func (c *Caller) inputHook() func(context.Context, *InputRequest) (*InputAnswer, error) {
	if c.opts.Input != nil {
		return c.opts.Input
	}
	return c.answers
}

// Hearing returns a Caller that passes the notices of MCP servers about its calls to tell, on
// the goroutine of the call: progress notices, and log messages of the given level or a more
// important one. If the level is empty, it requests no log messages. No notice is passed on
// after the call has ended. Agreements, sessions and connections are shared with c.
func (c *Caller) Hearing(level string, tell func(*Notice)) *Caller {
	own := c.derive()
	own.hears = &hearing{level, tell}
	return own
}

// planOf returns the plan of a tool, and makes it if necessary.
func (c *Caller) planOf(t *tools.Tool) *plan {
	k := planKey{service: t.Service, capability: t.Capability, n: len(t.Sources)}
	if k.n > 0 {
		k.sources = &t.Sources[0]
	}
	c.mu.Lock()
	p := c.plans[k]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	p = newPlan(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.plans) >= maxPlans {
		clear(c.plans)
	}
	c.plans[k] = p
	return p
}

// seal writes a ticket with a message authentication code, so that others can carry it but not
// change it.
func (c *Caller) seal(t *ticket) string {
	raw, err := json.Marshal(t)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw) + "." + base64.RawURLEncoding.EncodeToString(c.mac(raw))
}

func (c *Caller) mac(raw []byte) []byte {
	m := hmac.New(sha256.New, c.key)
	m.Write(raw)
	return m.Sum(nil)
}

// open reads a sealed ticket. It does not interpret a ticket without a valid seal.
func (c *Caller) open(sealed string) (*ticket, error) {
	text, sum, found := strings.Cut(sealed, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	mac, err2 := base64.RawURLEncoding.Strict().DecodeString(sum)
	if len(sealed) > maxTicket || !found || err != nil || err2 != nil || subtle.ConstantTimeCompare(mac, c.mac(raw)) != 1 {
		return nil, errForeign
	}
	var t ticket
	if err := json.Unmarshal(raw, &t); err != nil || t.Schema != ticketSchema {
		return nil, errForeign
	}
	return &t, nil
}

// spend marks a ticket as used. It returns an error if the ticket was used before.
func (c *Caller) spend(ctx context.Context, t *ticket) error {
	if c.opts.Spend != nil {
		if _, err := askHook("Spend", func() (struct{}, error) { return struct{}{}, c.opts.Spend(ctx, t.ID, t.Expires) }); err != nil {
			return fmt.Errorf("%w: %w", errSpent, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if len(c.spent) >= maxSpent {
		maps.DeleteFunc(c.spent, func(_ string, until time.Time) bool { return !now.Before(until) })
	}
	if _, used := c.spent[t.ID]; used || len(c.spent) >= maxSpent {
		return errSpent
	}
	c.spent[t.ID] = t.Expires
	return nil
}

// newlyDisclosed returns the credentials that go to an origin for the first time for a user.
func (c *Caller) newlyDisclosed(principal string, placed []Placed) (list []disclosedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range placed {
		if k := (disclosedKey{principal, c.asker, p.Origin, p.Scheme}); !c.disclosed[k] {
			list = append(list, k)
		}
	}
	return list
}

// disclose remembers the origins that credentials go to with the agreement of a person.
func (c *Caller) disclose(news []disclosedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.disclosed) >= maxSessions {
		clear(c.disclosed)
	}
	for _, k := range news {
		c.disclosed[k] = true
	}
}
