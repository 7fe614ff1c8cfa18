package msagents

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// id returns the identifier of an agent, and its place. It returns "" if there is none, which
// is reported. The entities of DevUI have an id in addition to a name; without an id, the name
// is used.
func (r *reader) id(entry parse.Node) (id string, at parse.Node) {
	if r.dialect == dialectDevUI {
		if id, at = r.identifier(entry, "id"); id != "" {
			return id, at
		}
	}
	return r.identifier(entry, "name")
}

func (r *reader) identifier(entry parse.Node, member string) (id string, at parse.Node) {
	at = entry.Get(member)
	id = r.String(entry, member, parse.Must, r.section())
	if at.Kind() == parse.String && strings.TrimSpace(id) == "" {
		r.Report(ruleNameEmpty.At(r.section()), at, "member %q is empty: such an agent cannot be addressed", member)
		return "", at
	}
	return id, at
}

// agent reads one entry: a service with the agent itself as its first capability, followed by
// its tools.
func (r *reader) agent(entry parse.Node, id string, at parse.Node) wayfind.Service {
	s := wayfind.Service{ID: id, Name: id, Sources: parse.SourcesAt(entry), Auth: &wayfind.Auth{Unknown: true}}
	s.Extensions = r.extensions(entry)
	if title := r.text(entry, "name", &s.Extensions); title != "" {
		s.Name = title
	}
	s.Description = r.text(entry, "description", &s.Extensions)
	s.Version = r.version(entry)
	c := wayfind.Capability{
		ID: id, Name: s.Name, Description: s.Description, Kind: wayfind.KindAgent, Claimed: true, Sources: parse.SourcesAt(entry),
	}
	if r.dialect == dialectDevUI {
		if kind := r.text(entry, "type", &s.Extensions); kind != "" {
			s.Categories = []string{kind}
		}
	}
	c.Input = r.schema(entry, "input_schema", &s.Extensions)
	r.locate(&s, &c, at)
	s.Capabilities = append([]wayfind.Capability{c}, r.toolsOf(entry, id, &s.Extensions)...)
	return s
}

// keptMembers returns the members that are read only to check their type: their content is
// data, and is kept in the Extensions.
func keptMembers() []string { return []string{"instructions", "model", "model_id", "metadata"} }

// extensions returns the members that the model has no field for. DevUI writes null for a
// member without a value.
func (r *reader) extensions(entry parse.Node) map[string]parse.Raw {
	known := append(keptMembers(), "name", "description", "version", "tools", "input_schema")
	if r.dialect == dialectDevUI {
		known = append(known, "id", "type")
	}
	var kept map[string]parse.Raw
	for member, n := range r.UnknownMembers(entry, known...) {
		if n.Kind() != parse.Null {
			parse.SetExtension(&kept, member, n)
		}
	}
	for _, member := range keptMembers() {
		n, want := entry.Get(member), parse.String
		if member == "metadata" {
			want = parse.Object
		}
		if n.Kind() == parse.Null {
			continue
		}
		if n.Exists() && n.Kind() != want {
			r.Report(ruleWrongType.At(r.section()).AsWarning(), n, "member %q is %v where %v belongs; it is kept as it is written", member, n.Kind(), want)
		}
		parse.SetExtension(&kept, member, n)
	}
	return kept
}

// text returns a member that is a string. Any other value but null is reported and kept as it
// is written.
func (r *reader) text(entry parse.Node, member string, kept *map[string]parse.Raw) string {
	n := entry.Get(member)
	switch n.Kind() {
	case parse.String:
		text, _ := n.Str()
		return text
	case parse.Missing, parse.Null:
		return ""
	}
	r.Report(ruleWrongType.At(r.section()).AsWarning(), n, "member %q is %v where string belongs; it is kept as it is written", member, n.Kind())
	parse.SetExtension(kept, member, n)
	return ""
}

// version returns the version of an agent as it is written. It is supposed to be a semantic
// version.
func (r *reader) version(entry parse.Node) string {
	n := entry.Get("version")
	if n.Kind() == parse.Null {
		return ""
	}
	version := r.Text(entry, "version", parse.Optional, r.section())
	if n.Kind() == parse.String && !isSemantic(version) {
		r.Report(ruleVersionSyntax.At(r.section()), n, "the version %.100q is no semantic one", version)
	}
	return version
}

// isSemantic reports whether a version has three numbers, with any text after a hyphen or a
// plus sign (Semantic Versioning 2.0.0).
func isSemantic(version string) bool {
	core := version
	if i := strings.IndexAny(version, "-+"); i >= 0 {
		core = version[:i]
	}
	parts := strings.Split(core, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" || len(p) > 1 && p[0] == '0' {
			return false
		}
	}
	return len(parts) == 3
}

// schema returns a member that is a JSON Schema. Any other value but null is
// reported and kept as it is written.
func (r *reader) schema(obj parse.Node, member string, kept *map[string]parse.Raw) parse.Raw {
	n := obj.Get(member)
	switch n.Kind() {
	case parse.Object, parse.Bool:
		r.CheckSchema(n)
		return n.Copy()
	case parse.Missing, parse.Null:
		return nil
	}
	r.Report(ruleWrongType.At(r.section()).AsWarning(), n, "member %q is %v where a JSON Schema belongs; it is kept as it is written", member, n.Kind())
	parse.SetExtension(kept, member, n)
	return nil
}

// locate adds the address of an agent and, in a list, the address of its details, if they are
// known from the place.
func (r *reader) locate(s *wayfind.Service, c *wayfind.Capability, at parse.Node) {
	if r.at.base == "" || r.dialect == dialectCard || r.dialect == "" && r.at.route == routeWebChat {
		return
	}
	if r.dialect != "" {
		s.Interfaces = []wayfind.Interface{r.responses(at)}
		c.Params = []wayfind.Param{entityParam(c.ID)}
	}
	if r.dialect == dialectWebChat {
		return
	}
	seg, err := segment(c.ID)
	if err != nil {
		r.Report(ruleNamePath, at, "the name %.100q cannot stand in a URL: %s", c.ID, err)
		return
	}
	item := Path + "/" + seg
	if r.dialect == dialectDevUI {
		item = PathDevUI + "/" + seg + "/info"
	} else {
		s.Interfaces = []wayfind.Interface{r.actors(seg, at)}
	}
	if !r.single {
		c.DetailURLs, c.Lazy = []string{r.at.base + item}, true
	}
}

// responses returns the interface of the shipped dialects, one for all agents.
func (r *reader) responses(at parse.Node) wayfind.Interface {
	return wayfind.Interface{
		Protocol: "openai-responses", Transport: "http", URL: r.at.base + "/v1/responses",
		Sources: parse.SourcesAt(at), Defaulted: []string{"protocol", "transport", "url"},
	}
}

// actors returns the interface of the design. The type of the actor is the name of the agent.
// It is in the template, not among the variables: interfaces that differ only in a variable's
// default are one interface.
func (r *reader) actors(seg string, at parse.Node) wayfind.Interface {
	return wayfind.Interface{
		Protocol: "ms-actors", Transport: "http",
		Template: r.at.base + "/actors/v1/" + seg + "/{actorKey}/messages/{messageId}",
		Variables: []wayfind.Variable{
			{Name: "actorKey", Description: "The identifier of the conversation: a GUID that the caller makes."},
			{Name: "messageId", Description: "The identifier of the message in the conversation: a GUID that the caller makes."},
		},
		Sources: parse.SourcesAt(at), Defaulted: []string{"protocol", "transport", "template", "variables"},
	}
}

// entityParam returns the part of a request that names the agent.
func entityParam(id string) wayfind.Param {
	value := rawjson.Obj(rawjson.Member{Name: "entity_id", Value: rawjson.Quote(id)})
	return wayfind.Param{
		Name: "metadata", In: "body", Type: "object", Required: new(true), Default: value,
		Schema: rawjson.Obj(
			rawjson.Member{Name: "type", Value: rawjson.Quote("object")},
			rawjson.Member{Name: "properties", Value: rawjson.Obj(rawjson.Member{
				Name: "entity_id", Value: rawjson.Obj(rawjson.Member{Name: "const", Value: rawjson.Quote(id)})})},
			rawjson.Member{Name: "required", Value: rawjson.Quotes([]string{"entity_id"})},
		),
		Defaulted: []string{"name", "in", "type", "required", "default", "schema"},
	}
}
