package call

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// TicketLifetime is the time for which a ticket is valid.
const TicketLifetime = 10 * time.Minute

// The maximum numbers of entries that a Caller remembers.
const (
	maxSessions = 4096
	maxSpent    = 1 << 16
)

// ticketSchema is the name of the format of tickets.
const ticketSchema = "wayfind/ticket/1"

// ticket is one agreement, bound to a principal, a definition and a request.
type ticket struct {
	Schema     string    `json:"schema"`
	ID         string    `json:"id"`
	Principal  string    `json:"principal"`
	Tool       string    `json:"tool"` // site and key
	Definition string    `json:"definition"`
	Request    print     `json:"request"`
	Expires    time.Time `json:"expires"`
}

// Errors of tickets.
var (
	errForeign = errors.New("the ticket is none of ours, or was changed")
	errExpired = errors.New("the ticket has expired")
	errSpent   = errors.New("the ticket was used")
	errOther   = errors.New("the ticket is for another call")
)

// newTicket returns the ticket for an agreement to the call.
func (a *agreed) newTicket() *ticket {
	return &ticket{
		Schema: ticketSchema, ID: rand.Text(), Principal: a.principal, Tool: toolID(a.tool), Definition: a.plan.definition(), Request: a.subject.print(),
		Expires: time.Now().Add(TicketLifetime).UTC().Truncate(time.Second),
	}
}

// toolID returns an identifier of a tool that does not depend on its name in a Box.
func toolID(t *tools.Tool) string { return t.Origin + " " + t.Key }

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

// maxTicket is the longest sealed ticket.
const maxTicket = 16 << 10

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

// covers returns the reason why a ticket does not let a call pass; nil if it does.
func (t *ticket) covers(a *agreed) error {
	switch {
	case t.Principal != a.principal, t.Tool != toolID(a.tool), t.Definition != a.plan.definition(), !t.Request.equal(a.subject.print()):
		return errOther
	}
	if left := time.Until(t.Expires); left <= 0 || left > TicketLifetime { // a clock was moved
		return errExpired
	}
	return nil
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

// sessionKey identifies the calls that an agreement for a session covers.
type sessionKey struct{ principal, tool, origin string }

// session is an agreement for a session, with the definition that was agreed to.
type session struct {
	digest     string
	definition *wayfind.Site
	// once is true if the agreement is an answer to an AskOnce question. It does not answer
	// any other question.
	once bool
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
	return sessionKey{a.principal, toolID(a.tool), a.subject.origin}
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

// disclosedKey identifies an origin that a credential of a user was sent to.
type disclosedKey struct{ principal, origin, scheme string }

// newlyDisclosed returns the credentials that go to an origin for the first time for a user.
func (c *Caller) newlyDisclosed(principal string, placed []Placed) (list []disclosedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range placed {
		if k := (disclosedKey{principal, p.Origin, p.Scheme}); !c.disclosed[k] {
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
