package parse

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// maxTried is the number of servers that one diagnostic names.
const maxTried = 5

// errNoPlace is the fault of a relative server while the place of the document is unknown.
var errNoPlace = errors.New("it is relative to a document whose place is unknown")

// FirstUsable returns the index of the server that calls go to, or -1: the first one without a
// Fault, in the order of the publisher. The others are never preferred, at whichever site they
// are. It reports the servers that are passed over, or at n that there is none to call.
func (r *Refs) FirstUsable(n Node, servers []*Server) int {
	i := slices.IndexFunc(servers, func(s *Server) bool { return s.Fault == nil })
	switch {
	case i > 0:
		r.Report(ruleServerPassed.At(serverSection), servers[i].URL(), "calls go to %q; passed over: %s", servers[i].Written, tried(servers[:i]))
	case i < 0 && len(servers) > 0 && !slices.ContainsFunc(servers, func(s *Server) bool { return s.Fault == errNoPlace }):
		r.Report(ruleServerNone.At(serverSection), n, "no server can be called: %s", tried(servers))
	}
	return i
}

// tried returns the servers that are not called, with the reasons.
func tried(servers []*Server) string {
	var list []string
	for i, s := range servers {
		if i == maxTried {
			return strings.Join(append(list, fmt.Sprintf("and %d more", len(servers)-i)), "; ")
		}
		list = append(list, fmt.Sprintf("%q: %s", s.Written, s.Fault))
	}
	return strings.Join(list, "; ")
}

// faultOf returns the reason why no call is sent to a server, or nil: calls go by https to public
// names, and to the server that the document itself came from.
func (r *Refs) faultOf(s *Server) error {
	if s.Base == "" {
		return errNoPlace
	}
	if err := s.unfilled(s.Base); err != nil {
		return err
	}
	u, err := urlref.AbsoluteURL(s.Base)
	if err != nil || r.isOwn(u) {
		return err
	}
	if err := urlref.OddHost(&url.URL{Host: strings.TrimSuffix(u.Host, ":"+u.Port())}); err != nil {
		return err
	}
	if u.Scheme != "https" {
		return errors.New("it does not use TLS")
	}
	return urlref.OddHost(u)
}

// isOwn reports whether a URL is at the origin of the document.
func (r *Refs) isOwn(u *url.URL) bool {
	return r.Base != nil && u.Scheme == r.Base.Scheme && strings.EqualFold(u.Hostname(), r.Base.Hostname()) && port(u) == port(r.Base)
}

// port returns the port of a URL, or "" for the default one.
func port(u *url.URL) string {
	if p := u.Port(); p != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		return p
	}
	return ""
}

// authority returns the host and the port of a URL or template.
func authority(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// HeaderUnpublished is a field of answers that do not come from the host of their URL, as those of
// files that are read as if they were published.
const HeaderUnpublished = "Wayfind-Unpublished"

// Unpublished reports whether nothing is known about the host of the document: it is a file. An
// http URL of that host then stays one.
func (in *Input) Unpublished() bool { return in.Header.Get(HeaderUnpublished) != "" }

// HeaderServer is a field of answers with [HeaderUnpublished]: the URL of the server to call in place of
// those that the document names.
const HeaderServer = "Wayfind-Server"

// Server returns the server that the caller names in place of those of the document, or "".
func (in *Input) Server() string {
	if !in.Unpublished() {
		return ""
	}
	return in.Header.Get(HeaderServer)
}

// withScheme gives a reference that begins with a host the scheme of the document (RFC 3986 §4.2). It
// is https while the place of the document is unknown, because nothing else is called.
func withScheme(ref string, base *url.URL) string {
	switch {
	case !strings.HasPrefix(ref, "//") || strings.HasPrefix(ref, "///"):
		return ref
	case base == nil:
		return "https:" + ref
	}
	return base.Scheme + ":" + ref
}

// sameOverTLS reports whether an http URL is at the host of a document that is there over https.
// The port must be the default one.
func sameOverTLS(u, document *url.URL) bool {
	return document != nil && document.Scheme == "https" && u.Scheme == "http" && port(u) == "" && strings.EqualFold(u.Hostname(), document.Hostname())
}

// overTLS gives an http server the origin of the document, if that is at the same host and has
// https: servers behind a proxy that adds TLS do not know it. Any other host is left as it is.
func (r *Refs) overTLS(s *Server, u *url.URL) bool {
	if r.Unpublished || !sameOverTLS(u, r.Base) {
		return false
	}
	before, origin := "http://"+u.Host, "https://"+r.Base.Host
	if !strings.HasPrefix(s.Text, before) { // its host is a template
		s.Text, s.Variables, s.Filled = s.Base, nil, true
	}
	s.Text, s.Base = strings.Replace(s.Text, before, origin, 1), strings.Replace(s.Base, before, origin, 1)
	return true
}

// checkServer reports oddities of a server that leads somewhere.
func (r *Refs) checkServer(s *Server) {
	if !strings.Contains(s.Written, "://") && urlref.IsBareHost(s.Written) {
		r.Report(ruleServerRelative.At(serverSection), s.URL(), "the server %q has no scheme; it was read as a path on the host of the document (RFC 3986 §4.2)", s.Written)
	}
	if s.Base == "" {
		return
	}
	written, _ := s.At.Get("url").Str()
	if !strings.Contains(written, "://") {
		written = s.Base // a reference has the host of the document
	}
	t, _ := ParseTemplate(s.Base)
	if u, err := urlref.AbsoluteURL(t.Filled()); err == nil {
		switch {
		case r.overTLS(s, u):
			r.Report(ruleServerScheme.At(serverSection), s.URL(), "the server %q does not use TLS; calls use https, because the document is at the same host over https", written)
		case u.Scheme != "https":
			r.Report(ruleServerScheme.At(serverSection), s.URL(), "the server %q does not use TLS", written)
		case urlref.OddHost(u) != nil && !strings.Contains(authority(s.Base), "{"):
			r.Report(ruleServerHost.At(serverSection), s.URL(), "the server %q is doubtful: %s", written, urlref.OddHost(u))
		}
	}
	for _, name := range t.Names() {
		if !slices.ContainsFunc(s.Variables, func(v wayfind.Variable) bool { return v.Name == name && v.Default == "" && s.defaultOf(&v) != "" }) {
			r.Report(ruleServerVariable.At(serverSection), s.URL(), "the variable %q has no default", name)
		}
	}
}
