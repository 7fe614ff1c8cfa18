package parse

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// SourcesAt returns the source of a fact: the place of a value in this document. The client
// adds the URL.
func SourcesAt(n Node) []wayfind.Ref { return []wayfind.Ref{{Pointer: n.Pointer()}} }

// Copy returns a copy of the value as the document writes it, for the model: unlike [Node.Raw]
// it does not alias the body. It returns nil if there is no value.
func (n Node) Copy() Raw { return bytes.Clone(n.Raw()) }

// MediaType reports "media_type" if the document was served with none of the wanted media
// types, which are in lower case without parameters. A document that was not served (it has no
// header and no type) may be of any type. The document is read in every case.
func (r *Reader) MediaType(in *Input, root Node, section string, want ...string) {
	if in.MediaType == "" && in.Header == nil {
		return
	}
	if slices.Contains(want, in.MediaType) {
		return
	}
	r.Report(ruleMediaType.At(section), root, "the media type is %q where %s belongs", in.MediaType, strings.Join(want, " or "))
}

// Method returns a member that is an HTTP method, in upper case, and whether an API can be
// called with it. It reports an invalid method, CONNECT and TRACE as the error "method". A
// method that is not a standard one ("LIST" is in use) is usable; it is reported as the
// warning "method". A method that was not in upper case (RFC 9110 §9.1: methods are
// case-sensitive) is reported as the info "method_case".
func (r *Reader) Method(obj Node, name string, need Need, section string) (method string, usable bool) {
	written := r.String(obj, name, need, section)
	method = strings.ToUpper(written)
	n := obj.Get(name)
	switch {
	case n.Kind() != String:
		return "", false
	case len(written) > maxWord || !IsToken(written):
		r.Report(ruleMethod.At(section), n, "the method %q is none", written)
		return "", false
	}
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	case "CONNECT", "TRACE":
		r.Report(ruleMethod.At(section), n, "the method %q is not for calling an API", method)
		return method, false
	default:
		r.Report(ruleMethod.At(section).AsWarning(), n, "the method %q is not a standard one", method)
	}
	if written != method {
		r.Report(ruleMethodCase.At(section).AsInfo(), n, "the method %q was read as %q: methods are case-sensitive", written, method)
	}
	return method, true
}

// HeaderName returns a member that is the name of a header field to send a key in, or "" if
// there is none. A name that [CheckHeader] refuses is reported as "header_name" and dropped.
func (r *Reader) HeaderName(obj Node, name string, need Need, section string) string {
	text := r.StringPtr(obj, name, need, section)
	if text == nil {
		return ""
	}
	if err := CheckHeader(*text); err != nil {
		r.Report(ruleHeaderName.At(section), obj.Get(name), "the header name cannot be used: %s", err)
		return ""
	}
	return *text
}

// CheckHeader returns the reason why a document must not make a caller send a key in a header
// field with this name: the name is no token (RFC 9110 §5.6.2), or the field belongs to the
// connection, to the message or to the user agent.
func CheckHeader(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	lower := strings.ToLower(name)
	switch lower {
	case "host", "cookie", "cookie2", "set-cookie", "content-length", "content-type", "content-encoding",
		"content-range", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
		"http2-settings", "via", "date", "origin", "referer", "user-agent", "range", "forwarded", "accept",
		"accept-encoding", "accept-charset", "cache-control":
		return fmt.Errorf("field %q is not for keys", lower)
	}
	for _, p := range [...]string{"proxy-", "sec-", "if-", "access-control-", "x-forwarded-"} {
		if strings.HasPrefix(lower, p) {
			return fmt.Errorf("fields that begin with %q are not for keys", p)
		}
	}
	return nil
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
	case len(name) > maxWord:
		return fmt.Errorf("it has %d bytes", len(name))
	case !IsToken(name):
		return errors.New("it is no token")
	}
	return nil
}

// IsToken reports whether text is a token (RFC 9110 §5.6.2). Methods and the names of header
// fields are tokens.
func IsToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}
