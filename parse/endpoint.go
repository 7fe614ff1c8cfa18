package parse

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// Form is the notation of an endpoint.
type Form uint8

// The forms.
const (
	// FormAbsolute is a URL with scheme and host.
	FormAbsolute Form = iota + 1
	// FormPath begins with one slash.
	FormPath
	// FormOther is any other notation: "v1/search", "?q=x", "../x".
	FormOther
	// FormHost begins with two slashes and a host. It has the scheme of the document (RFC 3986 §4.2).
	FormHost
)

// Endpoint is the target of a call. The zero Endpoint has no target.
type Endpoint struct {
	// URL is the endpoint without variables; Template is the endpoint with variables. They are
	// written as in an Invocation or an Interface of the model. Both are "" while a base is
	// missing.
	URL, Template string
	// Ref is the parsed form of the resolved reference. Its variables are parameters of the call.
	Ref  Template
	Form Form
	// HostVaries is set if the host or the port contains a variable, so that the destination of
	// the call is unknown.
	HostVaries bool

	sample  *url.URL // the URL with its variables filled in
	overTLS bool     // the document has http here, and is at the same host over https
}

// Resolved reports whether there is a URL or a template.
func (e Endpoint) Resolved() bool { return e.URL != "" || e.Template != "" }

// ResolveEndpoint resolves the endpoint of a call, which may have variables written as {name},
// or returns the reason why it cannot be used. It uses only the scheme and the host of base:
// "/x" is at the root of the site. An absolute URL is taken as it is. [Input.ResolveEndpoint] is for
// the endpoints of a document.
//
// Any other reference (FormOther) is read as a path that lacks its slash. If the specification
// of a format allows only the first two forms, the format decides whether FormOther is good
// enough for an invocation: strict readers look at Form.
//
// If base is nil and the reference is relative, the result is not Resolved and the error is
// nil.
func ResolveEndpoint(ref string, base *url.URL) (e Endpoint, err error) {
	if whole := withScheme(ref, base); whole != ref && base != nil {
		e, err = readEndpoint(whole)
		e.Form = FormHost
		return e, err
	}
	e, err = readEndpoint(ref)
	if err != nil || e.Form == FormAbsolute || base == nil {
		return e, err
	}
	origin := base.Scheme + "://" + base.Host
	if e.Form == FormOther {
		origin += "/"
	}
	return e.Join(origin)
}

// ResolveEndpoint is like [ResolveEndpoint] for an endpoint of this document. If the document is at
// https, an http URL at the same host becomes https: programs behind a proxy that adds TLS do not
// know it. That is told by [Reader.CheckEndpoint].
func (in *Input) ResolveEndpoint(ref string) (Endpoint, error) {
	base := cmp.Or(in.FinalURL, in.URL)
	e, err := ResolveEndpoint(ref, base)
	if err != nil || in.Unpublished() || e.sample == nil || !sameOverTLS(e.sample, base) {
		return e, err
	}
	_, rest, _ := strings.Cut(e.URL+e.Template, "://")
	if e.overTLS = strings.HasPrefix(strings.ToLower(rest), strings.ToLower(e.sample.Host)); !e.overTLS {
		return e, nil // its host is a template
	}
	to := "https://" + base.Host + rest[len(e.sample.Host):]
	if e.sample.Scheme = "https"; e.Template == "" {
		e.URL = to
	} else {
		e.Template = to
	}
	return e, nil
}

// readEndpoint parses a reference, and resolves it if it is absolute.
func readEndpoint(ref string) (e Endpoint, err error) {
	if err := urlref.CheckReference(ref); err != nil {
		return Endpoint{}, err
	}
	t, ok := ParseTemplate(ref)
	if !ok {
		return Endpoint{}, errors.New("its braces do not match")
	}
	e = Endpoint{Ref: t, Form: FormOther}
	u, err := url.Parse(t.Filled())
	switch {
	case err != nil:
		return Endpoint{}, errors.New("it is not a URL")
	case u.Scheme != "":
		e.Form = FormAbsolute
		return e.Join("")
	case ref[0] == '/':
		e.Form = FormPath
	}
	return e, urlref.CheckFilled(t.Filled())
}

// Join resolves an endpoint by appending its reference to prefix, for formats that append
// paths to a base URL instead of resolving them by RFC 3986. The prefix may have variables
// too. The result has no dot segments and no fragment, except for dot segments in a template
// and fragments with variables.
func (e Endpoint) Join(prefix string) (joined Endpoint, err error) {
	whole, ok := ParseTemplate(prefix + e.Ref.String())
	if !ok {
		return Endpoint{}, errors.New("its braces do not match")
	}
	whole = whole.withoutFragment()
	u, err := urlref.AbsoluteURL(whole.Filled())
	if err != nil {
		return Endpoint{}, err
	}
	e.sample = u
	if len(whole.Names()) == 0 {
		e.URL, e.Template = urlref.TidyURL(u), ""
		return e, nil
	}
	e.URL, e.Template = "", whole.String()
	other, err := url.Parse(whole.filled("2"))
	e.HostVaries = err != nil || other.Host != u.Host
	return e, nil
}

// withoutFragment drops the fragment, because requests do not carry it (RFC 9110 §4.2.5). A
// fragment with variables is kept: without them the call would be a different one.
func (t Template) withoutFragment() Template {
	for i, p := range t.parts {
		before, _, found := strings.Cut(p.text, "#")
		if found && p.names == nil && !slices.ContainsFunc(t.parts[i:], func(p part) bool { return p.names != nil }) {
			return Template{append(t.parts[:i:i], part{text: before})}
		}
	}
	return t
}

// CheckEndpoint reports the oddities of a usable endpoint; n is the value that it was read
// from. It reports the first of these rules that applies, as a warning:
//
//	endpoint_scheme    the URL is absolute and does not start with https://, or did not
//	endpoint_host      the URL is absolute, and its host has a variable or is an [urlref.OddHost]
//	dot_segments       the endpoint [urlref.ClimbsUp]
//	endpoint_slash     the endpoint is of FormOther or FormHost
//
// It also reports endpoint_template if a variable is more than a name.
func (r *Reader) CheckEndpoint(n Node, e Endpoint, section string) {
	absolute := (e.Form == FormAbsolute || e.Form == FormHost) && e.sample != nil
	var odd error
	switch {
	case absolute && e.HostVaries:
		odd = errors.New("its host has a variable")
	case absolute:
		odd = urlref.OddHost(e.sample)
	}
	ref := e.Ref.String()
	switch {
	case e.overTLS:
		r.Report(ruleEndpointScheme.At(section).AsWarning(), n, "the endpoint does not start with https://; calls use https, because the document is at the same host over https")
	case absolute && e.sample.Scheme != "https":
		r.Report(ruleEndpointScheme.At(section).AsWarning(), n, "the endpoint does not start with https://")
	case odd != nil:
		r.Report(ruleEndpointHost.At(section), n, "the endpoint is doubtful: %s", odd)
	case urlref.ClimbsUp(ref):
		r.Report(ruleDotSegments.At(section), n, "the endpoint %q leads upwards", ref)
	case e.Form == FormHost:
		r.Report(ruleEndpointSlash.At(section), n, "the endpoint names a host without a scheme; it has the scheme of the document (RFC 3986 §4.2)")
	case e.Form == FormOther:
		r.Report(ruleEndpointSlash.At(section), n, "the endpoint %q is neither a full URL nor a path that begins with a slash", ref)
	}
	if !e.Ref.simple() {
		r.Report(ruleEndpointTemplate.At(section), n, "the endpoint %q has variables that are more than a name", ref)
	}
}
