package awp

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind/parse"
)

// domain returns the host in the domain member (§5), "" if there is none. It reports a
// host other than the one that served the document: the text calls the domain
// canonical, and according to the comments in the authors' schema it must match. The
// caller decides on the consequences.
func (r *reader) domain(in *parse.Input, root parse.Node) string {
	text := r.String(root, "domain", parse.Must, "§5")
	n := root.Get("domain")
	if n.Kind() != parse.String {
		return ""
	}
	host := statedHost(text)
	switch {
	case host == "":
		r.Report(ruleDomain, n, "the domain %q is no name of a host; it is ignored", text)
		return ""
	case host != strings.TrimSuffix(strings.ToLower(text), "."):
		r.Report(ruleDomainSyntax, n, "the domain %q is more than a name; it was read as %q", text, host)
	}
	r.compareDomain(n, host, in.URL, in.FinalURL)
	return host
}

// compareDomain reports a host that did not serve the document.
func (r *reader) compareDomain(n parse.Node, host string, served ...*url.URL) {
	var by string
	related := false
	for _, u := range served {
		if u == nil {
			continue
		}
		by = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if by == host {
			return
		}
		related = related || isBelow(host, by) || isBelow(by, host)
	}
	switch {
	case by == "":
	case strings.ContainsFunc(host, func(c rune) bool { return c > '~' }):
		// Hosts that served a document are in A-labels (RFC 5890 §2.3.2.1).
		r.Report(ruleDomainUnicode, n, "the domain %q is not compared with %q, which served the document", host, by)
	case related:
		r.Report(ruleDomainMismatch.AsInfo(), n, "the domain is %q, and %q served the document", host, by)
	default:
		r.Report(ruleDomainMismatch, n, "the domain is %q, and %q, which served the document, is neither above nor below it", host, by)
	}
}

// isBelow reports whether host is a subdomain of parent, which must have more than one
// label.
func isBelow(host, parent string) bool {
	return strings.Contains(parent, ".") && strings.HasSuffix(host, "."+parent)
}

// statedHost returns the host of a domain in lower case, "" if it is not a host name. Some
// publishers write a URL or add a port.
func statedHost(text string) string {
	host := strings.ToLower(strings.TrimSpace(text))
	if strings.Contains(host, "://") {
		u, err := url.Parse(host)
		if err != nil {
			return ""
		}
		host = u.Hostname()
	}
	host, _, _ = strings.Cut(host, "/")
	if name, port, ok := strings.Cut(host, ":"); ok && isDigits(port) {
		host = name
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > 253 || strings.HasPrefix(host, ".") || strings.Contains(host, "..") || strings.ContainsFunc(host, notHost) {
		return ""
	}
	return host
}

// notHost reports whether no host name may contain the character. Letters beyond ASCII
// are allowed, for internationalised names.
func notHost(c rune) bool {
	return c != '.' && c != '-' && c != '_' && !unicode.In(c, unicode.L, unicode.M, unicode.N)
}
