package call

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
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
	// Arguments, with Options.AuditArguments, but for texts that look like secrets, values
	// under the names of secrets, and credentials of the call.
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
	// writes it, empty for the first of a Caller. A record that was changed or taken out
	// shows by the next one, if that is as it was. The digest has no key: a program that
	// can write the records can write all that follow anew, and cut off the end, without
	// a trace. A copy of the last digest elsewhere shows that.
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
	secrets := r.secrets()
	if t.tool == nil {
		rec.Tool = redactedText(t.name, secrets) // a model may write anything
	}
	if a.subject != nil {
		rec.Method, rec.Origin, rec.Credentials = a.subject.method, a.subject.origin, a.subject.placed
	}
	if o.AuditArguments && t.args != nil {
		rec.Arguments = redacted(t.args, secrets)
	}
	_ = tellHook("Audit", func() { o.Audit(t.caller.chained(rec)) }) // the call is over
}

// secrets are the texts that no record has: those of the credentials that were chosen for the
// call too, whether or not it came to their use.
func (r *road) secrets() veil {
	own := r.sent.equipment.secrets
	for i := range r.prepared.parts {
		own = own.and(r.prepared.parts[i].grant.hidden.value)
	}
	return own
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

// redacted are arguments without secrets, credentials of the call and what no terminal should
// get.
func redacted(args []byte, own veil) json.RawMessage {
	clean, err := text.RewriteJSON(args, func(s string) string { return redactedText(s, own) })
	if err != nil {
		return nil
	}
	root, err := (&parse.Input{Body: clean}).JSON()
	if err != nil {
		return nil
	}
	return json.RawMessage(redactedByName(root, false))
}

func redactedText(s string, own veil) string {
	s, _ = secret.Redact("", string(own.over([]byte(s))))
	s, _ = text.Clean(s, true, 4096)
	return s
}

// redactedByName takes out the values under the names of secrets, whatever they look like:
// people choose passwords, and numbers are secret too.
func redactedByName(n parse.Node, hidden bool) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		var members []parse.Member
		for name, value := range n.Members() {
			members = append(members, parse.Member{Name: name, Value: redactedByName(value, hidden || secret.Names(name))})
		}
		return parse.Obj(members...)
	case parse.Array:
		var items []parse.Raw
		for _, item := range n.Items() {
			items = append(items, redactedByName(item, hidden))
		}
		return parse.Arr(items...)
	case parse.String, parse.Number:
		if hidden {
			return parse.Quote(secret.Mark("named-secret"))
		}
	}
	return parse.Raw(n.Raw())
}
