package call

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxMessage is the maximum length of the message of an Error in data, before characters are
// escaped, because it may quote foreign text.
const maxMessage = 512

// errorData is the JSON form of an Error.
type errorData struct {
	Tool      string    `json:"tool,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	Code      Code      `json:"code"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	Detail    string    `json:"detail,omitempty"`
	Message   string    `json:"message"`
}

func (e *Error) data() errorData {
	shown := func(s string, most int) string { return text.Printable(text.Head(s, most)) }
	return errorData{
		Tool: shown(e.Tool, tools.MaxName), Kind: wayfind.KindWord(e.Code.Kind()), Code: e.Code, NotBefore: e.notBefore.UTC(),
		Detail: shown(e.Detail, maxMessage), Message: shown(e.Error(), maxMessage),
	}
}

// MarshalJSON returns the error as an object: tool, kind (a word of [wayfind.KindWord]), code,
// notBefore (RFC 3339), detail, and message, which is the text of Error. Empty members are
// omitted. Foreign text is escaped and cut, and the secrets of the call are not in it.
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.data()) }

// LogValue returns the error as a group with the members of MarshalJSON. A handler can then
// filter by code.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.AnyValue(nil)
	}
	d := e.data()
	attrs := make([]slog.Attr, 0, 6)
	for _, a := range [...]struct{ key, value string }{{"tool", d.Tool}, {"kind", d.Kind}, {"code", d.Code.String()}, {"detail", d.Detail}} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	if !d.NotBefore.IsZero() {
		attrs = append(attrs, slog.Time("notBefore", d.NotBefore))
	}
	return slog.GroupValue(append(attrs, slog.String("message", d.Message))...)
}
