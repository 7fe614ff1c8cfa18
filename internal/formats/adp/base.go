package adp

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// base is the base URL for the references in a manifest. The zero base is unusable:
// only absolute references resolve.
type base struct {
	// text is the base_url with variables as {name}, without trailing slashes, query
	// and fragment.
	text string
	// url is text with its variables filled in.
	url *url.URL
	// path is the path of url without trailing slashes.
	path      string
	variables []string
	// hostVaries is true if the host contains a variable. No relative reference can
	// then be fetched.
	hostVaries bool
}

// newBase reads a base_url. The error is the reason why it cannot be used. Query and
// fragment are dropped, because they are not used to join URLs.
func newBase(text string) (base, error) {
	text = paramspec.Placeholders(text)
	if err := urlref.CheckReference(text); err != nil {
		return base{}, err
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimRight(text, "/")
	whole, ok := parse.ParseTemplate(text)
	if !ok {
		return base{}, errors.New("its braces do not match")
	}
	u, err := urlref.AbsoluteURL(whole.Filled())
	if err != nil {
		return base{}, err
	}
	b := base{text: text, url: u, path: strings.TrimRight(u.EscapedPath(), "/"), variables: whole.Names()}
	_, rest, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	b.hostVaries = strings.Contains(host, "{")
	return b, nil
}

// originOf returns the base for a document whose manifest has no base_url. It follows
// RFC 3986 §5.1.3, but without the path.
func originOf(document *url.URL) base {
	b, _ := newBase(document.Scheme + "://" + document.Host)
	return b
}

// usable reports whether relative references can be resolved.
func (b *base) usable() bool { return b.url != nil }

// details resolves a detail_url. The first URL is the one to request. If there is a
// second one, it is requested if the first returns 404. details returns neither a URL
// nor an error if the base cannot be used for the reference, which was reported when the
// base was read.
//
// A reference that begins with a slash is appended to the base_url, including its
// path, as in the reference implementation. RFC 3986 §5.2.2 would replace the path;
// the result is the second URL. Any other reference is resolved by RFC 3986.
func (b *base) details(ref string) (urls []string, err error) {
	if strings.ContainsAny(ref, "{}") {
		return nil, errors.New("it has variables, which are not filled in")
	}
	if err := urlref.CheckLink(ref); err != nil {
		return nil, err
	}
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case u.Scheme != "":
		return only(urlref.AbsoluteURL(ref))
	case !b.usable() || b.hostVaries:
		return nil, nil
	}
	if ref[0] == '/' && b.path != "" && len(b.variables) == 0 {
		joined, err := urlref.AbsoluteURL(b.text + ref)
		if err != nil {
			return nil, err
		}
		urls = append(urls, urlref.TidyURL(joined))
	}
	if ref[0] != '/' && len(b.variables) > 0 {
		return nil, nil
	}
	return slices.Compact(append(urls, urlref.TidyURL(b.url.ResolveReference(u)))), nil
}

// only makes a list of one URL.
func only(u *url.URL, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	return []string{urlref.TidyURL(u)}, nil
}

// endpoint resolves the endpoint of a detail document (§5). It is a full URL, or a
// path, which is appended to the base_url as in the reference implementation. If it is
// relative and the base is not known, it remains unresolved and there is no error.
func (b *base) endpoint(ref string) (e parse.Endpoint, err error) {
	e, err = parse.ResolveEndpoint(ref, nil)
	if err != nil || e.Resolved() || !b.usable() {
		return e, err
	}
	if ref[0] == '/' || ref[0] == '?' || strings.HasPrefix(ref, "{/") || strings.HasPrefix(ref, "{?") {
		return e.Join(b.text)
	}
	return e.Join(b.text + "/")
}
