package wayfind

import (
	"encoding/json"
	"errors"
	"log/slog"
	"time"
)

// errorKinds are all kinds of Error, each with its word.
var errorKinds = [...]struct {
	kind error
	word string
}{
	{ErrNotFound, "not_found"}, {ErrUnreachable, "unreachable"}, {ErrBlocked, "blocked"}, {ErrRefused, "refused"},
	{ErrThrottled, "throttled"}, {ErrInvalid, "invalid"}, {ErrClosed, "closed"}, {ErrInternal, "internal"},
}

// KindWord returns the word for the kind of an error, for data and metrics:
// "not_found", "unreachable", "blocked", "refused", "throttled", "invalid",
// "closed" or "internal". It is "" for nil, and for an error of no kind. The
// words are stable.
func KindWord(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind != nil {
		err = e.Kind // its causes may be of other kinds
	}
	for _, k := range errorKinds {
		if errors.Is(err, k.kind) {
			return k.word
		}
	}
	return ""
}

// errorData is an Error as data.
type errorData struct {
	Op        string    `json:"op,omitempty"`
	URL       string    `json:"url,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	Code      Code      `json:"code,omitempty"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	Unsent    bool      `json:"unsent,omitempty"`
	Answered  bool      `json:"answered,omitempty"`
	Message   string    `json:"message"`
}

// MarshalJSON writes the error as an object: op, url, kind (a word of
// [KindWord]), code, notBefore (RFC 3339), unsent, answered, and message, the
// text of Error. An empty member is left out. As in Error, foreign text is
// escaped and cut.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(errorData{
		Op: escape(e.Op), URL: e.plainURL(), Kind: KindWord(e.Kind), Code: Code(escape(string(e.Code))),
		NotBefore: e.NotBefore.UTC(), Unsent: e.Unsent, Answered: e.Answered, Message: e.Error(),
	})
}

// LogValue writes the error as a group: op, url, kind, code, notBefore and
// message, as MarshalJSON does. A handler can then filter by kind and code.
func (e *Error) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, 6)
	for _, a := range [...]struct{ key, value string }{
		{"op", escape(e.Op)}, {"url", e.plainURL()}, {"kind", KindWord(e.Kind)}, {"code", escape(string(e.Code))},
	} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	if !e.NotBefore.IsZero() {
		attrs = append(attrs, slog.Time("notBefore", e.NotBefore.UTC()))
	}
	return slog.GroupValue(append(attrs, slog.String("message", e.Error()))...)
}

// plainURL is the URL as Error prints it.
func (e *Error) plainURL() string {
	if e.URL == "" {
		return ""
	}
	return cut(quoteIfNeeded(e.URL), maxErrorText)
}
