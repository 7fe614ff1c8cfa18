package call

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/uuid"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// key is an idempotency key, by which a service recognizes a repeated call.
type key struct{ in, name, value string }

// errKeyless is the error if a call without a key is to be resumed.
var errKeyless = fail(Refused, nil, "it takes no key, so it cannot be resumed")

// keyFor creates the key of a call, once for all attempts. It returns nil if the call needs no
// key. A request with a safe method has a key too, because it may do more than read, but it
// gets no body for the key.
func (t *target) keyFor(m *message) (*key, error) {
	slot := t.plan.key
	if slot.Name == "" || slot.In == "body" && m.body == nil && isSafe(m.method) {
		if t.resumed != "" {
			return nil, errKeyless
		}
		return nil, nil
	}
	if t.resumed != "" && forgotten(t.resumed, t.tool.Capability.Effects) {
		return nil, fail(Refused, nil, "the service no longer knows its key")
	}
	k := &key{in: slot.In, name: slot.Name, value: t.resumed}
	if k.value == "" {
		k.value = uuid.V7(time.Now())
	}
	sendable := slot.In == "query"
	switch slot.In {
	case "header":
		sendable = fieldname.CheckField(slot.Name) == nil && text.IsFieldValue(k.value)
	case "body":
		if m.body == nil {
			m.body, m.header["Content-Type"] = []byte("{}"), []string{"application/json"}
		}
		root, err := (&parse.Input{Body: m.body}).JSONObject()
		if root.Get(slot.Name).Exists() {
			return nil, fail(InvalidArguments, nil, "the idempotency key is no argument")
		}
		sendable = strings.Contains(m.header.Get("Content-Type"), "json") && err == nil
	}
	if !sendable {
		return nil, fail(Refused, nil, "its idempotency key cannot be sent")
	}
	return k, nil
}

// into returns the message with the key, or the message itself if there is no key.
func (k *key) into(m message) message {
	if k == nil {
		return m
	}
	switch k.in {
	case "header":
		return m.with(m.body, http.Header{http.CanonicalHeaderKey(k.name): {k.value}})
	case "query":
		own := *m.url
		if own.RawQuery != "" {
			own.RawQuery += "&"
		}
		own.RawQuery += url.QueryEscape(k.name) + "=" + url.QueryEscape(k.value)
		m.url = &own
	case "body":
		m.body = k.insert(m.body)
	}
	return m
}

// insert writes the key after the opening brace of an object.
func (k *key) insert(body []byte) []byte {
	at := slices.Index(body, '{') + 1
	name, _ := json.Marshal(k.name) // texts always marshal
	value, _ := json.Marshal(k.value)
	rest := body[at:]
	out := append(slices.Clone(body[:at]), name...)
	out = append(append(out, ':'), value...)
	if strings.TrimLeft(string(rest), " \t\r\n")[0] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// forgotten reports whether the time is over for which a service has promised to remember a
// key. A key that this package did not create has no time. A key with a time in the future has
// an unknown age, since a clock was moved, and is treated as forgotten.
func forgotten(value string, e *wayfind.Effects) bool {
	if e == nil {
		return false
	}
	window, err := time.ParseDuration(e.IdempotencyWindow)
	if days, ok := strings.CutSuffix(e.IdempotencyWindow, "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil {
			window = time.Duration(n) * 24 * time.Hour
		}
	}
	made, ours := uuid.Made(value)
	age := time.Since(made)
	return err == nil && ours && (age > window || age < -time.Minute)
}

// outlivesKey reports whether the service may have forgotten the key of a request by now. A
// repetition would then have a second effect.
func (s *sent) outlivesKey(q *request) bool {
	return q.kind == form && s.effect != Reads && s.subject.key != nil && forgotten(s.subject.key.value, s.tool.Capability.Effects)
}
