package httpcall

import "strings"

// Error is why there is no request. All of it may be shown to a model.
type Error struct {
	Code Code
	// In is the place of the parameter ("path", "query", "header", "cookie", "body"),
	// and Name its name; empty where the error is not about one. A name that is no plain
	// identifier is "…".
	In, Name string
	// Pointer (RFC 6901) to the value in the arguments, Rule that refuses it, a keyword
	// of JSON Schema, and the expectation: for CodeMismatch.
	Pointer, Rule, Expected string
}

// Error says it in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("invalid arguments: ")
	switch {
	case e.Code == CodeMismatch && e.Pointer != "":
		b.WriteString(e.Pointer + ": ")
	case e.Name != "":
		b.WriteString(e.Name)
		if e.In != "" {
			b.WriteString(" (" + e.In + ")")
		}
		b.WriteString(": ")
	}
	if e.Code == CodeMismatch {
		b.WriteString(e.Expected + " (" + e.Rule + ")")
		return b.String()
	}
	b.WriteString(e.Code.Sentence() + " (" + e.Code.String() + ")")
	return b.String()
}

// plain is a name as a message may have it.
func plain(name string) string {
	if name == "" || len(name) > 64 {
		return "…"
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		case strings.IndexByte("_-.$[]", c) >= 0:
		default:
			return "…"
		}
	}
	return name
}
