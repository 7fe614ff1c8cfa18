package openapi

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// server is one place that an API is served from.
type server struct {
	parse.Server
	description string
	defaulted   []string
}

// readServers reads the servers of the document.
func (r *reader) readServers() {
	if r.Server != "" {
		s := server{Server: parse.Server{At: r.Root}}
		if r.place(&s, r.Server) {
			r.servers = []server{s}
		}
		return
	}
	if r.isSwagger() {
		r.servers = r.hosts()
		return
	}
	if r.servers = r.serverList(r.Root); len(r.servers) == 0 && r.Root.Get("servers").Len() == 0 {
		// The default is a server "/" (OpenAPI Object).
		s := server{Server: parse.Server{At: r.Root}, defaulted: []string{"url"}}
		if r.place(&s, "/") {
			r.servers = []server{s}
		}
	}
}

// called returns the URL of the server that calls go to: the first one that can be used, or else
// the first one that leads somewhere, which a caller refuses. n has the list.
func (r *reader) called(n parse.Node, list []server) (base string) {
	var all []*parse.Server
	for i := range list {
		s := &list[i].Server
		if all = append(all, s); base == "" {
			base = s.Base
		}
	}
	if i := r.FirstUsable(n, all); i >= 0 {
		return all[i].Base
	}
	return base
}

// ownServer reads the servers of a path or an operation, and returns the URL of the one that calls
// go to. own reports whether it has a list, which replaces the outer ones: a list without a usable
// server leaves no server, because the publisher did not name the outer ones for it.
func (r *reader) ownServer(obj parse.Node) (base string, own bool) {
	n := obj.Get("servers")
	if r.Server != "" || !n.Exists() || n.Kind() == parse.Null || n.Kind() == parse.Array && n.Len() == 0 {
		return "", false
	}
	list := r.serverList(obj)
	if len(list) == 0 {
		r.Report(ruleServer, n, "none of the servers of its own can be read; nothing says where to call it")
	}
	return r.called(n, list), true
}

// serverList reads the servers of the document, a path or an operation. Those that lead nowhere
// have a Fault and no URL.
func (r *reader) serverList(obj parse.Node) []server {
	var list []server
	for _, n := range r.Servers(obj, ruleTruncated) {
		s := server{Server: parse.Server{At: n, Variables: r.Variables(n)}, description: r.Prose(n, "description", "Server Object")}
		text := strings.TrimSpace(r.String(n, "url", parse.Must, "Server Object"))
		if text == "" && n.Get("url").Kind() == parse.String {
			r.Report(ruleServer.AsWarning(), n.Get("url"), "the URL is empty; it was read as \"/\"")
			text = "/"
		}
		if text != "" {
			if r.place(&s, text) && isBareHost(text) {
				r.Report(ruleServer.AsWarning(), n.Get("url"), "the URL has no scheme, so it was read as a path: %q", s.Text)
			}
			list = append(list, s)
		}
	}
	return list
}

// bareHost is a host, with a path or without, that begins a URL without a scheme.
var bareHost = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?(/|$)`)

// isBareHost reports whether a reference was probably meant as a URL: it begins with a host of three labels,
// or with one in a domain that is in common use. Files have such names too: "index.php/api".
func isBareHost(text string) bool {
	if !bareHost.MatchString(text) {
		return false
	}
	host, _, _ := strings.Cut(text, "/")
	host, _, port := strings.Cut(host, ":")
	labels := strings.Split(host, ".")
	switch last := labels[len(labels)-1]; strings.ToLower(last) {
	case "com", "net", "org", "io", "dev", "app", "ai", "co":
		return true
	default:
		return (port || len(labels) > 2) && strings.Trim(last, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	}
}

// place resolves the URL of a server, and reports a URL that leads nowhere.
func (r *reader) place(s *server, text string) bool {
	err := r.Place(&s.Server, text, true)
	if err != nil {
		r.Report(ruleServer, s.URL(), "the server %q cannot be used: %s", text, err)
	}
	return err == nil
}

// hosts makes the servers of version 2.0 out of schemes, host and basePath, which default to
// the parts of the URL of the document.
func (r *reader) hosts() []server {
	const section = "Swagger Object"
	host, schemes := r.host(), r.Strings(r.Root, "schemes", parse.Optional, section)
	path := strings.TrimSuffix(r.String(r.Root, "basePath", parse.Optional, section), "/")
	if path != "" && path[0] != '/' {
		r.Report(ruleBasePath, r.Root.Get("basePath"), "basePath %q does not begin with a slash", path)
		path = "/" + path
	}
	var defaulted []string
	switch {
	case len(schemes) > 0:
	case urlref.IsLoopback(host): // generators leave the schemes out, and no certificate is for this machine
		schemes, defaulted = []string{"http"}, []string{"url"}
	case r.Base != nil:
		schemes, defaulted = []string{r.Base.Scheme}, []string{"url"}
	}
	if host == "" && r.Base != nil {
		host, defaulted = r.Base.Host, []string{"url"}
	}
	slices.SortStableFunc(schemes, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	var list []server
	for _, scheme := range slices.Compact(schemes) {
		s := server{Server: parse.Server{At: r.Root}, defaulted: defaulted}
		switch {
		case scheme != "http" && scheme != "https":
			r.Report(ruleScheme, r.Root.Get("schemes"), "the scheme %q is not one of HTTP; it is ignored", scheme)
		case host == "":
			return []server{s}
		case r.place(&s, scheme+"://"+host+path) && slices.ContainsFunc(list, func(o server) bool { return o.Text == s.Text }):
		default:
			list = append(list, s)
		}
	}
	return list
}

// rank puts https first.
func rank(scheme string) string {
	if scheme == "https" {
		return ""
	}
	return scheme
}

// host returns the host of version 2.0, without parts that do not belong to it.
func (r *reader) host() string {
	host := strings.TrimSpace(r.String(r.Root, "host", parse.Optional, "Swagger Object"))
	_, bare, found := strings.Cut(host, "://")
	if !found {
		bare = host
	}
	bare, _, _ = strings.Cut(bare, "/")
	if bare != host {
		r.Report(ruleHost, r.Root.Get("host"), "host %q is more than a host; it was read as %q", host, bare)
	}
	return bare
}

// interfaces returns the servers as interfaces of the service.
func (r *reader) interfaces() []wayfind.Interface {
	var list []wayfind.Interface
	for _, s := range r.servers {
		if s.Text == "" {
			continue
		}
		i := wayfind.Interface{Protocol: "http", Sources: parse.SourcesAt(s.At), Defaulted: s.defaulted}
		if strings.Contains(s.Text, "{") {
			i.Template, i.Variables = s.Text, s.Variables
		} else {
			i.URL = s.Text
		}
		r.restOfServer(&i, &s)
		list = append(list, i)
	}
	return list
}

// restOfServer keeps the facts about a server other than its URL, and its variables if no
// Template has them. A server that is not a URL without them is kept as a whole, except for a
// default that is the URL.
func (r *reader) restOfServer(i *wayfind.Interface, s *server) {
	if s.At == r.Root {
		return
	}
	var variables listed
	for name, v := range s.At.Get("variables").Members() {
		var known []string
		if text, _ := v.Get("default").Str(); text != "" && text == i.URL {
			known = []string{"default"}
		} else if i.Template != "" {
			known = []string{"default", "enum", "description"}
		}
		variables.add(name, r.rest(v, known...))
	}
	kept := rawjson.Member{Name: "variables", Value: rawjson.Some(variables)}
	if s.Filled {
		parse.Keep(&i.Extensions, "server", rawjson.Some(append(r.rest(s.At, "variables"), kept)))
		return
	}
	for _, m := range append(r.rest(s.At, "url", "variables"), kept) {
		parse.Keep(&i.Extensions, m.Name, m.Value)
	}
}
