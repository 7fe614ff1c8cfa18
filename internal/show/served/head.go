package served

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Second is the answer to a second request for a document, with HEAD.
type Second struct {
	// URL that was requested.
	URL string
	// First is the header of the answer to GET, with status 200.
	First http.Header
	// Status and Header of the answer to HEAD. Failed says in a few words why there is none.
	Status int
	Header http.Header
	Failed string
	// Connection that brought the answer, nil without TLS.
	Connection *Connection
	// Now is the time of the answer.
	Now time.Time
}

// Connection is a connection with TLS.
type Connection struct {
	// OldVersion is the name of the version of TLS if it is older than 1.3, otherwise "".
	OldVersion string
	// NotBefore and NotAfter are the limits of the certificate of the server.
	NotBefore, NotAfter time.Time
	// NotSent is the name of a certificate that the server does not send, although its chain needs
	// it, "" if there is none.
	NotSent string
}

// JudgeHead returns the rules that the answer breaks, and those that its connection breaks, in
// alphabetical order of their codes.
func JudgeHead(a *Second) (list []wayfind.Diagnostic) {
	for _, c := range secondChecks() {
		if why := c.broken(a); why != "" {
			d := c.rule.Diagnostic(a.URL, "%s", why)
			d.Spec = rfcOf(&c.rule)
			list = append(list, d)
		}
	}
	return list
}

// secondCheck is one rule about a second answer.
type secondCheck struct {
	rule   parse.Rule
	broken func(*Second) string
}

// secondChecks are the rules, in alphabetical order of codes.
func secondChecks() []secondCheck {
	return []secondCheck{{ruleChain, chain}, {ruleExpiry, expiry}, {ruleHead, head}, {ruleTLS, version}}
}

// head compares the fields that a server knows before it makes the content. The server may leave a
// field out, and the entity tag may depend on the coding.
func head(a *Second) string {
	if a.Failed != "" {
		return fmt.Sprintf("HEAD is not answered (%s), and GET is", a.Failed)
	}
	if a.Status != http.StatusOK {
		return fmt.Sprintf("HEAD is answered with status %d, and GET with 200", a.Status)
	}
	for _, name := range [...]string{"Content-Type", "Cache-Control"} {
		get, head := a.First.Get(name), a.Header.Get(name)
		if get != "" && head != "" && !strings.EqualFold(get, head) {
			return fmt.Sprintf("%s is %q for HEAD, and %q for GET", name, head, get)
		}
	}
	return ""
}

// soonest is the longest time before the end of a certificate that counts as soon.
const soonest = 14 * 24 * time.Hour

// expiry counts the last sixth of the life of a certificate as soon: programs renew it when a third
// is left (RFC 9773).
func expiry(a *Second) string {
	c := a.Connection
	if c == nil || c.NotAfter.Sub(a.Now) > min(c.NotAfter.Sub(c.NotBefore)/6, soonest) {
		return ""
	}
	return "the certificate of the server ends on " + c.NotAfter.UTC().Format(time.DateOnly)
}

func version(a *Second) string {
	if a.Connection == nil || a.Connection.OldVersion == "" {
		return ""
	}
	return "the server speaks " + a.Connection.OldVersion
}

func chain(a *Second) string {
	if a.Connection == nil || a.Connection.NotSent == "" {
		return ""
	}
	return fmt.Sprintf("the server does not send the certificate of %q", a.Connection.NotSent)
}
