package openrpc

import (
	"errors"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxWord bounds words that are repeated, in bytes: the name of a tag, a type.
const maxWord = 256

const serverSection = "Server Object"

// The faults of servers that no call is sent to.
var (
	errLocal  = errors.New("its host is no public name")
	errOffWeb = errors.New("it is not on the web")
	errSocket = errors.New("calls do not use WebSockets")
)

// server is one place that an API is served from. The texts of an address that is not a URL
// are "".
type server struct {
	parse.Server
	// transport is "http", "websocket" or the scheme of an address.
	transport string
}

// readServers reads the servers of the document. If a server returned the document, it is the
// first.
func (r *reader) readServers() {
	if r.live && r.Base != nil {
		r.servers = []server{{Server: parse.Server{At: r.Root, Text: r.Base.String(), Base: r.Base.String()}, transport: "http"}}
	}
	for _, s := range r.serverList(r.Root) {
		if !slices.ContainsFunc(r.servers, func(o server) bool { return o.Text != "" && o.Text == s.Text }) {
			r.servers = append(r.servers, s)
		}
	}
	if len(r.servers) == 0 && r.Root.Get("servers").Len() == 0 {
		r.Report(ruleNoServer, r.Root, "the document names no server; the default is localhost, which is nowhere to others")
	}
}

// serverList reads the servers of the document or of a method.
func (r *reader) serverList(obj parse.Node) []server {
	var list []server
	if r.Server != "" {
		s := server{Server: parse.Server{At: r.Root}, transport: "http"}
		r.place(&s, r.Server)
		return []server{s}
	}
	for _, n := range r.Servers(obj, ruleTruncated) {
		need := parse.Optional
		if r.minor < 3 {
			need = parse.Should
		}
		r.String(n, "name", need, serverSection)
		s := server{Server: parse.Server{At: n, Variables: r.Variables(n)}, transport: "http"}
		if text := strings.TrimSpace(r.String(n, "url", parse.Must, serverSection)); n.Get("url").Kind() == parse.String {
			r.place(&s, paramspec.Braces(text))
			list = append(list, s)
		}
	}
	return list
}

// called returns the server that calls go to: the first one that can be used, or else the first one
// that leads somewhere, which a caller refuses. n has the list.
func (r *reader) called(n parse.Node, list []server) (first *server) {
	if len(list) == 0 {
		r.Report(ruleServer, n, "none of the servers can be read; nothing says where to call it")
	}
	var all []*parse.Server
	for i := range list {
		if all = append(all, &list[i].Server); first == nil && list[i].Base != "" {
			first = &list[i]
		}
	}
	if i := r.FirstUsable(n, all); i >= 0 {
		return &list[i]
	}
	return first
}

// place resolves the URL of a server against the URL of the document (Server Object), and
// reports a URL that leads nowhere.
func (r *reader) place(s *server, text string) bool {
	s.Written = text
	if host, _, _ := strings.Cut(text, ":"); host == "localhost" {
		r.Report(ruleServerLocal, s.URL(), "the server is %q, which is nowhere to others; it is ignored", text)
		s.Fault = errLocal
		return false
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok && fieldname.IsToken(scheme) && !strings.Contains(scheme, "{") {
		switch strings.ToLower(scheme) {
		case "http", "https":
		case "ws", "wss":
			return r.placeSocket(s, text, rest)
		default:
			r.Report(ruleServerAddress, s.URL(), "the server %q is not on the web; it is kept as an address", text)
			s.transport, s.Fault = strings.ToLower(scheme), errOffWeb
			return true
		}
	}
	err := r.Place(&s.Server, text, false)
	if err != nil {
		r.Report(ruleServer, s.URL(), "the server %q cannot be used: %s", text, err)
	}
	return err == nil
}

// placeSocket resolves the URL of a WebSocket (RFC 6455 §3) like the same URL with http.
func (r *reader) placeSocket(s *server, text, rest string) bool {
	scheme := "http://"
	if text[2] == 's' || text[2] == 'S' {
		scheme = "https://"
	}
	if !r.place(s, scheme+rest) {
		return false
	}
	swap := func(u string) string { return "ws" + strings.TrimPrefix(u, "http") }
	s.transport, s.Text, s.Base = "websocket", swap(s.Text), swap(s.Base)
	s.Written, s.Fault = text, errSocket
	return true
}

// interfaces returns the servers as interfaces of the service.
func (r *reader) interfaces() []wayfind.Interface {
	var list []wayfind.Interface
	for _, s := range r.servers {
		f := wayfind.Interface{Protocol: protocol, Transport: s.transport, Versions: []string{"2.0"}, Sources: parse.SourcesAt(s.At)}
		switch {
		case s.Text == "" && s.transport == "http":
			continue
		case s.Text == "":
			parse.SetExtension(&f.Extensions, "address", s.At.Get("url"))
		case strings.Contains(s.Text, "{"):
			f.Template, f.Variables = s.Text, s.Variables
		default:
			f.URL = s.Text
		}
		if s.At == r.Root {
			list = append(list, f)
			continue
		}
		parse.SetExtension(&f.Extensions, "name", s.At.Get("name"))
		if s.Filled {
			keepServer(&f, s.At)
		} else {
			for _, m := range r.rest(s.At, append(extensionsOf(s.At), "name", "url", "variables")...) {
				parse.Keep(&f.Extensions, m.Name, m.Value)
			}
		}
		parse.SetExtensions(&f.Extensions, s.At)
		list = append(list, f)
	}
	return list
}

// keepServer keeps a server that is not a URL without the defaults of its variables, except
// for a default that is the URL.
func keepServer(f *wayfind.Interface, at parse.Node) {
	var members, variables []rawjson.Member
	for name, v := range at.Get("variables").Members() {
		var kept []rawjson.Member
		for member, value := range v.Members() {
			if text, _ := value.Str(); member != "default" || text != f.URL {
				kept = append(kept, rawjson.Member{Name: member, Value: value.Copy()})
			}
		}
		if v.Kind() == parse.Object {
			variables = append(variables, rawjson.Member{Name: name, Value: rawjson.Obj(kept...)})
		}
	}
	for name, value := range at.Members() {
		m := rawjson.Member{Name: name, Value: value.Copy()}
		if name == "variables" {
			m.Value = rawjson.Obj(variables...)
		}
		members = append(members, m)
	}
	parse.Keep(&f.Extensions, "server", rawjson.Obj(members...))
}
