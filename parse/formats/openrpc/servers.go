package openrpc

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxServers is how many servers and variables of one list are read. Regions and
// stages need a few dozen.
const maxServers = 100

// maxWord bounds words that are repeated, in bytes: the default of a variable that
// goes into URLs, the name of a tag, a type.
const maxWord = 256

const serverSection = "Server Object"

// server is one place that an API is served from.
type server struct {
	at parse.Node
	// transport is "http", "websocket" or the scheme of an address.
	transport string
	// text is an absolute URL, or a template in the variables below; base is
	// the same with the defaults of the variables filled in. Both are "" while
	// the place of the document is unknown, and for an address that is no URL.
	text, base string
	variables  []wayfind.Variable
	// filled: the template is no URL until its variables are filled in, so that
	// text is one with their defaults.
	filled bool
}

// readServers reads the servers of the document. One that answered with it is
// the first.
func (r *reader) readServers() {
	if r.live && r.Base != nil {
		r.servers = []server{{at: r.Root, transport: "http", text: r.Base.String(), base: r.Base.String()}}
	}
	for _, s := range r.serverList(r.Root) {
		if !slices.ContainsFunc(r.servers, func(o server) bool { return o.text != "" && o.text == s.text }) {
			r.servers = append(r.servers, s)
		}
	}
	if len(r.servers) == 0 && r.Root.Get("servers").Len() == 0 {
		r.Report(ruleNoServer, r.Root, "the document names no server; the default is localhost, which is nowhere to others")
	}
}

// serverList reads the servers of the document or of a method.
func (r *reader) serverList(obj parse.Node) []server {
	if !obj.Get("servers").Exists() {
		return nil
	}
	var list []server
	for i, n := range r.Objects(obj, "servers", parse.Optional, serverSection) {
		if i == maxServers {
			r.Report(ruleTruncated.At(serverSection).AsInfo(), n, "there are more than %d servers; the others are not listed", maxServers)
			break
		}
		need := parse.Optional
		if r.minor < 3 {
			need = parse.Should
		}
		r.String(n, "name", need, serverSection)
		s := server{at: n, transport: "http", variables: r.variables(n)}
		if text := strings.TrimSpace(r.String(n, "url", parse.Must, serverSection)); n.Get("url").Kind() == parse.String && r.place(&s, parse.Braces(text)) {
			list = append(list, s)
		}
	}
	return list
}

// variables reads what a server's URL has in braces.
func (r *reader) variables(n parse.Node) []wayfind.Variable {
	const section = "Server Variable Object"
	var list []wayfind.Variable
	for name, v := range r.Object(n, "variables", parse.Optional, serverSection).Members() {
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
		if list = append(list, variable); len(list) == maxServers {
			break
		}
	}
	return list
}

// place resolves the URL of a server against that of the document (Server
// Object), and reports one that leads nowhere.
func (r *reader) place(s *server, text string) bool {
	n := s.at.Get("url")
	if host, _, _ := strings.Cut(text, ":"); host == "localhost" {
		r.Report(ruleServerLocal, n, "the server is %q, which is nowhere to others; it is ignored", text)
		return false
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok && parse.IsToken(scheme) && !strings.Contains(scheme, "{") {
		switch strings.ToLower(scheme) {
		case "http", "https":
		case "ws", "wss":
			return r.placeSocket(s, text, rest)
		default:
			r.Report(ruleServerAddress, n, "the server %q is not on the web; it is kept as an address", text)
			s.transport = strings.ToLower(scheme)
			return true
		}
	}
	err := parse.CheckReference(text)
	if err == nil {
		err = r.confine(s, text)
	}
	if err == nil {
		filled := fill(text, s.variables)
		if s.base, err = r.absolute(filled); err == nil && filled != text {
			s.text, err = r.absolute(text)
			if err != nil { // "{scheme}://shop.example" is a URL with the defaults only
				s.text, s.variables, s.filled, err = s.base, nil, true, nil
			}
		} else {
			s.text = s.base
		}
		if err == nil && filled != text && parse.ClimbsUp(filled) {
			err = errors.New("its variables lead upwards")
		}
	}
	if err != nil {
		r.Report(ruleServer, n, "the server %q cannot be used: %s", text, err)
		return false
	}
	r.checkServer(n, s)
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

// placeSocket places the URL of a WebSocket (RFC 6455 §3) like the same URL with
// http.
func (r *reader) placeSocket(s *server, text, rest string) bool {
	scheme, socket := "http://", "ws://"
	if text[2] == 's' || text[2] == 'S' {
		scheme, socket = "https://", "wss://"
	}
	if !r.place(s, scheme+rest) {
		return false
	}
	swap := func(u string) string {
		if rest, ok := strings.CutPrefix(u, scheme); ok {
			return socket + rest
		}
		return u
	}
	s.transport, s.text, s.base = "websocket", swap(s.text), swap(s.base)
	return true
}

// checkServer reports oddities of a server that can be used.
func (r *reader) checkServer(n parse.Node, s *server) {
	if s.base == "" {
		return
	}
	t, _ := parse.ParseTemplate(s.base)
	if u, err := parse.AbsoluteURL(t.Filled()); err == nil {
		switch {
		case u.Scheme != "https":
			r.Report(ruleServerScheme, n, "the server does not use TLS")
		case parse.OddHost(u) != nil:
			r.Report(ruleServerHost, n, "the server is doubtful: %s", parse.OddHost(u))
		}
	}
	for _, name := range t.Names() {
		r.Report(ruleServerVariable, n, "the variable %q has no default", name)
	}
}

// absolute returns a server's URL or template in absolute form, or says why
// there is none; "" for a reference while the place of the document is unknown.
func (r *reader) absolute(text string) (absolute string, err error) {
	if err := parse.CheckReference(text); err != nil {
		return "", err
	}
	text, _, _ = strings.Cut(text, "#")
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
	return text, nil
}

// relative resolves a reference. One with variables begins with a slash: it
// stands at the root of the document's host.
func (r *reader) relative(text string, ref *url.URL) string {
	switch {
	case r.Base == nil:
		return ""
	case strings.Contains(text, "{"):
		return r.Base.Scheme + "://" + r.Base.Host + text
	}
	return parse.TidyURL(r.Base.ResolveReference(ref))
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

// interfaces are the servers as ways to talk to the service.
func (r *reader) interfaces() []wayfind.Interface {
	var list []wayfind.Interface
	for _, s := range r.servers {
		f := wayfind.Interface{Protocol: protocol, Transport: s.transport, Versions: []string{"2.0"}, Sources: parse.SourcesAt(s.at)}
		switch {
		case s.text == "" && s.transport == "http":
			continue
		case s.text == "":
			parse.SetExtension(&f.Extensions, "address", s.at.Get("url"))
		case strings.Contains(s.text, "{"):
			f.Template, f.Variables = s.text, s.variables
		default:
			f.URL = s.text
		}
		if s.at == r.Root {
			list = append(list, f)
			continue
		}
		parse.SetExtension(&f.Extensions, "name", s.at.Get("name"))
		if s.filled {
			keepServer(&f, s.at)
		} else {
			parse.SetExtension(&f.Extensions, "summary", s.at.Get("summary"))
			parse.SetExtension(&f.Extensions, "description", s.at.Get("description"))
		}
		parse.SetExtensions(&f.Extensions, s.at)
		list = append(list, f)
	}
	return list
}

// keepServer keeps a server that is no URL without the defaults of its variables,
// but for a default that is the URL.
func keepServer(f *wayfind.Interface, at parse.Node) {
	var members, variables []parse.Member
	for name, v := range at.Get("variables").Members() {
		var kept []parse.Member
		for member, value := range v.Members() {
			if text, _ := value.Str(); member != "default" || text != f.URL {
				kept = append(kept, parse.Member{Name: member, Value: value.Copy()})
			}
		}
		if v.Kind() == parse.Object {
			variables = append(variables, parse.Member{Name: name, Value: parse.Obj(kept...)})
		}
	}
	for name, value := range at.Members() {
		m := parse.Member{Name: name, Value: value.Copy()}
		if name == "variables" {
			m.Value = parse.Obj(variables...)
		}
		members = append(members, m)
	}
	if f.Extensions == nil {
		f.Extensions = make(map[string]parse.Raw)
	}
	f.Extensions["server"] = parse.Obj(members...)
}
