package call

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/door"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
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

// log writes one line about a call to the logger of the Client. It has no arguments, no
// credential, and no name that a model has written.
func (r *road) log(ctx context.Context, a *agreed, code Code) {
	t, logger := &r.target, door.Of(r.target.caller.client).Logger()
	if !logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	var attrs []slog.Attr
	if t.tool != nil {
		attrs = append(attrs, slog.String("operation", t.tool.Key), slog.String("domain", t.tool.Domain))
	}
	if t.protocol.name != "" {
		attrs = append(attrs, slog.String("protocol", t.protocol.name))
	}
	if a.subject != nil && a.subject.url != nil { // a status that is looked up has no address before its request
		attrs = append(attrs, slog.String("method", a.subject.method), slog.String("host", a.subject.url.Host))
	}
	attrs = append(attrs,
		slog.Int("status", r.sent.status), slog.Duration("duration", time.Since(r.started)), slog.Int("bytes", r.sent.bytes), slog.Int("attempts", r.sent.attempts))
	if !code.IsZero() {
		attrs = append(attrs, slog.String("code", code.String()))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
}

// record logs the call, and passes its record to Options.Audit.
func (r *road) record(ctx context.Context, a *agreed, code Code) {
	r.log(ctx, a, code)
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

// secrets returns the texts that no record may contain. They include the credentials that were
// chosen for the call, even if they were not used.
func (r *road) secrets() veil {
	own := r.sent.equipment.secrets
	for i := range r.prepared.parts {
		own = own.and(r.prepared.parts[i].grant.hidden.value)
	}
	return own
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

// redacted returns the arguments without secrets, credentials of the call and characters that
// a terminal must not get.
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
	s, _ = secret.Redact("", own.text(s, true, 0))
	s, _ = text.Clean(s, true, 4096)
	return s
}

// redactedByName removes the values with names of secrets, whatever they look like: people
// choose passwords, and numbers can be secret too.
func redactedByName(n parse.Node, hidden bool) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		var members []rawjson.Member
		for name, value := range n.Members() {
			members = append(members, rawjson.Member{Name: name, Value: redactedByName(value, hidden || secret.Names(name))})
		}
		return rawjson.Obj(members...)
	case parse.Array:
		var items []parse.Raw
		for _, item := range n.Items() {
			items = append(items, redactedByName(item, hidden))
		}
		return rawjson.Arr(items...)
	case parse.String, parse.Number:
		if hidden {
			return rawjson.Quote(secret.Mark("named-secret"))
		}
	}
	return parse.Raw(n.Raw())
}
