package call

import (
	"errors"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
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

// toolID returns an identifier of a tool that does not depend on its name in a Box.
func toolID(t *tools.Tool) string { return t.Origin + " " + t.Key }

// toolKey is toolID for a map.
type toolKey struct{ origin, key string }

func keyOf(t *tools.Tool) toolKey { return toolKey{t.Origin, t.Key} }

// maxTicket is the longest sealed ticket.
const maxTicket = 16 << 10

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

// sessionKey identifies the calls that an agreement for a session covers.
type sessionKey struct {
	principal, asker string
	tool             toolKey
	origin           string
}

// session is an agreement for a session, with the definition that was agreed to.
type session struct {
	digest     string
	definition *wayfind.Site
	// once is true if the agreement is an answer to an AskOnce question. It does not answer
	// any other question.
	once bool
}

// disclosedKey identifies an origin that a credential of a user was sent to, for an asker.
type disclosedKey struct{ principal, asker, origin, scheme string }

// challengeKey identifies a challenge of an origin to a user.
type challengeKey struct{ principal, origin string }
