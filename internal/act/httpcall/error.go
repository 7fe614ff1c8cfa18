package httpcall

import "strings"

// Error is the reason why there is no request. All of it may be shown to a model.
type Error struct {
	Code Code
	// In is the place of the parameter ("path", "query", "header", "cookie" or "body"), and
	// Name is its name. They are empty if the error is not about a parameter. A name that is
	// not a plain identifier is replaced with "…".
	In, Name string
	// The following fields are set for CodeMismatch. Pointer (RFC 6901) is the place of the
	// value in the arguments, Rule is the keyword of JSON Schema that refuses it, and Expected
	// is the expected value.
	Pointer, Rule, Expected string
}

// OfRequest reports whether the fault is in what a request has, and not in the address that it goes to.
func (e *Error) OfRequest() bool { return e.In != "" || e.Code.Unsaid() }

// Error returns a description in one line.
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

// plain returns a name if it may be part of a message, otherwise "…".
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
