package call

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security"
)

// agreed is a call that may be sent.
type agreed struct {
	*prepared
	judgement
	by     string  // who agreed: "", "session", "person", "ticket"
	ticket *ticket // of the agreement to this request; nil if none was needed or the session has one
	part   use     // of the call that is under way
}

// later leaves the question to a person elsewhere. The answer comes back with the ticket.
func (a *agreed) later(t *ticket) *Error {
	e := fail(ConfirmationRequired, nil, reasonText(a.reasons))
	e.question, e.ticket = a.question(), a.caller.seal(t)
	return e
}

// answered applies the answer of a person.
func (a *agreed) answered(ctx context.Context, t *ticket, said Answer) error {
	switch said.Verdict {
	case Later:
		return a.later(t)
	case AllowOnce, AllowSession:
	default:
		why := veil(nil).show(said.Why, secret.Line, 300)
		return fail(Denied, nil, why)
	}
	if err := a.caller.spend(ctx, t); err != nil {
		return fail(Denied, err, "")
	}
	a.ticket, a.by = t, "person"
	a.keep(a.decision.is().once || said.Verdict == AllowSession)
	return nil
}

// keep remembers an agreement: the origins that credentials may go to and, if it covers the
// session, the agreement itself.
func (a *agreed) keep(session bool) {
	if session && a.next != Run && a.next.is().session {
		a.remember(a.next.is().once)
	}
	a.caller.disclose(a.news)
}

// redeem lets a call pass if its ticket is valid.
func (a *agreed) redeem(ctx context.Context, o *order) error {
	t, err := a.caller.open(o.sealed)
	if err == nil {
		err = t.covers(a)
	}
	if err == nil {
		err = a.caller.spend(ctx, t)
	}
	if err != nil {
		return fail(ConfirmationRequired, err, "the agreement does not cover this call")
	}
	a.ticket, a.by = t, "ticket"
	a.keep(o.session)
	return nil
}

// question returns the question about the call.
func (a *agreed) question() *Question {
	q := &Question{
		Principal: a.principal, Tool: a.tool.Name, Domain: a.tool.Domain, Key: a.tool.Key, Title: a.tool.Service.Name,
		Request: a.subject.shown(), Effect: a.effect, Decision: a.decision, Reasons: slices.Clone(a.reasons), Session: a.next.is().session,
		Arguments: json.RawMessage(`{}`), Stated: a.stated(),
	}
	var short bytes.Buffer // white space from the model could push the rest out of sight
	if clean, err := secret.Veil(nil).ShowJSON(a.args, secret.Lines); err == nil && json.Compact(&short, clean) == nil {
		q.Arguments = short.Bytes()
	}
	q.Unplaced, q.Nulls = namesOf(a.unplaced), namesOf(a.nulls)
	if told := a.told(); told != "" {
		q.Stated = append(q.Stated, told)
	}
	if c := a.tool.Capability; c != nil {
		q.Title, q.Effects, q.Price, q.DependsOn = c.Title, c.Effects, a.facts.does.Price(), slices.Clone(c.DependsOn)
	}
	return q
}

// namesOf returns names for people, cleaned.
func namesOf(names []string) (list []string) {
	for _, name := range names[:min(len(names), maxNoted)] {
		list = append(list, veil(nil).show(name, secret.Line, maxNotedName))
	}
	return list
}

// equip gets the values of the credentials. Tokens are not fetched before this step. If a
// person must act, the time limit is longer. The secrets, including the known ones, are
// returned even if there is an error.
func (a *agreed) equip(ctx context.Context, parts []part, known veil) (own equipment, err error) {
	own.secrets = known
	if k := a.subject.key; k != nil {
		own.secrets = own.secrets.and(k.value) // the model never sees it
	}
	if len(parts) == 0 {
		return own, nil
	}
	most := a.caller.opts.Timeout
	for i := range parts {
		if c := parts[i].grant.hidden.config; c != nil && c.NeedsPeople() {
			most = max(most, peopleTime)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for i := range parts {
		own.secrets = own.secrets.and(parts[i].grant.hidden.value) // also removed from errors
		if cert := parts[i].grant.hidden.cert; cert != nil {
			own.cert = cert
			continue
		}
		c, err := askHook("Credentials", func() (value, error) {
			return parts[i].value(func() (*tokens.Token, error) { return a.fetchToken(ctx, &parts[i]) })
		}) // the hooks of OAuthConfig
		if err == nil {
			err = parts[i].size(c.Value)
		}
		if err != nil {
			return own, tokenless(err)
		}
		if c.token != nil {
			own.token = c.token
		}
		own.secrets = own.secrets.and(c.Value)
		for _, prefix := range []string{"Basic ", "Bearer ", "DPoP "} {
			if rest, ok := strings.CutPrefix(c.Value, prefix); ok {
				own.secrets = own.secrets.and(rest)
			}
		}
		own.credentials = append(own.credentials, c.Credential)
	}
	return own, nil
}

// fetchToken gets an access token for the subject.
func (a *agreed) fetchToken(ctx context.Context, p *part) (*tokens.Token, error) {
	return a.caller.tokens.Token(ctx, &tokens.Request{
		Config: p.grant.hidden.config, Principal: a.principal, Resource: a.resource(&a.subject.message), Needed: p.scopes, More: p.more, Flows: p.scheme.Flows,
		Metadata: p.metadata, MCP: a.protocol.name == callable.MCP, Stale: p.stale, Proofs: p.proofs,
		Approve: func(ctx context.Context, issuer *url.URL) error {
			return a.approved(ctx, issuer, security.ApprovalRequest{
				DocumentOrigin: a.subject.origin, Protocol: "http", Methods: []string{http.MethodGet, http.MethodPost}, Purpose: "oauth",
			}, fail(CredentialRefused, nil, "its authorization server is on another site, which was not approved"))
		},
		Agree: a.agreeToScopes,
	})
}

// agreeToScopes asks a person whether a token may have many scopes at once.
func (a *agreed) agreeToScopes(ctx context.Context, scopes []string) error {
	own := agreed{prepared: a.prepared, judgement: judgement{decision: AskEach, reasons: []Reason{ReasonManyScopes}}}
	detail := fmt.Sprintf("a token with %d scopes at once was not agreed to", len(scopes))
	if a.caller.opts.Confirm == nil {
		return fail(CredentialRefused, nil, detail)
	}
	q := own.question()
	for _, scope := range scopes {
		q.Scopes = append(q.Scopes, veil(nil).show(scope, secret.Line, maxNotedName))
	}
	answer, err := a.caller.opts.Confirm(ctx, q)
	if err != nil || answer.Verdict != AllowOnce && answer.Verdict != AllowSession {
		return fail(CredentialRefused, err, detail)
	}
	return nil
}

// perform makes a call that is agreed to. before is the call that a poll belongs to; nil for
// any other call. A poll uses the credentials of that call, ignores the limits of the service
// and answers no challenge.
func (a *agreed) perform(ctx context.Context, t nextFunc, before *sent) (s sent, res *Result, err error) {
	a.part = use{}
	s = sent{agreed: a, parts: a.parts, epoch: a.caller.talks.epochOf(a.principal), use: &a.part}
	s.equipment.secrets = veil(access.Of(a.caller.client).Secrets())
	if before != nil {
		s.parts, s.equipment.secrets, s.stepped = before.parts, before.equipment.secrets, true
	}
	if s.equipment, err = a.equip(ctx, s.parts, s.equipment.secrets); err != nil {
		return s, nil, err
	}
	clock := pausable.Start(ctx, a.caller.opts.Timeout)
	defer clock.Stop()
	if err := s.enter(clock); err != nil {
		return s, nil, err
	}
	defer s.leave()
	if before == nil {
		if err := a.pace(clock); err != nil {
			return s, nil, err
		}
		a.intend(clock)
	}
	return s.converse(clock, t)
}

// enter waits for room at the origin of the call.
func (s *sent) enter(ctx context.Context) error {
	leave, err := access.Of(s.caller.client).EnterCall(ctx, s.subject.origin)
	switch {
	case errors.Is(err, wayfind.ErrClosed):
		return refusalOf(ctx, err)
	case err != nil:
		return fail(Timeout, err, "there was no room for it in time")
	}
	s.use.leave = leave
	return nil
}

// leave gives the room back.
func (s *sent) leave() {
	if leave := s.use.leave; leave != nil {
		s.use.leave = nil
		leave()
	}
}

// pace waits until the call exceeds no limit that the documents of the service declare or that
// its last answer contained.
func (a *agreed) pace(ctx context.Context) error {
	var own []wayfind.Limit
	if c := a.tool.Capability; c != nil {
		own = c.Limits
	}
	for {
		wait := a.caller.pace.Take(time.Now(), a.subject.origin, a.principal, a.tool.Key, own, a.tool.Service.Limits)
		if wait == 0 {
			return nil
		}
		if wait > maxWait {
			e := fail(Throttled, nil, "its own limit of calls is reached")
			e.notBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
			return e
		}
		if err := sleep(ctx, wait); err != nil {
			return fail(Timeout, err, "")
		}
	}
}

// unknown returns the error of a request that may have done its work. If there is a tool that
// can read the outcome, the error names it. For a call that only reads, the error is
// UpstreamError.
func (a *agreed) unknown(err error) *Error {
	if a.effect == Reads {
		return fail(UpstreamError, err, "")
	}
	e := fail(OutcomeUnknown, err, "")
	if name := a.teller(); name != "" {
		e.Detail = "the tool " + name + " can tell"
	}
	return e
}

// newTicket returns the ticket for an agreement to the call.
func (a *agreed) newTicket() *ticket {
	return &ticket{
		Schema: ticketSchema, ID: rand.Text(), Principal: a.principal, Tool: toolID(a.tool), Definition: a.plan.definition(), Request: a.subject.print(),
		Expires: time.Now().Add(TicketLifetime).UTC().Truncate(time.Second),
	}
}

// remember keeps an agreement for a session.
func (a *agreed) remember(once bool) {
	c := a.caller
	own := session{digest: a.plan.definition(), definition: a.tool.Site(), once: once}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) >= maxSessions {
		clear(c.sessions) // the users are asked again
	}
	c.sessions[a.sessionKey()] = own
}

func (a *agreed) sessionKey() sessionKey {
	return sessionKey{a.principal, a.caller.asker, keyOf(a.tool), a.subject.origin}
}

// remembered reports whether an earlier agreement covers a call. The definition must be
// unchanged. Except for AskOnce, a definition with the same texts that is equal or safer is
// sufficient.
func (a *agreed) remembered() bool {
	c, d := a.caller, a.decision.is()
	c.mu.Lock()
	have, ok := c.sessions[a.sessionKey()]
	c.mu.Unlock()
	switch {
	case !ok || !d.session, have.once && !d.once:
		return false
	case have.digest == a.plan.definition():
		return true
	case d.once:
		return false
	}
	changed := diff.Sites(have.definition, a.tool.Site())
	return changed.Grade().Passes() && len(changed.Without(diff.ClassText).Changed) == len(changed.Changed) // the person has read the texts
}
