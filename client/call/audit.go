package call

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Record is the audit record of a call, for Options.Audit. Its digests of the definition and
// the arguments are keyed: they can be compared within one Caller and reveal nothing.
type Record struct {
	Time      time.Time `json:"time"`
	Principal string    `json:"principal,omitempty"`
	Tool      string    `json:"tool"`
	Domain    string    `json:"domain,omitempty"`
	Key       string    `json:"key,omitempty"`
	// Method and Origin are the method and the origin of the request.
	Method string `json:"method,omitempty"`
	Origin string `json:"origin,omitempty"`
	// URL is the address of the operation as the site describes it, without a query:
	// "https://shop.example/orders/{id}". The values of the variables are in Arguments.
	URL string `json:"url,omitempty"`
	// Definition is a digest of the definition of the tool, and Call is a digest of the
	// arguments.
	Definition string `json:"definition,omitempty"`
	Call       string `json:"call"`
	// Arguments are the arguments of the call if Options.AuditArguments is set. Texts that
	// look like secrets, values with names of secrets and credentials of the call are removed.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Decision  Decision        `json:"decision,omitzero"`
	Reasons   []Reason        `json:"reasons,omitempty"`
	By        string          `json:"by,omitempty"`
	// Credentials are the credentials that were sent, with their places.
	Credentials []Placed      `json:"credentials,omitempty"`
	Code        Code          `json:"code,omitzero"`
	Status      int           `json:"status,omitempty"`
	Bytes       int           `json:"bytes,omitempty"`
	Attempts    int           `json:"attempts,omitempty"`
	Duration    time.Duration `json:"durationNs"`
	// Previous is the SHA-256, in hexadecimal, of the previous record as encoding/json writes
	// it. It is empty for the first record of a Caller. If a record is changed or removed,
	// Previous of the next record no longer matches. The digest has no key: a program that can
	// write the records can rewrite all later records, or remove the last ones, without a
	// trace. A copy of the last digest in another place reveals such a change.
	Previous string `json:"previous,omitempty"`
}

// addressOf returns the address of an operation, without the values of its variables.
func (t *target) addressOf(s *subject) string {
	if c := t.tool.Capability; c != nil && c.Invocation != nil && c.Invocation.Protocol == callable.HTTP {
		written, _, _ := strings.Cut(cmp.Or(c.Invocation.URL, c.Invocation.Template), "?")
		written, _, _ = strings.Cut(written, "{?")
		return written
	}
	return s.origin + s.url.EscapedPath()
}

// redacted returns the arguments without secrets, credentials of the call and characters that
// a terminal must not get, and without the values under names of secrets, whatever they look like:
// people choose passwords, and numbers can be secret too.
func redacted(args []byte, own veil) json.RawMessage {
	clean, err := secret.Veil(own).ShowJSON(args, secret.Record)
	if err != nil {
		return nil
	}
	return clean
}

func redactedText(s string, own veil) string {
	return own.show(s, secret.StoredLines, 4096)
}
