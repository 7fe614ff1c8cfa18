package wayfind

import (
	"errors"
	"strings"
	"time"
)

// ErrorClass describes an error for a language model: the kind, the code, the host, and when to
// ask again. It contains no text of a document, a server or a library: "unreachable (timeout),
// shop.example.com". A name whose addresses the policy refuses has the same description as a
// name that does not exist: a model that names hosts must not learn which of them exist in a
// private network. An error without an *Error is "failed". nil is "".
func ErrorClass(err error) string {
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return "failed"
	}
	kind, code := e.Kind, string(e.Code)
	if e.Code == CodeBlockedAddress {
		kind, code = ErrUnreachable, string(CodeDNSNotFound)
	}
	class := "failed"
	if KindWord(kind) != "" {
		class = kind.Error()
	}
	if isWord(code) {
		class += " (" + code + ")"
	}
	if host := plainHost(e.URL); host != "" {
		class += ", " + host
	}
	if !e.NotBefore.IsZero() {
		class += ", not before " + e.NotBefore.UTC().Format(time.RFC3339)
	}
	return class
}

// isWord reports whether a code may contain the character.
func isWord(s string) bool {
	return s != "" && len(s) <= 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	})
}

// plainHost returns the host of a URL or target in canonical form, or "" for anything else.
func plainHost(u string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(u, "https://"), "/")
	ldh := !strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.'
	})
	if !ldh || !strings.Contains(host, ".") || len(host) > 253 {
		return ""
	}
	return host
}
