package integrations

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// The types of surfaces. The last is in use, and not in the schema.
const (
	typeHTTP    = "http"
	typeGraphQL = "graphql"
	typeMCP     = "mcp"
	typeCLI     = "cli"
	typeSkills  = "agent-skills"
)

// maxAlternates is the largest number of descriptions of one API that are followed.
const maxAlternates = 5

// parseDocument reads a declaration. It is unusable if it has no surface.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, base: in.FinalURL,
		reading: &parse.Reading{}, ids: map[string]bool{}, schemes: map[string]wayfind.Scheme{}}
	r.MediaType(in, root, "Publishing", "application/json")
	r.version(root)
	r.reading.Domain = r.String(root, "domain", parse.Optional, "domain")
	r.credentials(root)
	list := r.Objects(root, "surfaces", parse.Must, "surfaces")
	if len(list) > parse.DefaultItems {
		r.Report(ruleTruncated, root.Get("surfaces"), "of %d surfaces the first %d were read", len(list), parse.DefaultItems)
		list = list[:parse.DefaultItems]
	}
	for _, n := range list {
		r.surface(n)
	}
	if len(r.reading.Services) > 0 {
		r.product(root, &r.reading.Services[0])
	} else if len(r.reading.Links) == 0 {
		r.reading.Unusable = "it lists no surface"
	}
	r.reading.Diagnostics = r.Diagnostics()
	return r.reading, nil
}

// version reads the version of the format. All versions are read as 3.
func (r *reader) version(root parse.Node) {
	n := root.Get("version")
	number, ok := n.Int()
	switch {
	case ok:
		r.reading.Version = strconv.FormatInt(number, 10)
	case n.Kind() == parse.String:
		r.reading.Version, _ = n.Str()
	default:
		r.Int(root, "version", parse.Must, "version")
		return
	}
	if r.reading.Version != version || !ok {
		r.Report(ruleVersion, n, "the version is %.40s; it was read as %s", n.Raw(), version)
	}
}

// product keeps what the declaration says about all surfaces at the first service, as data.
func (r *reader) product(root parse.Node, service *wayfind.Service) {
	for _, member := range []string{"summary", "description"} {
		if text := r.Prose(root, member, member); text != "" {
			parse.SetExtension(&service.Extensions, member, root.Get(member))
		}
	}
	for member, value := range r.UnknownMembers(root, "version", "domain", "summary", "description", "discoveredAt", "credentials", "surfaces") {
		if service.Extensions[member] == nil {
			parse.SetExtension(&service.Extensions, member, value)
		}
	}
	parse.Keep(&service.Extensions, "credentials", rawjson.Some(r.kept))
	if text := r.Prose(root, "discoveredAt", "discoveredAt"); text != "" {
		service.Updated = text
	}
}

// surface reads one surface.
func (r *reader) surface(n parse.Node) {
	kind := r.String(n, "type", parse.Must, "surfaces.type")
	title := r.String(n, "name", parse.Must, "surfaces.name")
	slug := r.String(n, "slug", parse.Must, "surfaces.slug")
	service := wayfind.Service{
		ID: r.id(cmp.Or(slug, title, kind)), Name: title, Description: r.Prose(n, "notes", "surfaces.notes"),
		DocsURL: r.Link(n, "docs", r.base, "surfaces.docs"), Sources: parse.SourcesAt(n),
	}
	known := []string{"type", "name", "slug", "notes", "docs", "basis", "auth", "url", "variables"}
	switch kind {
	case typeHTTP:
		r.address(n, &service, wayfind.Interface{Protocol: "http"})
		r.description(n, &service)
		known = append(known, "spec", "specAlternates")
	case typeGraphQL:
		r.address(n, &service, wayfind.Interface{Protocol: "graphql", SpecURL: r.schema(n)})
		known = append(known, "spec")
	case typeMCP:
		r.server(n, &service)
		known = append(known, "transports")
	case typeCLI:
		r.program(n, &service)
		known = append(known, "packages", "command", "install")
	case typeSkills:
		if u := r.URL(n, "url", r.base, parse.Must, "surfaces.url"); u != "" {
			r.reading.Links = append(r.reading.Links, parse.Link{URLs: []string{u}, Role: typeSkills, Format: "agentskills"})
		}
	default:
		r.Report(ruleType, n.Get("type"), "the type %q is none of %s, %s, %s and %s; its address was kept", kind, typeHTTP, typeGraphQL, typeMCP, typeCLI)
		r.address(n, &service, wayfind.Interface{Protocol: kind})
	}
	service.Extensions = r.Extensions(n, known...)
	r.basis(n)
	if service.Auth = r.auth(n, &service); kind == typeSkills {
		return // its document describes the skills
	}
	r.reading.Services = append(r.reading.Services, service)
}

// basis reads how the author knows of a surface. Only the owner's own word is meant for a declaration.
func (r *reader) basis(n parse.Node) {
	via, ok := n.Get("basis").Get("via").Str()
	if ok && via != "declared" {
		r.Report(ruleBasis, n.Get("basis"), "the surface was %q, and not declared by its owner", via)
	}
}

// id returns a slug for a service that no other service has.
func (r *reader) id(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	first := cmp.Or(strings.Join(words, "-"), "surface")
	id := first
	for n := 2; r.ids[id]; n++ {
		id = fmt.Sprintf("%s~%d", first, n)
	}
	r.ids[id] = true
	return id
}

// address reads the URL of a surface, which may have variables.
func (r *reader) address(n parse.Node, service *wayfind.Service, face wayfind.Interface) bool {
	text := strings.TrimSpace(r.String(n, "url", parse.Optional, "surfaces.url"))
	if text == "" {
		return false
	}
	at := n.Get("url")
	if whole := inBraces(text); whole != text {
		r.Report(ruleVariable, at, "the variables of %q are not written as {name}", text)
		text = whole
	}
	e, err := r.in.ResolveEndpoint(text)
	switch {
	case err != nil:
		r.Report(ruleBadURL.At("surfaces.url"), at, "member %q is not an absolute URL: %q; it is ignored", "url", text)
		return false
	case !e.Resolved(), e.Form == parse.FormOther && strings.HasPrefix(text, "{"):
		r.Report(ruleNoHost, at, "the host of %q is a variable alone", text)
		e.URL, e.Template = "", text
	default:
		r.CheckEndpoint(at, e, "surfaces.url")
	}
	face.URL, face.Template, face.Sources = e.URL, e.Template, parse.SourcesAt(n)
	face.Variables = r.variables(n, e)
	face.RequiredHeaders = r.headers(n)
	service.Interfaces = append(service.Interfaces, face)
	return true
}

// braces takes the place of angle brackets.
var braces = strings.NewReplacer("<", "{", ">", "}")

// inBraces returns a URL with variables in angle brackets written in braces.
func inBraces(text string) string {
	if strings.Count(text, "<") != strings.Count(text, ">") {
		return text
	}
	return braces.Replace(text)
}

// variables reads the variables of a URL.
func (r *reader) variables(n parse.Node, e parse.Endpoint) (list []wayfind.Variable) {
	described := map[string]wayfind.Variable{}
	for i, obj := range r.Objects(n, "variables", parse.Optional, "surfaces.variables") {
		if i == parse.DefaultItems {
			break
		}
		v := wayfind.Variable{
			Name:        r.String(obj, "name", parse.Must, "surfaces.variables"),
			Description: strings.TrimSpace(r.Prose(obj, "description", "surfaces.variables") + " " + r.Prose(obj, "resolveFrom", "surfaces.variables")),
			Extensions:  r.Extensions(obj, "name", "description", "resolveFrom"),
		}
		described[v.Name] = v
	}
	for _, name := range e.Ref.Names() {
		v, known := described[name]
		if !known {
			v.Name = name
		}
		list = append(list, v)
	}
	return list
}

// headers returns the names of the header fields that each request needs.
func (r *reader) headers(n parse.Node) (names []string) {
	for i, obj := range r.Objects(n, "requiredHeaders", parse.Optional, "surfaces.requiredHeaders") {
		if i == parse.DefaultItems {
			break
		}
		if field := r.HeaderName(obj, "name", parse.Must, "surfaces.requiredHeaders"); field != "" {
			names = append(names, field)
		}
	}
	return names
}

// description follows the API description of a surface.
func (r *reader) description(n parse.Node, service *wayfind.Service) {
	var urls []string
	if u := r.URL(n, "spec", r.base, parse.Optional, "surfaces.spec"); u != "" {
		urls = append(urls, u)
	}
	for i, item := range r.Array(n, "specAlternates", parse.Optional, "surfaces.specAlternates").Items() {
		if i == maxAlternates {
			break
		}
		if text, ok := item.Str(); ok {
			if e, err := r.in.ResolveEndpoint(text); err == nil && e.URL != "" {
				urls = append(urls, e.URL)
				continue
			}
		}
		r.Report(ruleBadURL.At("surfaces.specAlternates").AsWarning(), item, "an alternative description is no URL: %.100s; it is ignored", item.Raw())
	}
	if len(urls) > 0 {
		r.reading.Links = append(r.reading.Links, parse.Link{URLs: urls, Role: "openapi", Format: "openapi", Subject: service.ID})
	}
}

// schema returns the URL of a GraphQL schema. The word "introspection" is no URL.
func (r *reader) schema(n parse.Node) string {
	if text, _ := n.Get("spec").Str(); text == "" || text == "introspection" {
		return ""
	}
	return r.Link(n, "spec", r.base, "surfaces.spec")
}

// server reads an MCP server, with an interface for each of its transports.
func (r *reader) server(n parse.Node, service *wayfind.Service) {
	var words []string
	for _, written := range r.Strings(n, "transports", parse.Optional, "surfaces.transports") {
		word := written
		switch written {
		case "streamable-http", "sse":
		case "http", "streamable_http", "streamableHttp":
			word = "streamable-http"
			r.Report(ruleTransport.AsWarning(), n.Get("transports"), "the transport %q was read as %q", written, word)
		default:
			r.Report(ruleTransport, n.Get("transports"), "the transport %.100q is neither %q nor %q", written, "streamable-http", "sse")
			continue
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = []string{""}
	}
	if !n.Get("url").Exists() {
		r.String(n, "url", parse.Must, "surfaces.url")
		return
	}
	for _, word := range words {
		if !r.address(n, service, wayfind.Interface{Protocol: "mcp", Transport: word}) {
			return
		}
	}
}

// program reads a command-line program as software that users install.
func (r *reader) program(n parse.Node, service *wayfind.Service) {
	command := r.String(n, "command", parse.Optional, "surfaces.command")
	for i, obj := range r.Objects(n, "packages", parse.Optional, "surfaces.packages") {
		if i == parse.DefaultItems {
			break
		}
		service.LocalInstall = append(service.LocalInstall, wayfind.LocalInstall{
			Kind:       r.String(obj, "registryType", parse.Must, "surfaces.packages"),
			Name:       r.String(obj, "identifier", parse.Must, "surfaces.packages"),
			Command:    cmp.Or(r.String(obj, "runtimeHint", parse.Optional, "surfaces.packages"), command),
			Extensions: r.Extensions(obj, "registryType", "identifier", "runtimeHint"),
			Sources:    parse.SourcesAt(obj),
		})
	}
	if len(service.LocalInstall) == 0 {
		install := r.Prose(n, "install", "surfaces.command")
		service.LocalInstall = []wayfind.LocalInstall{{Kind: "command", Command: cmp.Or(install, command), Sources: parse.SourcesAt(n)}}
	}
	if u := r.Link(n, "url", r.base, "surfaces.url"); service.DocsURL == "" {
		service.DocsURL = u
	} else if u != "" {
		parse.Keep(&service.LocalInstall[0].Extensions, "url", rawjson.Quote(u))
	}
}
