package parse

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// maxServers is the number of servers that are read of one list, and of variables that are
// read of one server. Regions and stages need a few dozen.
const maxServers = 100

const (
	serverSection   = "Server Object"
	variableSection = "Server Variable Object"
)

// maxDefault bounds the default of a variable that is used in URLs, in bytes.
const maxDefault = 256

// Server is one place that an API is served from, as OpenAPI and OpenRPC write it (Server
// Object).
type Server struct {
	// At is the object, or the document if the document names no server.
	At Node
	// Text is an absolute URL, or a template with the Variables. Base is the same with the
	// defaults of the variables filled in. Both are "" while the place of the document is unknown.
	Text, Base string
	Variables  []wayfind.Variable
	// Filled is set if the template is not a URL until its variables are filled in, or if a value
	// reaches beyond the part of the URL that its variable is in. Text then has their defaults.
	Filled bool
	// Written is the URL as the document writes it.
	Written string
	// Fault is the reason why no call is sent there, or nil.
	Fault error
}

// Servers returns the Server Objects of the document, a path, an operation or a method, at
// most 100. beyond is the rule for the others.
func (r *Refs) Servers(obj Node, beyond Rule) []Node {
	if !obj.Get("servers").Exists() {
		return nil
	}
	list := r.Objects(obj, "servers", Optional, serverSection)
	if len(list) <= maxServers {
		return list
	}
	r.Report(beyond.At(serverSection).AsInfo(), list[maxServers], "there are more than %d servers; the others are not listed", maxServers)
	return list[:maxServers]
}

// Variables returns the variables that a server declares.
func (r *Refs) Variables(server Node) []wayfind.Variable {
	var list []wayfind.Variable
	for name, v := range r.Object(server, "variables", Optional, serverSection).Members() {
		if v.Kind() != Object {
			r.Report(ruleWrongType.At(variableSection).AsWarning(), v, "the variable is %v where object belongs; it is ignored", v.Kind())
			continue
		}
		variable := wayfind.Variable{
			Name: name, Description: r.Prose(v, "description", variableSection),
			Default: r.Text(v, "default", Must, variableSection), Enum: r.Strings(v, "enum", Optional, variableSection),
		}
		if len(variable.Enum) > 0 && variable.Default != "" && !slices.Contains(variable.Enum, variable.Default) {
			r.Report(ruleServerDefault.At(variableSection), v.Get("default"), "the default %q is not in enum", variable.Default)
		}
		if list = append(list, variable); len(list) == maxServers {
			break
		}
	}
	return list
}

// Place resolves the URL of a server, which may have variables, against the URL of the
// document, and reports its oddities. The error is the reason why it leads nowhere. If the URL
// is a prefix to which paths are appended, its query and a slash at its end are dropped.
func (r *Refs) Place(s *Server, text string, prefix bool) error {
	s.Written = text
	if s.Fault = r.place(s, text, prefix); s.Fault != nil {
		s.Text, s.Base = "", ""
		return s.Fault
	}
	if prefix && s.Base != "" && strings.ContainsAny(text, "?#") {
		r.Report(ruleServerQuery.At(serverSection), s.URL(), "the server %q has a query or a fragment, and paths are written behind it", text)
	}
	r.checkServer(s)
	s.Fault = r.faultOf(s)
	return nil
}

// place sets the URL of a server.
func (r *Refs) place(s *Server, text string, prefix bool) error {
	text = withScheme(text, r.Base)
	filled, err := r.locate(s, text, prefix)
	if err != nil {
		return err
	}
	if filled != text && urlref.ClimbsUp(filled) {
		return errors.New("its variables lead upwards")
	}
	if s.Filled {
		t, _ := ParseTemplate(s.Base)
		s.Text, s.Variables = s.Base, slices.DeleteFunc(s.Variables, func(v wayfind.Variable) bool { return !slices.Contains(t.Names(), v.Name) })
		return nil
	}
	if s.Text = s.Base; filled != text {
		if s.Text, err = r.absolute(text, prefix); err != nil {
			// "{scheme}://shop.example" is a URL with the defaults only.
			s.Text, s.Variables, s.Filled = s.Base, nil, true
		}
	}
	return nil
}

// URL returns the member with the URL of a server, or the document if it names no server.
func (s *Server) URL() Node {
	if n := s.At.Get("url"); n.Exists() {
		return n
	}
	return s.At
}

// locate sets Base, and drops the values of variables that no URL may have there. filled is the
// text with the defaults, which is judged as a whole.
func (r *Refs) locate(s *Server, text string, prefix bool) (filled string, err error) {
	if err := urlref.CheckReference(text); err != nil {
		return "", err
	}
	kept, dropped, whole := urlref.ServerVariables(text, s.Variables)
	for _, name := range dropped {
		r.Report(ruleServerValue.At(variableSection), s.At.Get("variables").Get(name), "a value of the variable %q cannot be part of a URL; it was dropped", name)
	}
	s.Variables, s.Filled = kept, whole && len(kept) > 0
	filled = withScheme(s.fillDefaults(text), r.Base)
	if s.Base, err = r.absolute(filled, prefix); err != nil {
		return filled, cmp.Or(s.unfilled(filled), err)
	}
	return filled, nil
}

// unfilled returns the reason why a URL still has a variable, or nil if it has none.
func (s *Server) unfilled(text string) error {
	t, ok := ParseTemplate(text)
	if !ok || len(t.Names()) == 0 {
		return nil
	}
	name := t.Names()[0]
	if i := slices.IndexFunc(s.Variables, func(v wayfind.Variable) bool { return v.Name == name }); i >= 0 && s.defaultOf(&s.Variables[i]) != "" {
		return fmt.Errorf("the default of its variable %q cannot be part of a URL", name)
	}
	return fmt.Errorf("its variable %q has no default", name)
}

// defaultOf returns the default of a variable as the document writes it.
func (s *Server) defaultOf(v *wayfind.Variable) string {
	written, _ := s.At.Get("variables").Get(v.Name).Get("default").Str()
	return cmp.Or(v.Default, written)
}

// absolute returns the URL or template of a server in absolute form, without a fragment, or
// the reason why there is none. It returns "" for a reference while the place of the document
// is unknown.
func (r *Refs) absolute(text string, prefix bool) (absolute string, err error) {
	if err := urlref.CheckReference(text); err != nil {
		return "", err
	}
	text, _, _ = strings.Cut(text, "#")
	if prefix {
		text, _, _ = strings.Cut(text, "?")
	}
	t, ok := ParseTemplate(text)
	if !ok {
		return "", errors.New("its braces do not match")
	}
	u, err := url.Parse(t.Filled())
	if err == nil && u.Scheme == "" && (len(t.Names()) == 0 || text[0] == '/') {
		text = r.relative(text, u)
	} else if urlref.HasPort(text) {
		return "", errors.New("it has no scheme")
	} else if _, err := urlref.AbsoluteURL(t.Filled()); err != nil {
		return "", err
	}
	if prefix {
		text = strings.TrimSuffix(text, "/")
	}
	return text, nil
}

// relative resolves a reference. A reference with variables begins with a slash and is
// resolved against the root of the document's host.
func (r *Refs) relative(text string, ref *url.URL) string {
	switch {
	case r.Base == nil:
		return ""
	case strings.Contains(text, "{"):
		return r.Base.Scheme + "://" + r.Base.Host + text
	}
	return urlref.TidyURL(r.Base.ResolveReference(ref))
}

// fillDefaults replaces the variables of a template with their defaults. A default may be empty.
func (s *Server) fillDefaults(text string) string {
	var pairs []string
	for _, v := range s.Variables {
		if len(v.Default) <= maxDefault && (v.Default != "" || s.isEmpty(v.Name)) {
			pairs = append(pairs, "{"+v.Name+"}", v.Default)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// isEmpty reports whether the document writes an empty default.
func (s *Server) isEmpty(variable string) bool {
	written, ok := s.At.Get("variables").Get(variable).Get("default").Str()
	return ok && written == ""
}
