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

// TicketLifetime is how long a ticket is valid.
const TicketLifetime = 10 * time.Minute

// Limits of what a Caller remembers.
const (
	maxSessions = 4096
	maxSpent    = 1 << 16
)

// ticketSchema names the form of tickets.
const ticketSchema = "wayfind/ticket/1"

// ticket is one yes, bound to a principal, a definition and a request.
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

// newTicket is the ticket that a yes to a call would be.
func (a *agreed) newTicket() *ticket {
	return &ticket{
		Schema: ticketSchema, ID: rand.Text(), Principal: a.principal, Tool: toolID(a.tool), Definition: a.plan.definition(), Request: a.subject.print(),
		Expires: time.Now().Add(TicketLifetime).UTC().Truncate(time.Second),
	}
}

// toolID names a tool whatever it is called in a Box.
func toolID(t *tools.Tool) string { return t.Origin + " " + t.Key }

// seal writes a ticket so that it can go through other hands.
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

// open reads a sealed ticket. What others wrote is not looked at.
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

// covers says why a ticket does not let a call pass; nil: it does.
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

// spend uses a ticket up, once.
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

// sessionKey is what a yes for a session is bound to.
type sessionKey struct{ principal, tool, origin string }

// session is such a yes, with its subject.
type session struct {
	digest     string
	definition *wayfind.Site
	// once: it is one answer to "once for a tool", which no question of another kind
	// is met by.
	once bool
}

// remember keeps a yes for a session.
func (a *agreed) remember(once bool) {
	c := a.caller
	own := session{digest: a.plan.definition(), definition: a.tool.Site(), once: once}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) >= maxSessions {
		clear(c.sessions) // those who come back are asked again
	}
	c.sessions[a.sessionKey()] = own
}

func (a *agreed) sessionKey() sessionKey {
	return sessionKey{a.principal, toolID(a.tool), a.subject.origin}
}

// remembered reports whether an earlier yes covers a call: the definition has not
// changed or, but for "once for a tool", is equal or safer with the same texts.
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

// lentKey is where a credential of a user went before.
type lentKey struct{ principal, origin, scheme string }

// newlyLent are the credentials that go where none of a user's went before.
func (c *Caller) newlyLent(principal string, placed []Placed) (list []lentKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range placed {
		if k := (lentKey{principal, p.Origin, p.Scheme}); !c.lent[k] {
			list = append(list, k)
		}
	}
	return list
}

// lend remembers where credentials go with the agreement of a person.
func (c *Caller) lend(news []lentKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lent) >= maxSessions {
		clear(c.lent)
	}
	for _, k := range news {
		c.lent[k] = true
	}
}
