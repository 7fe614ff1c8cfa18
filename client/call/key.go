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
)

// key is an idempotency key, by which a service recognizes a repeated call.
type key struct{ in, name, value string }

// errKeyless is the error if a call without a key is to be resumed.
var errKeyless = fail(Refused, nil, "it takes no key, so it cannot be resumed")

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
