package resolve

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/security"
)

// Target is the domain or URL of a call, in canonical form. Until its URL was asked, a target with a path
// may be a directory, a document or a server.
type Target struct {
	// Origin is "https://" and the canonical host: lower-case A-labels, no trailing dot, no
	// port. For a server under development it is an entry of security.Guard.AllowDev. For a
	// name of AllowNames it may have a port.
	Origin string
	// Base is the path of the target, without a trailing slash and in canonical
	// percent-encoding. It is empty for the whole site.
	Base string
	// Tail is what the URL has behind Base: the slash that ends its path, and its query with the
	// question mark. Most targets have none.
	Tail string
	// Server is true if the caller knows that the URL is an MCP server: see [ServerPrefix].
	Server bool
}

// ServerPrefix marks a target whose URL is an MCP server: "mcp+https://example.com/mcp". Such a server is
// asked without a sign that it is one, as every Client with a prober for MCP can. A list of targets that
// strangers wrote, and a model, must not contain the prefix.
const ServerPrefix = "mcp+"

// Host returns the canonical host.
func (t Target) Host() string {
	return urlref.Host(t.Origin)
}

// Key returns the target without "https://". Clean input already has this spelling.
func (t Target) Key() string {
	return t.prefix() + strings.TrimPrefix(t.Origin, "https://") + t.Base + t.Tail
}

// String returns the target in a form that [ParseTarget] reads.
func (t Target) String() string { return t.prefix() + t.URL() }

// URL returns the URL that the caller named.
func (t Target) URL() string { return t.Origin + t.Base + t.Tail }

// HasURL reports whether the caller named a URL, and not a domain alone.
func (t Target) HasURL() bool { return t.Base != "" || t.Tail != "" }

// Directory returns the domain, or the directory, that the target is if its URL is neither a document nor
// a server.
func (t Target) Directory() Target { return Target{Origin: t.Origin, Base: t.Base} }

// Shown returns the target without the secrets of its query, as a Site has it.
func (t Target) Shown() Target {
	if at := strings.IndexByte(t.Tail, '?'); at >= 0 {
		t.Tail = t.Tail[:at] + secret.Message{}.URL(t.Tail[at:])
	}
	return t
}

// Listed returns the target as an entry of a list or a queue that others can read. The path "/" alone means
// the domain there. A target with ServerPrefix, or with a secret in its query, is refused: a list posts
// nothing, and keeps no secret.
func (t Target) Listed() (Target, error) {
	shown := t.Shown()
	switch {
	case t.Server:
		return Target{}, wayfind.NewError("target", shown.String(), wayfind.CodeScheme, errors.New("a list may not name servers, because nothing is posted to its entries"))
	case shown != t:
		return Target{}, wayfind.NewError("target", shown.String(), wayfind.CodeSecret, errors.New("its query has a secret, which a list would keep")).WithKind(wayfind.ErrInvalid)
	case t.Base == "" && t.Tail == "/":
		return t.Directory(), nil
	}
	return t, nil
}

// Of returns the target that a Site is about.
func Of(site *wayfind.Site) Target {
	cut := strings.IndexByte(site.Base, '?')
	if cut < 0 {
		cut = len(site.Base)
	}
	base := strings.TrimSuffix(site.Base[:cut], "/")
	return Target{Origin: site.Origin, Base: base, Tail: site.Base[len(base):]}
}

func (t Target) prefix() string {
	if t.Server {
		return ServerPrefix
	}
	return ""
}

// ParseTargetFor is like ParseTarget for a guard that may allow servers under development. The
// guard may be nil.
func ParseTargetFor(s string, guard *security.Guard) (Target, []wayfind.Diagnostic, error) {
	plain, server := cutServer(s)
	origin, rest, ok := guard.DevTarget(plain)
	if !ok {
		return ParseTarget(s)
	}
	if rest == "/" && !strings.HasSuffix(plain, "/") {
		rest = ""
	}
	t := Target{Origin: origin, Server: server}
	diags, err := t.parseRest(rest)
	if err != nil {
		return Target{}, nil, refusal(s, wayfind.CodeTargetPath, err)
	}
	return t, diags, nil
}

// cutServer removes ServerPrefix.
func cutServer(s string) (url string, server bool) {
	if n := len(ServerPrefix); len(s) > n && strings.EqualFold(s[:n], ServerPrefix) {
		if scheme, _, ok := strings.Cut(s[n:], "://"); ok && isScheme(scheme) {
			return s[n:], true
		}
	}
	return s, false
}

// refusal returns the error of a target. Its text has no secret of the query.
func refusal(s string, code wayfind.Code, err error) error {
	return wayfind.NewError("target", text.Clip(secret.Veil(nil).Show(s, secret.Event, 0)), code, err)
}

// maxTarget is the maximum length of a target, in bytes.
const maxTarget = 2048

// ParseTarget reads a domain or an https URL, which may begin with [ServerPrefix]. All targets that are
// refused are refused here, before any look-up: the error is a *wayfind.Error of kind wayfind.ErrInvalid
// whose code is the cause. A path becomes Base; a slash at its end and a query become Tail. A fragment is
// dropped with a diagnostic.
func ParseTarget(s string) (Target, []wayfind.Diagnostic, error) {
	fail := func(code wayfind.Code, err error) (Target, []wayfind.Diagnostic, error) {
		return Target{}, nil, refusal(s, code, err)
	}
	if err := checkText(s); err != nil {
		return fail(wayfind.CodeHostSyntax, err)
	}
	plain, server := cutServer(s)
	rest, code, err := cutScheme(plain)
	if err != nil {
		return fail(code, err)
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	host, err := security.SplitAuthority(authority)
	if err != nil {
		return Target{}, nil, asTarget(err, s)
	}
	canon, notes, err := security.CanonicalHost(host)
	if err != nil {
		return Target{}, nil, asTarget(err, s)
	}
	t := Target{Origin: "https://" + canon, Server: server}
	diags, err := t.parseRest(tail)
	if err != nil {
		return fail(wayfind.CodeTargetPath, err)
	}
	for _, n := range notes {
		diags = append(diags, ruleOf(n).Diagnostic("", "%s", n.Message))
	}
	return t, diags, nil
}

// checkText refuses characters that no part of a target may contain.
func checkText(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case len(s) > maxTarget:
		return errors.New("it is longer than 2048 bytes")
	case !utf8.ValidString(s):
		return errors.New("it is not UTF-8")
	}
	for _, r := range s {
		switch {
		case r == '\\':
			return errors.New("it contains a backslash")
		case unicode.IsSpace(r):
			return errors.New("it contains a blank")
		case unicode.IsControl(r):
			return errors.New("it contains a control character")
		}
	}
	return nil
}

// cutScheme removes "https://" and refuses every other scheme.
func cutScheme(s string) (rest string, code wayfind.Code, err error) {
	scheme, after, ok := strings.Cut(s, "://")
	if ok && isScheme(scheme) {
		if !strings.EqualFold(scheme, "https") {
			return "", wayfind.CodeScheme, errors.New("only https is asked")
		}
		return after, "", nil
	}
	if strings.HasPrefix(s, "//") {
		return "", wayfind.CodeHostSyntax, errors.New("it has no scheme before the slashes")
	}
	if name, _, ok := strings.Cut(s, "//"); ok && (strings.EqualFold(name, "https") || strings.EqualFold(name, "http")) {
		return "", wayfind.CodeHostSyntax, errors.New("there is no colon before the slashes")
	}
	if name, after, ok := strings.Cut(s, ":"); ok && isScheme(name) && !strings.Contains(name, ".") && !isDigits(after) {
		if strings.EqualFold(name, "https") {
			return "", wayfind.CodeHostSyntax, errors.New("two slashes must follow the scheme and its colon")
		}
		if strings.ContainsAny(after, "()'\"<>{}|^`") {
			return "", wayfind.CodeHostSyntax, errors.New("it is not a host name")
		}
		if !strings.Contains(after, "@") {
			return "", wayfind.CodeScheme, errors.New("only https is asked")
		}
	}
	return s, "", nil
}

// isScheme reports whether s is a scheme (RFC 3986 §3.1).
func isScheme(s string) bool {
	for i, r := range s {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return s != ""
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// parseRest reads the path, the query and the fragment of the URL. The URL of a server that is a host
// alone has the path "/".
func (t *Target) parseRest(rest string) (diags []wayfind.Diagnostic, err error) {
	rest, _, hasFragment := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if hasFragment {
		diags = append(diags, ruleFragmentDropped.Diagnostic("", "the fragment of the target is not used"))
	}
	if t.Base, err = cleanBase(path); err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, "/") || t.Base == "" && (query != "" || t.Server) {
		t.Tail = "/"
	}
	if query != "" {
		t.Tail += "?" + normal(query, queryMarks)
	}
	return diags, nil
}

// cleanBase normalises a path (RFC 3986 §6.2.2) and drops empty segments. It refuses "..".
func cleanBase(path string) (base string, err error) {
	var b strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		switch segment = normal(segment, pathMarks); segment {
		case "..":
			return "", errors.New("its path leaves the site (..)")
		case "", ".":
		default:
			b.WriteString("/" + segment)
		}
	}
	return b.String(), nil
}

// These are the characters that a segment and a query may contain besides unreserved ones (RFC 3986 §3.3,
// §3.4).
const (
	pathMarks  = "!$&'()*+,;=:@"
	queryMarks = pathMarks + "/?"
)

// normal percent-encodes characters that are not allowed in a segment or a query, decodes characters that
// need no encoding, and leaves the rest unchanged.
func normal(segment, marks string) string {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c == '%' && i+2 < len(segment) {
			if v, err := strconv.ParseUint(segment[i+1:i+3], 16, 8); err == nil {
				if i += 2; isUnreserved(byte(v)) {
					b.WriteByte(byte(v))
				} else {
					fmt.Fprintf(&b, "%%%02X", v)
				}
				continue
			}
		}
		if isUnreserved(c) || strings.IndexByte(marks, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// isUnreserved reports whether c is an unreserved character (RFC 3986 §2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// asTarget converts an error of the host policy into an error of a target.
func asTarget(err error, s string) error {
	var e *wayfind.Error
	if !errors.As(err, &e) {
		return wayfind.NewError("target", text.Clip(s), "", err).WithKind(wayfind.ErrInvalid)
	}
	if e.Code == wayfind.CodeUserinfo {
		s = "" // it may contain a password
	}
	return refusal(s, e.Code, e.Err)
}
