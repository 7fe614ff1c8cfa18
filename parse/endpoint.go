package parse

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Form is how an endpoint is written.
type Form uint8

// The forms.
const (
	// FormAbsolute is a URL with scheme and host.
	FormAbsolute Form = iota + 1
	// FormPath begins with one slash.
	FormPath
	// FormOther is neither: "v1/search", "?q=x", "../x".
	FormOther
)

// Endpoint is the target of a call. The zero Endpoint has none.
type Endpoint struct {
	// URL, or Template when there are variables, as an Invocation or an
	// Interface of the model has them. Both are "" while a base is missing.
	URL, Template string
	// Ref is the reference that was resolved, taken apart: its variables are
	// parameters of the call.
	Ref  Template
	Form Form
	// HostVaries: a variable stands in host or port, so that the destination of
	// the call is unknown.
	HostVaries bool

	sample *url.URL // with the variables filled in
}

// Resolved reports whether there is a URL or a template.
func (e Endpoint) Resolved() bool { return e.URL != "" || e.Template != "" }

// ResolveEndpoint resolves the endpoint of a call, which may have variables as
// {name}, or returns why it cannot be used. Only scheme and host of base count:
// "/x" stands at the root of the site. An absolute URL is taken as it is.
//
// Anything else (FormOther) is read as a path that lacks its slash. A format
// whose specification knows only the other two decides whether that is good
// enough for an invocation: strict readers look at Form.
//
// With base nil and a relative reference the result is not Resolved, and there
// is no error.
func ResolveEndpoint(ref string, base *url.URL) (e Endpoint, err error) {
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

// readEndpoint takes a reference apart, and resolves it if it is absolute.
func readEndpoint(ref string) (e Endpoint, err error) {
	if err := CheckReference(ref); err != nil {
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
	return e, checkFilled(t.Filled())
}

// Join resolves an endpoint by writing its reference behind prefix, for formats
// that append paths to a base URL instead of resolving them by RFC 3986. The
// prefix may have variables too. The result has neither dot segments nor a
// fragment, but for dot segments in a template and variables in a fragment.
func (e Endpoint) Join(prefix string) (joined Endpoint, err error) {
	whole, ok := ParseTemplate(prefix + e.Ref.String())
	if !ok {
		return Endpoint{}, errors.New("its braces do not match")
	}
	whole = whole.withoutFragment()
	u, err := AbsoluteURL(whole.Filled())
	if err != nil {
		return Endpoint{}, err
	}
	e.sample = u
	if len(whole.Names()) == 0 {
		e.URL, e.Template = TidyURL(u), ""
		return e, nil
	}
	e.URL, e.Template = "", whole.String()
	other, err := url.Parse(whole.filled("2"))
	e.HostVaries = err != nil || other.Host != u.Host
	return e, nil
}

// withoutFragment drops the fragment, which no request carries (RFC 9110 §4.2.5). One with
// variables stays: a call without them would be another call.
func (t Template) withoutFragment() Template {
	for i, p := range t.parts {
		before, _, found := strings.Cut(p.text, "#")
		if found && p.names == nil && !slices.ContainsFunc(t.parts[i:], func(p part) bool { return p.names != nil }) {
			return Template{append(t.parts[:i:i], part{text: before})}
		}
	}
	return t
}

// CheckEndpoint reports the oddities of a usable endpoint, n being the value it
// was read from. The first of these that holds, as a warning:
//
//	endpoint_scheme    an absolute URL that does not start with https://
//	endpoint_host      one whose host has a variable or is an [OddHost]
//	dot_segments       it [ClimbsUp]
//	endpoint_slash     it is of FormOther
//
// and, beside it, endpoint_template for variables that are more than a name.
func (r *Reader) CheckEndpoint(n Node, e Endpoint, section string) {
	absolute := e.Form == FormAbsolute && e.sample != nil
	var odd error
	switch {
	case absolute && e.HostVaries:
		odd = errors.New("its host has a variable")
	case absolute:
		odd = OddHost(e.sample)
	}
	ref := e.Ref.String()
	switch {
	case absolute && e.sample.Scheme != "https":
		r.Report(ruleEndpointScheme.At(section).AsWarning(), n, "the endpoint does not start with https://")
	case odd != nil:
		r.Report(ruleEndpointHost.At(section), n, "the endpoint is doubtful: %s", odd)
	case ClimbsUp(ref):
		r.Report(ruleDotSegments.At(section), n, "the endpoint %q leads upwards", ref)
	case e.Form == FormOther:
		r.Report(ruleEndpointSlash.At(section), n, "the endpoint %q is neither a full URL nor a path that begins with a slash", ref)
	}
	if !e.Ref.simple() {
		r.Report(ruleEndpointTemplate.At(section), n, "the endpoint %q has variables that are more than a name", ref)
	}
}
