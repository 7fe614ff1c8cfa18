// Package fieldname judges the names and values of HTTP header fields that documents and users state.
package fieldname

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// MaxBytes is the maximum length of a name, and of a method.
const MaxBytes = 128

// CheckHeader returns the reason why a document must not make a caller send a key in a header
// field with this name: the name is no token (RFC 9110 §5.6.2), or the field belongs to the
// connection, to the message or to the user agent.
func CheckHeader(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	lower := strings.ToLower(name)
	switch lower {
	case "host", "cookie", "cookie2", "set-cookie", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
		"http2-settings", "via", "date", "origin", "referer", "user-agent", "range", "forwarded", "accept",
		"accept-encoding", "accept-charset", "cache-control", "dpop":
		return fmt.Errorf("field %q is not for keys", lower)
	}
	for _, p := range [...]string{"proxy-", "sec-", "if-", "access-control-", "x-forwarded-", "content-", "signature"} {
		if strings.HasPrefix(lower, p) {
			return fmt.Errorf("fields that begin with %q are not for keys", p)
		}
	}
	return nil
}

// CheckKey is CheckHeader for an API key that a service declares in this very field: some have their
// keys in Referer, which no request has otherwise.
func CheckKey(name string) error {
	if strings.EqualFold(name, "Referer") {
		return nil
	}
	return CheckHeader(name)
}

// CheckPlace returns the reason why a request cannot have a key at the place that a document declares.
func CheckPlace(in, name string) error {
	switch in {
	case "header":
		if name == "" {
			return errors.New("the document names no header field that may have a key")
		}
		if err := CheckKey(name); err != nil && !strings.EqualFold(name, "Authorization") {
			return fmt.Errorf("the key cannot be sent: %w", err)
		}
	case "query":
		if name == "" {
			return errors.New("the document does not name the parameter of the key")
		}
	case "cookie":
		if name == "" || !IsCookieText(name) || strings.Contains(name, "=") {
			return errors.New("the document names no cookie that may have a key")
		}
	default:
		return fmt.Errorf("the document does not say where the key goes (%q)", in)
	}
	return nil
}

// IsCookieText reports whether a cookie can hold a text (RFC 6265 §4.1.1).
func IsCookieText(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`",;\`, c) })
}

// CheckField returns the reason why a parameter must not be a header field with this name: the
// name is no token, or the field belongs to the connection, to the framing of the message or
// to intermediaries, so that clients set it themselves or not at all. Fields that must not
// hold a key, such as If-Match, may be parameters.
func CheckField(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	lower := strings.ToLower(name)
	switch lower {
	case "host", "cookie", "cookie2", "set-cookie", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
		"upgrade", "expect", "http2-settings", "via", "forwarded":
		return fmt.Errorf("field %q is not for parameters", lower)
	}
	for _, p := range [...]string{"proxy-", "sec-", "access-control-", "x-forwarded-"} {
		if strings.HasPrefix(lower, p) {
			return fmt.Errorf("fields that begin with %q are not for parameters", p)
		}
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("it is empty")
	case len(name) > MaxBytes:
		return fmt.Errorf("it has %d bytes", len(name))
	case !IsToken(name):
		return errors.New("it is no token")
	}
	return nil
}

// IsToken reports whether text is a token (RFC 9110 §5.6.2). Methods, schemes and the names of
// header fields are tokens.
func IsToken(text string) bool { return httpguts.ValidHeaderFieldName(text) }
