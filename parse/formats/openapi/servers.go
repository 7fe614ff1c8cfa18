package openapi

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxServers is how many servers of one list are read. Regions and stages need
// a few dozen.
const maxServers = 100

// server is one place that an API is served from.
type server struct {
	at parse.Node
	// text is an absolute URL, or a template in the variables below; base is
	// the same with the defaults of the variables filled in, which operations
	// write their paths behind. Both are "" while the place of the document is
	// unknown.
	text, base  string
	variables   []wayfind.Variable
	description string
	// filled: the template is no URL until its variables are filled in, so that
	// text is one with their defaults.
	filled    bool
	defaulted []string
}

// readServers reads the servers of the document.
func (r *reader) readServers() {
	if r.isSwagger() {
		r.servers = r.hosts()
		return
	}
	r.servers = r.serverList(r.Root)
	if len(r.servers) == 0 && r.Root.Get("servers").Len() == 0 {
		// The default is a server "/" (OpenAPI Object).
		s := server{at: r.Root, defaulted: []string{"url"}}
		if r.place(&s, "/") {
			r.servers = []server{s}
		}
	}
}

// ownServers reads the servers of a path or an operation. own reports that it has a list,
// which takes the place of the outer ones: a list without a server that can be used leaves
// none, since the publisher did not name the outer servers for it.
func (r *reader) ownServers(obj parse.Node) (list []server, own bool) {
	n := obj.Get("servers")
	if !n.Exists() || n.Kind() == parse.Null || n.Kind() == parse.Array && n.Len() == 0 {
		return nil, false
	}
	if list = r.serverList(obj); len(list) == 0 {
		r.Report(ruleServer, n, "none of the servers of its own can be used; nothing says where to call it")
	}
	return list, true
}

// serverList reads the servers of the document, a path or an operation.
func (r *reader) serverList(obj parse.Node) []server {
	if !obj.Get("servers").Exists() {
		return nil
	}
	var list []server
	for i, n := range r.Objects(obj, "servers", parse.Optional, "Server Object") {
		if i == maxServers {
			r.Report(ruleTruncated.At("Server Object").AsInfo(), n, "there are more than %d servers; the others are not listed", maxServers)
			break
		}
		s := server{at: n, description: r.Prose(n, "description", "Server Object"), variables: r.variables(n)}
		text := strings.TrimSpace(r.String(n, "url", parse.Must, "Server Object"))
		if text == "" && n.Get("url").Kind() == parse.String {
			r.Report(ruleServer.AsWarning(), n.Get("url"), "the URL is empty; it was read as \"/\"")
			text = "/"
		}
		if text != "" && r.place(&s, text) {
			list = append(list, s)
		}
	}
	return list
}

// variables reads what a server's URL has in braces.
func (r *reader) variables(n parse.Node) []wayfind.Variable {
	const section = "Server Variable Object"
	var list []wayfind.Variable
	for name, v := range r.Object(n, "variables", parse.Optional, "Server Object").Members() {
		if v.Kind() != parse.Object {
			r.Report(ruleWrongType.At("Server Variable Object").AsWarning(), v, "the variable is %v where object belongs; it is ignored", v.Kind())
			continue
		}
		variable := wayfind.Variable{
			Name: name, Description: r.Prose(v, "description", section),
			Default: r.Text(v, "default", parse.Must, section), Enum: r.Strings(v, "enum", parse.Optional, section),
		}
		if len(variable.Enum) > 0 && variable.Default != "" && !slices.Contains(variable.Enum, variable.Default) {
			r.Report(ruleServerDefault, v.Get("default"), "the default %q is not in enum", variable.Default)
		}
		list = append(list, variable)
		if len(list) == maxServers {
			break
		}
	}
	return list
}

// place resolves the URL of a server against that of the document (Server
// Object), and reports one that leads nowhere.
func (r *reader) place(s *server, text string) bool {
	n := s.at.Get("url")
	if !n.Exists() {
		n = s.at
	}
	err := parse.CheckReference(text)
	if err == nil {
		err = r.confine(s, text)
	}
	filled := text
	if err == nil {
		filled = fill(text, s.variables)
		s.base, err = r.absolute(filled)
	}
	if err == nil && filled != text && parse.ClimbsUp(filled) {
		err = errors.New("its variables lead upwards")
	}
	if err != nil {
		r.Report(ruleServer, n, "the server %q cannot be used: %s", text, err)
		return false
	}
	if s.text = s.base; filled != text {
		if s.text, err = r.absolute(text); err != nil {
			// "{scheme}://shop.example" is a URL with the defaults only.
			s.text, s.variables, s.filled = s.base, nil, true
		}
	}
	r.checkServer(n, s, text)
	return true
}

// confine drops the values of variables that lead out of their part of the URL.
func (r *reader) confine(s *server, text string) error {
	kept, dropped, err := parse.ConfineVariables(text, s.variables)
	for _, name := range dropped {
		r.Report(ruleServerValue, s.at.Get("variables").Get(name),
			"a value of the variable %q leads out of the part of the URL that the variable stands in; it was dropped", name)
	}
	s.variables = kept
	return err
}

// checkServer reports oddities of a server that can be used.
func (r *reader) checkServer(n parse.Node, s *server, text string) {
	if s.base == "" {
		return
	}
	t, _ := parse.ParseTemplate(s.base)
	if strings.ContainsAny(text, "?#") {
		r.Report(ruleServerQuery, n, "the server %q has a query or a fragment, and paths are written behind it", text)
	}
	if u, err := parse.AbsoluteURL(t.Filled()); err == nil {
		switch {
		case u.Scheme != "https":
			r.Report(ruleServerScheme, n, "the server %q is not https", s.base)
		case parse.OddHost(u) != nil:
			r.Report(ruleServerHost, n, "the server %q is doubtful: %s", s.base, parse.OddHost(u))
		}
	}
	for _, name := range t.Names() {
		r.Report(ruleServerVariable, n, "the variable %q has no default", name)
	}
}

// absolute returns a server's URL or template in absolute form, without query,
// fragment and a slash at its end, or says why there is none; "" for a
// reference while the place of the document is unknown.
func (r *reader) absolute(text string) (absolute string, err error) {
	if err := parse.CheckReference(text); err != nil {
		return "", err
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	t, ok := parse.ParseTemplate(text)
	if !ok {
		return "", errors.New("its braces do not match")
	}
	u, err := url.Parse(t.Filled())
	if err == nil && u.Scheme == "" && (len(t.Names()) == 0 || text[0] == '/') {
		return r.relative(text, u), nil
	}
	if _, err := parse.AbsoluteURL(t.Filled()); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text, "/"), nil
}

// relative resolves a reference. One with variables begins with a slash: it
// stands at the root of the document's host.
func (r *reader) relative(text string, ref *url.URL) string {
	if r.Base == nil {
		return ""
	}
	origin := r.Base.Scheme + "://" + r.Base.Host
	if !strings.Contains(text, "{") {
		text = r.Base.ResolveReference(ref).EscapedPath()
	}
	return strings.TrimSuffix(origin+text, "/")
}

// fill puts the defaults of variables into a template.
func fill(text string, variables []wayfind.Variable) string {
	var pairs []string
	for _, v := range variables {
		if v.Default != "" && len(v.Default) <= maxWord {
			pairs = append(pairs, "{"+v.Name+"}", v.Default)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// hosts makes the servers of version 2.0 out of schemes, host and basePath,
// each of which defaults to what the document was served with.
func (r *reader) hosts() []server {
	const section = "Swagger Object"
	host, schemes := r.host(), r.Strings(r.Root, "schemes", parse.Optional, section)
	path := strings.TrimSuffix(r.String(r.Root, "basePath", parse.Optional, section), "/")
	if path != "" && path[0] != '/' {
		r.Report(ruleBasePath, r.Root.Get("basePath"), "basePath %q does not begin with a slash", path)
		path = "/" + path
	}
	var defaulted []string
	if len(schemes) == 0 && r.Base != nil {
		schemes, defaulted = []string{r.Base.Scheme}, []string{"url"}
	}
	if host == "" && r.Base != nil {
		host, defaulted = r.Base.Host, []string{"url"}
	}
	slices.SortStableFunc(schemes, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	var list []server
	for _, scheme := range slices.Compact(schemes) {
		s := server{at: r.Root, defaulted: defaulted}
		switch {
		case scheme != "http" && scheme != "https":
			r.Report(ruleScheme, r.Root.Get("schemes"), "the scheme %q is not one of HTTP; it is ignored", scheme)
		case host == "":
			return []server{s}
		case r.place(&s, scheme+"://"+host+path):
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

// host returns the host of version 2.0, without what does not belong to it.
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

// interfaces are the servers as ways to talk to the service.
func (r *reader) interfaces() []wayfind.Interface {
	var list []wayfind.Interface
	for _, s := range r.servers {
		if s.text == "" {
			continue
		}
		i := wayfind.Interface{Protocol: "http", Sources: parse.SourcesAt(s.at), Defaulted: s.defaulted}
		if strings.Contains(s.text, "{") {
			i.Template, i.Variables = s.text, s.variables
		} else {
			i.URL = s.text
		}
		r.restOfServer(&i, &s)
		list = append(list, i)
	}
	return list
}

// restOfServer keeps what a server says beside where it is, and its variables
// where no Template has them. A server that is no URL without them is kept whole,
// but for a default that is the URL.
func (r *reader) restOfServer(i *wayfind.Interface, s *server) {
	if s.at == r.Root {
		return
	}
	var variables listed
	for name, v := range s.at.Get("variables").Members() {
		var known []string
		if text, _ := v.Get("default").Str(); text != "" && text == i.URL {
			known = []string{"default"}
		} else if i.Template != "" {
			known = []string{"default", "enum", "description"}
		}
		variables.add(name, r.rest(v, known...))
	}
	kept := parse.Member{Name: "variables", Value: some(variables)}
	if s.filled {
		keepRaw(&i.Extensions, "server", some(append(r.rest(s.at, "variables"), kept)))
		return
	}
	for _, m := range append(r.rest(s.at, "url", "variables"), kept) {
		keepRaw(&i.Extensions, m.Name, m.Value)
	}
}
