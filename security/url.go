package security

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// SplitAuthority returns the host of an authority ("host", "host:443"). It refuses user names,
// all ports except 443, and text that cannot be an authority. The host is returned as written,
// with the brackets of an IP literal: pass it to [CanonicalHost]. The error is a *wayfind.Error
// with Op "host" and kind wayfind.ErrInvalid (RFC 3986 §3.2).
func SplitAuthority(authority string) (host string, err error) {
	if why := checkText(authority); why != "" {
		return "", hostError(authority, wayfind.CodeHostSyntax, why)
	}
	if strings.Contains(authority, "@") {
		return "", hostError("", wayfind.CodeUserinfo, "a user name or password stands before the host")
	}
	host, port, hasPort := authority, "", false
	if end := strings.LastIndexByte(authority, ']'); authority[0] == '[' && end > 0 {
		host = authority[:end+1]
		if port, hasPort = strings.CutPrefix(authority[end+1:], ":"); !hasPort && port != "" {
			return "", hostError(authority, wayfind.CodeHostSyntax, "something follows the bracket")
		}
	} else if host, port, hasPort = strings.Cut(authority, ":"); strings.Contains(port, ":") {
		why := "it contains more than one colon"
		if bracketCode("["+authority+"]") == wayfind.CodeHostIPLiteral {
			why = "it is an IPv6 address, and without brackets"
		}
		return "", hostError(authority, wayfind.CodeHostSyntax, why)
	}
	if hasPort && strings.Trim(port, "0123456789") != "" {
		return "", hostError(authority, wayfind.CodePort, "its port is not a number")
	}
	if hasPort && port != "443" {
		return "", hostError(authority, wayfind.CodePort, "only port 443 is asked")
	}
	return host, nil
}

// ParseURL reads the Location of a redirect, a link or an endpoint. The result is an absolute
// https URL with a canonical host, without a port and a fragment. Dot segments are removed, the
// path and the query are percent-encoded, and the length is at most 2048 bytes. If base is nil,
// only absolute references are allowed; "//host/path" gets the scheme of base.
//
// It refuses references that two readers could understand as different hosts: backslashes,
// control characters, "https:host", "https:///host". Blanks around the reference are removed,
// and blanks inside it are encoded. The error is a *wayfind.Error with Op "url", kind
// wayfind.ErrRefused and a code of the first group of codes, or wayfind.CodeLimit (RFC 3986
// §5). A URL from which a secret was removed is refused with wayfind.CodeSecret.
func ParseURL(ref string, base *url.URL) (*url.URL, error) {
	var none *Guard
	return none.ParseURL(ref, base)
}

// parse is ParseURL with a given limit, in bytes, and with the URLs that the guard allows in
// addition.
func (p *Guard) parse(ref string, base *url.URL, most int) (u *url.URL, err error) {
	ref = strings.Trim(ref, " ")
	if len(ref) > most {
		return nil, tooLong(ref, most)
	}
	if p != nil && len(p.AllowDev)+len(p.AllowNames) > 0 {
		u = p.devURL(ref, base)
	}
	if u == nil {
		u, err = readURL(ref, base)
	}
	if err == nil && lengthOf(u) > most {
		return nil, tooLong(ref, most)
	}
	return u, err
}

// lengthOf returns the length of an absolute URL without a fragment, as it is sent, in bytes.
func lengthOf(u *url.URL) int {
	n := len(u.Scheme) + len("://") + len(u.Host) + len(u.EscapedPath()) + len(u.RawQuery)
	if u.RawQuery != "" || u.ForceQuery {
		n += len("?")
	}
	return n
}

func tooLong(ref string, most int) error {
	return urlError(ref, wayfind.CodeLimit, fmt.Sprintf("it is longer than %d bytes", most))
}

// readURL reads a reference. The caller has checked its length.
func readURL(ref string, base *url.URL) (*url.URL, error) {
	if why := checkCharacters(ref); why != "" {
		return nil, urlError(ref, wayfind.CodeHostSyntax, why)
	}
	rest, absolute := cutURLScheme(ref)
	if absolute && !strings.EqualFold(ref[:len(ref)-len(rest)], "https:") {
		return nil, urlError(ref, wayfind.CodeScheme, "only https is asked")
	}
	after, hasAuthority := strings.CutPrefix(rest, "//")
	switch {
	case secret.IsRedacted(ref):
		return nil, urlError(ref, wayfind.CodeSecret, "a secret was taken out of it")
	case absolute && !hasAuthority:
		return nil, urlError(ref, wayfind.CodeHostSyntax, "no // follows the scheme")
	case !absolute && base == nil:
		return nil, urlError(ref, wayfind.CodeHostSyntax, "it is relative and there is nothing to relate it to")
	case hasAuthority:
		return fromAuthority(ref, after)
	}
	return fromBase(ref, base)
}

// cutURLScheme returns the rest after "scheme:" (RFC 3986 §3.1).
func cutURLScheme(ref string) (rest string, ok bool) {
	for i := range len(ref) {
		switch b := ref[i]; {
		case 'a' <= b|0x20 && b|0x20 <= 'z':
		case i > 0 && b == ':':
			return ref[i+1:], true
		case i > 0 && ('0' <= b && b <= '9' || b == '+' || b == '-' || b == '.'):
		default:
			return ref, false
		}
	}
	return ref, false
}

// fromAuthority reads the rest after "https://" or "//".
func fromAuthority(ref, rest string) (*url.URL, error) {
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	canon, err := canonicalAuthority(authority)
	if err != nil {
		return nil, asURLError(ref, err)
	}
	return resolve(ref, tail, canon, &url.URL{Path: "/"})
}

// fromBase reads a reference without an authority.
func fromBase(ref string, base *url.URL) (*url.URL, error) {
	if base.Scheme != "https" || base.User != nil || base.Opaque != "" {
		return nil, urlError(ref, wayfind.CodeScheme, "it is relative to something that is not an https URL")
	}
	canon, err := canonicalAuthority(base.Host)
	if err != nil {
		return nil, asURLError(ref, err)
	}
	return resolve(ref, ref, canon, base)
}

func canonicalAuthority(authority string) (string, error) {
	host, err := SplitAuthority(authority)
	if err != nil {
		return "", err
	}
	canon, _, err := CanonicalHost(host)
	return canon, err
}

// resolve builds the URL from a host and a path reference (RFC 3986 §5.2).
func resolve(ref, tail, canon string, base *url.URL) (*url.URL, error) {
	tail, _, _ = strings.Cut(tail, "#")
	path, query, hasQuery := strings.Cut(tail, "?")
	path, query = plainDots(encodeForeign(path)), encodeForeign(query)
	scheme := cmp.Or(base.Scheme, "https")
	if u := alreadyPlain(scheme, path, query, canon); u != nil && !hasQuery == (query == "") {
		return u, nil
	}
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil, urlError(ref, wayfind.CodeHostSyntax, "its path is not well-formed")
	}
	from := url.URL{Scheme: scheme, Host: canon, Path: base.Path, RawPath: base.RawPath, RawQuery: base.RawQuery}
	u := from.ResolveReference(&url.URL{Path: decoded, RawPath: path, RawQuery: query, ForceQuery: hasQuery && query == ""})
	if u.Path == "" {
		u.Path = "/" // RFC 9110 §4.2.3
	}
	return u, nil
}

// alreadyPlain returns the URL of an absolute path that needs no resolution and no decoding, as
// most paths. It returns nil for other paths.
func alreadyPlain(scheme, path, query, canon string) *url.URL {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "/.") || strings.Contains(path, "//") || strings.Contains(path, "%") {
		return nil
	}
	u := &url.URL{Scheme: scheme, Host: canon, Path: path, RawQuery: query}
	if u.EscapedPath() != path {
		return nil
	}
	return u
}

// plainDots decodes encoded dot segments, which some readers resolve and others do not (RFC
// 3986 §6.2.2.2: dots need no encoding).
func plainDots(path string) string {
	if !strings.Contains(path, "%2") {
		return path
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		dots := strings.ReplaceAll(strings.ReplaceAll(segment, "%2e", "."), "%2E", ".")
		if dots == "." || dots == ".." {
			segments[i] = dots
		}
	}
	return strings.Join(segments, "/")
}

// encodeForeign encodes characters that are not allowed in a path or a query (RFC 3986 §3.3).
// Encoded characters are not changed.
func encodeForeign(s string) string {
	const hex = "0123456789ABCDEF"
	first := 0
	for first < len(s) && !isForeign(s[first]) {
		first++
	}
	if first == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:first])
	for i := first; i < len(s); i++ {
		if c := s[i]; isForeign(c) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isForeign(b byte) bool {
	return !text.IsLDH(b) && strings.IndexByte("._~!$&'()*+,;=:@/?%[]", b) < 0
}

func urlError(ref string, code wayfind.Code, why string) error {
	return wayfind.NewError("url", shownURL(ref), code, errors.New(why)).WithKind(wayfind.ErrRefused)
}

// asURLError converts the error of a host into a refusal. It does not repeat user names and
// passwords.
func asURLError(ref string, err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return urlError(ref, wayfind.CodeHostSyntax, err.Error())
	}
	if e.Code == wayfind.CodeUserinfo {
		ref = ""
	}
	return wayfind.NewError("url", shownURL(ref), e.Code, e.Err).WithKind(wayfind.ErrRefused)
}

// shownURL returns a URL for an error message, without its secrets and shortened.
func shownURL(ref string) string {
	clean, _ := secret.RedactURL(ref)
	return text.Clip(clean)
}

// CanonicalOrigin returns an https origin in canonical form: "https://example.com" for
// "https://Example.com/". It refuses a path.
func CanonicalOrigin(text string) (string, error) {
	return originOf(text, func(ref string) (*url.URL, error) { return ParseURL(ref, nil) })
}

// originOf returns the canonical form of an origin, which it reads with a function.
func originOf(text string, read func(ref string) (*url.URL, error)) (string, error) {
	u, err := read(text)
	if err != nil {
		return "", err
	}
	if u.Path != "/" || u.RawQuery != "" || u.ForceQuery {
		return "", urlError(text, wayfind.CodeHostSyntax, "an origin has no path and no query")
	}
	return Origin(u), nil
}
