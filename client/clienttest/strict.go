package clienttest

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Strict makes the test fail in two more cases, and returns the Internet:
//
//   - a request that has no page, no recorded answer and no [Internet.Expect], which is answered with 404
//     otherwise. The error names the nearest known request. A GET of a place where discovery looks is
//     permitted, because clients ask all of them, unless Expect names requests of the host;
//   - a recorded answer that was not used.
//
// A handler that is neither [Pages], [Files] nor a recording decides by itself which requests it
// knows. Call Strict before the first request. [Host.Paths] is sorted afterwards, because requests
// that a client sends at the same time arrive in any order.
func (n *Internet) Strict() *Internet {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expected.strict = true
	return n
}

// Expect states all requests that the hosts get whose names are in it, in any order, and returns the
// Internet. Each is a method and a URL, such as "POST https://shop.example/orders", or a URL, for GET. A
// request that comes several times is stated as often. The test fails for each other request to these
// hosts, and at its end for each request that has not come. It includes [Internet.Strict].
func (n *Internet) Expect(requests ...string) *Internet {
	n.mu.Lock()
	e := &n.expected
	e.strict = true
	if e.left == nil {
		e.left, e.exact = map[string]int{}, map[string]bool{}
	}
	var wrong []string
	for _, request := range requests {
		request = withMethod(request)
		host, ok := hostOf(request)
		if !ok {
			wrong = append(wrong, request)
			continue
		}
		e.left[request]++
		e.exact[host] = true
	}
	n.mu.Unlock()
	for _, request := range wrong {
		n.report("expect %q: write a method and a URL, such as \"POST https://shop.example/orders\"", request)
	}
	return n
}

// expected is what a strict Internet compares requests with.
type expected struct {
	strict bool
	left   map[string]int  // expected requests that have not come, "METHOD URL"
	exact  map[string]bool // hosts that get no other requests
	used   map[exchangeKey]bool
}

// exchangeKey identifies an exchange of a recording.
type exchangeKey struct{ method, url, body string }

func keyOf(x *client.Exchange) exchangeKey { return exchangeKey{x.Method, x.URL, string(x.Request)} }

// withMethod returns "METHOD URL" for an expected request.
func withMethod(request string) string {
	if !strings.Contains(request, " ") {
		return http.MethodGet + " " + request
	}
	return request
}

// hostOf returns the host of "METHOD URL".
func hostOf(request string) (host string, ok bool) {
	_, url, _ := strings.Cut(request, " ")
	rest, ok := strings.CutPrefix(url, "https://")
	host, path, slash := strings.Cut(rest, "/")
	return canonical(host), ok && slash && host != "" && !strings.Contains(path, " ")
}

// index is a site that says which paths it has.
type index interface{ has(path string) bool }

func (p Pages) has(path string) bool {
	_, ok := p[path]
	return ok
}

func (f files) has(path string) bool {
	_, err := fs.Stat(f.FS, strings.TrimPrefix(path, "/"))
	return err == nil
}

// expects compares a request with the stated ones, and reports whether it is known. The caller holds
// n.mu.
func (n *Internet) expects(h *Host, name string, r *http.Request) (known bool) {
	e := &n.expected
	request := r.Method + " https://" + name + r.RequestURI
	switch {
	case !e.strict:
		return true
	case e.left[request] > 0:
		e.left[request]--
		return true
	case e.exact[name]:
		return false
	case h == nil || h.pages[r.URL.Path] != nil:
		return true
	}
	site, listed := h.site.(index)
	return !listed || site.has(r.URL.Path) || isPlace(r)
}

// isPlace reports whether a request is one of those that discovery sends to each site.
func isPlace(r *http.Request) bool {
	path := r.URL.Path
	if r.Method != http.MethodGet {
		return false
	}
	if path == "/" || path == "/robots.txt" || strings.HasPrefix(path, "/.well-known/") {
		return true
	}
	for _, f := range formats.All() {
		for _, l := range f.Locations {
			if l.Path == path {
				return true
			}
		}
	}
	return false
}

// unexpected reports a request that is not known.
func (n *Internet) unexpected(request string) {
	n.mu.Lock()
	var known []string
	for expected, left := range n.expected.left {
		if left > 0 {
			known = append(known, expected)
		}
	}
	method, _, _ := strings.Cut(request, " ")
	for name, h := range n.hosts {
		paths := slices.Collect(maps.Keys(h.pages))
		switch site := h.site.(type) {
		case Pages:
			paths = slices.AppendSeq(paths, maps.Keys(site))
		case *replayed:
			for _, x := range site.recording.Exchanges() {
				known = append(known, recordedAs(x))
			}
		}
		for _, path := range paths {
			known = append(known, method+" https://"+name+path)
		}
	}
	n.mu.Unlock()
	slices.Sort(known)
	hint := ""
	if near := text.Nearest(request, slices.Compact(known)); near != "" {
		hint = "; the nearest one is " + near
	}
	n.report("%s: no page, recorded answer or expectation has this request%s", request, hint)
}

// recordedAs returns the request of an exchange.
func recordedAs(x *client.Exchange) string {
	if x.Method == "" {
		return http.MethodGet + " " + x.URL
	}
	return x.Method + " " + x.URL
}

// mostUnused is the number of unused answers of a host that are listed.
const mostUnused = 10

// checkExpected reports expected requests that have not come, and unused answers.
func (n *Internet) checkExpected() {
	n.mu.Lock()
	e := n.expected
	var missing, unused []string
	for request, left := range e.left {
		for range left {
			missing = append(missing, request)
		}
	}
	for _, h := range n.hosts {
		if site, ok := h.site.(*replayed); ok && e.strict {
			unused = append(unused, site.unused(e.used)...)
		}
	}
	n.mu.Unlock()
	slices.Sort(missing)
	for _, request := range missing {
		n.report("%s: it was expected, and has not come", request)
	}
	slices.Sort(unused)
	for _, request := range unused[:min(len(unused), mostUnused)] {
		n.report("%s: its recorded answer was not used", request)
	}
	if more := len(unused) - mostUnused; more > 0 {
		n.report("%d more recorded answers were not used", more)
	}
}

// unused returns the requests of the host whose answers were not used. Failures before a request are
// those of a connection.
func (s *replayed) unused(used map[exchangeKey]bool) (list []string) {
	for _, x := range s.recording.Exchanges() {
		reached := x.Failure == nil || x.Failure.Stage == "headers" || x.Failure.Stage == "body"
		if reached && strings.HasPrefix(x.URL, s.origin+"/") && !used[keyOf(x)] {
			list = append(list, recordedAs(x))
		}
	}
	return list
}

// answered records that a recorded answer is used.
func (s *replayed) answered(x *client.Exchange) {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.net.expected.used == nil {
		s.net.expected.used = map[exchangeKey]bool{}
	}
	s.net.expected.used[keyOf(x)] = true
}

// checkName reports a name that is no name of a host.
func (n *Internet) checkName(name string) {
	switch {
	case strings.Contains(name, "://"):
		_, host, _ := strings.Cut(name, "://")
		host, _, _ = strings.Cut(host, "/")
		n.report("host %q: write the name alone: %q", name, host)
	case name == "" || strings.ContainsAny(name, "/?#@: \t"):
		n.report("host %q: write a name such as \"shop.example\", without a port or a path", name)
	}
}

// checkPath reports a path that no request has.
func (n *Internet) checkPath(host, path string) {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		n.report("host %q: the path %q is never asked for: write a path such as \"/.well-known/agent\", without a query", host, path)
	}
}

// errBubble explains a kit that is used in another bubble than it was made in.
var errBubble = errors.New("clienttest: this Internet was made outside of the synctest bubble that uses it: call New inside of the bubble")
