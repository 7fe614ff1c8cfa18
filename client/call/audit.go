package call

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Record is the trace of a call, for Options.Audit. Its digests of definition and
// arguments are keyed: they can be compared within one Caller, and reveal nothing.
type Record struct {
	Time      time.Time `json:"time"`
	Principal string    `json:"principal,omitempty"`
	Tool      string    `json:"tool"`
	Domain    string    `json:"domain,omitempty"`
	Key       string    `json:"key,omitempty"`
	// Method and Origin of the request.
	Method string `json:"method,omitempty"`
	Origin string `json:"origin,omitempty"`
	// Definition and Call are digests of the definition of the tool, and of the arguments.
	Definition string `json:"definition,omitempty"`
	Call       string `json:"call"`
	// Arguments, with Options.AuditArguments, but for texts that look like secrets.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Decision  Decision        `json:"decision,omitzero"`
	Reasons   []Reason        `json:"reasons,omitempty"`
	By        string          `json:"by,omitempty"`
	// Credentials that were sent, and where.
	Credentials []Placed      `json:"credentials,omitempty"`
	Code        Code          `json:"code,omitzero"`
	Status      int           `json:"status,omitempty"`
	Bytes       int           `json:"bytes,omitempty"`
	Attempts    int           `json:"attempts,omitempty"`
	Duration    time.Duration `json:"durationNs"`
	// Previous is the SHA-256, in hexadecimal, of the record before as encoding/json
	// writes it, empty for the first of a Caller: a record that was changed or taken out
	// shows.
	Previous string `json:"previous,omitempty"`
}

// record tells Options.Audit of the call.
func (r *road) record(a *agreed, code Code) {
	t, o := &r.target, &r.target.caller.opts
	if o.Audit == nil {
		return
	}
	rec := &Record{
		Time: r.started, Principal: t.principal, Tool: t.name, Decision: a.decision, Reasons: a.reasons, By: a.by, Code: code,
		Status: r.sent.status, Bytes: r.sent.bytes, Attempts: r.sent.attempts, Duration: time.Since(r.started), Call: t.caller.keyed(t.args),
	}
	if t.tool != nil {
		rec.Tool, rec.Domain, rec.Key, rec.Definition = t.tool.Name, t.tool.Domain, t.tool.Key, t.caller.keyed([]byte(t.plan.definition()))
	}
	if a.subject != nil {
		rec.Method, rec.Origin, rec.Credentials = a.subject.method, a.subject.origin, a.subject.placed
	}
	if o.AuditArguments && t.args != nil {
		rec.Arguments = redacted(t.args)
	}
	o.Audit(t.caller.chained(rec))
}

// chained ties a record to the one before.
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

// keyed is a digest that counts in this process.
func (c *Caller) keyed(data []byte) string {
	m := hmac.New(sha256.New, c.salt)
	m.Write(data)
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// redacted are arguments without secrets and without what no terminal should get.
func redacted(args []byte) json.RawMessage {
	clean, err := text.RewriteJSON(args, func(s string) string {
		s, _ = secret.Redact("", s)
		s, _ = text.Clean(s, true, 4096)
		return s
	})
	if err != nil {
		return nil
	}
	return clean
}
