package adp

import (
	"net/url"
	"slices"
	"strings"
)

// base is what relative references of a manifest are relative to. The zero
// base is unusable: only absolute references resolve.
type base struct {
	// text is the base_url with variables as {name}, without slashes at its
	// end, query and fragment.
	text string
	// url is text with its variables filled in.
	url *url.URL
	// path is that of url without slashes at its end.
	path      string
	variables []string
	// hostVaries: a variable stands in the host, so that nothing relative can
	// be fetched.
	hostVaries bool
}

// newBase reads a base_url, or says why it cannot be used. What follows a
// question mark or a number sign does not take part in joining.
func newBase(text string) (base, string) {
	text = placeholders(text)
	if why := syntax(text); why != "" {
		return base{}, why
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimRight(text, "/")
	parts, ok := split(text)
	if !ok {
		return base{}, "its braces do not match"
	}
	u, why := absolute(fill(parts))
	if why != "" {
		return base{}, why
	}
	b := base{text: text, url: u, path: strings.TrimRight(u.EscapedPath(), "/"), variables: names(parts)}
	_, rest, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	b.hostVaries = strings.Contains(host, "{")
	return b, ""
}

// originOf is the base of a document whose manifest names none: RFC 3986
// §5.1.3, but for the path.
func originOf(document *url.URL) base {
	b, _ := newBase(document.Scheme + "://" + document.Host)
	return b
}

// usable reports whether anything relative can be resolved.
func (b *base) usable() bool { return b.url != nil }

// details resolves a detail_url. The first URL is the one to ask, a second one
// to be asked when the first answers 404. It returns no URL and no reason
// where the base is to blame, which has been reported there.
//
// A reference that begins with a slash is appended to the base_url, path
// included, as the reference implementation does; RFC 3986 §5.2.2 would
// replace the path, and is the second reading. Any other is resolved by
// RFC 3986.
func (b *base) details(ref string) (urls []string, why string) {
	if why := syntax(ref); why != "" {
		return nil, why
	}
	if strings.ContainsAny(ref, "{}") {
		return nil, "it has variables, which nobody fills in"
	}
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return nil, "it is not a URL"
	case u.Scheme != "":
		return only(absolute(ref))
	case !b.usable() || b.hostVaries:
		return nil, ""
	}
	if ref[0] == '/' && b.path != "" && len(b.variables) == 0 {
		joined, why := absolute(b.text + ref)
		if why != "" {
			return nil, why
		}
		urls = append(urls, tidy(joined))
	}
	if ref[0] != '/' && len(b.variables) > 0 {
		return nil, ""
	}
	return slices.Compact(append(urls, tidy(b.url.ResolveReference(u)))), ""
}

// only makes a list of one URL.
func only(u *url.URL, why string) ([]string, string) {
	if why != "" {
		return nil, why
	}
	return []string{tidy(u)}, ""
}

// target is where a call goes: a URL, or a template when there are variables.
type target struct {
	url, template string
	parts         []part
}

// endpoint resolves the endpoint of a detail document (§5): a full URL, or a
// path, which is appended to the base_url as the reference implementation
// does. It returns an empty target and no reason when the endpoint is relative
// and the base is not known.
func (b *base) endpoint(ref string) (t target, why string) {
	if why := syntax(ref); why != "" {
		return t, why
	}
	var ok bool
	if t.parts, ok = split(ref); !ok {
		return t, "its braces do not match"
	}
	full := ref
	if u, err := url.Parse(fill(t.parts)); err != nil {
		return t, "it is not a URL"
	} else if u.Scheme == "" {
		if !b.usable() {
			return t, ""
		}
		full = b.join(ref)
	}
	whole, ok := split(full)
	if !ok {
		return t, "its braces do not match"
	}
	u, why := absolute(fill(whole))
	switch {
	case why != "":
		return t, why
	case len(names(whole)) > 0:
		t.template = full
	default:
		t.url = tidy(u)
	}
	return t, ""
}

// join appends a relative endpoint.
func (b *base) join(ref string) string {
	if ref[0] == '/' || ref[0] == '?' || strings.HasPrefix(ref, "{/") || strings.HasPrefix(ref, "{?") {
		return b.text + ref
	}
	return b.text + "/" + ref
}
