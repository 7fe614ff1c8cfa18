package wayfind

import (
	"encoding/json"
	"errors"
	"log/slog"
	"time"
)

// errorKinds contains all kinds of Error with their words.
var errorKinds = [...]struct {
	kind error
	word string
}{
	{ErrNotFound, "not_found"}, {ErrUnreachable, "unreachable"}, {ErrBlocked, "blocked"}, {ErrRefused, "refused"},
	{ErrThrottled, "throttled"}, {ErrInvalid, "invalid"}, {ErrClosed, "closed"}, {ErrInternal, "internal"},
}

// KindWord returns the word for the kind of an error, for data and metrics: "not_found",
// "unreachable", "blocked", "refused", "throttled", "invalid", "closed" or "internal". It
// returns "" for nil and for an error without a kind. The words are stable.
func KindWord(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind != nil {
		err = e.Kind // its causes may have other kinds
	}
	for _, k := range errorKinds {
		if errors.Is(err, k.kind) {
			return k.word
		}
	}
	return ""
}

// errorData is the JSON form of an Error.
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

// MarshalJSON returns the error as an object: op, url, kind (a word of [KindWord]), code,
// notBefore (RFC 3339), unsent, answered, and message, which is the text of Error. Empty
// members are omitted. As in Error, foreign text is escaped and cut.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(errorData{
		Op: escape(e.Op), URL: e.plainURL(), Kind: KindWord(e.Kind), Code: Code(escape(string(e.Code))),
		NotBefore: e.NotBefore.UTC(), Unsent: e.Unsent, Answered: e.Answered, Message: e.Error(),
	})
}

// LogValue returns the error as a group with op, url, kind, code, notBefore and message, as in
// MarshalJSON. A handler can then filter by kind and code.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.AnyValue(nil)
	}
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

// plainURL returns the URL in the form of Error.
func (e *Error) plainURL() string {
	if e.URL == "" {
		return ""
	}
	return cut(quoteIfNeeded(e.URL), maxErrorText)
}
