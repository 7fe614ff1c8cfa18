package parse

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
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
	case len(written) > fieldname.MaxBytes || !fieldname.IsToken(written):
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
// there is none. A name that [fieldname.CheckHeader] refuses is reported as "header_name" and dropped.
func (r *Reader) HeaderName(obj Node, name string, need Need, section string) string {
	text := r.StringPtr(obj, name, need, section)
	if text == nil {
		return ""
	}
	if err := fieldname.CheckHeader(*text); err != nil {
		r.Report(ruleHeaderName.At(section), obj.Get(name), "the header name cannot be used: %s", err)
		return ""
	}
	return *text
}
