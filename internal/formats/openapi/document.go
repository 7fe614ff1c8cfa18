package openapi

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDocument reads a document: its service, and the short form of its operations.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	r, err := newReader(in)
	if err != nil {
		return nil, err
	}
	reading := &parse.Reading{Dialect: r.dialect, Version: r.version()}
	service := r.service()
	first, alike := make(map[string]parse.Node), make(map[string]string) // the first path of each shape
	path := ""
	var callbacks []string
	for op := range r.operations() {
		c := r.brief(op)
		for name := range op.node.Get("callbacks").Members() {
			callbacks = append(callbacks, name+" of "+op.id)
		}
		if other, twice := first[op.id]; twice {
			r.Report(ruleDuplicateID, op.node, "the operationId %q is that of %s", op.id, other.Pointer())
		} else {
			first[op.id] = op.node
		}
		if op.path != path { // the operations of a path come one after another
			path = op.path
			shape := shapeOf(path)
			if other, known := alike[shape]; !known {
				alike[shape] = path
			} else if other != path {
				r.Report(rulePathAlike, op.item, "the paths %q and %q are the same path: only the names of their variables differ", path, other)
			}
		}
		if in.URL != nil {
			c.Lazy, c.DetailURLs = true, []string{in.URL.String()}
		}
		service.Capabilities = append(service.Capabilities, c)
	}
	if len(service.Capabilities) == 0 {
		reading.Unusable = r.empty(service.Name)
	}
	r.callbacks(&service, callbacks)
	r.unused()
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// shapeOf returns a path without the names of its variables.
func shapeOf(path string) string {
	var shape strings.Builder
	for {
		before, after, open := strings.Cut(path, "{")
		_, behind, closed := strings.Cut(after, "}")
		if !open || !closed {
			shape.WriteString(path)
			return shape.String()
		}
		shape.WriteString(before + "{}")
		path = behind
	}
}

// empty returns the reason why a document without operations is unusable, or "" if it is
// usable: a document need not have paths (Paths Object, OpenAPI Object). It is unusable if it
// lacks its version or title, or if its operations cannot be read.
func (r *reader) empty(title string) string {
	if r.dialect != "" && title != "" && !r.broken(r.Root.Get("paths")) {
		r.Report(ruleNoOperation.AsInfo(), r.Root, "the document has no operation")
		return ""
	}
	r.Report(ruleNoOperation, r.Root, "the document has no operation that can be read")
	return "no operation"
}

// broken reports whether the paths of a document without readable operations should have some:
// they are not an object, or a path has an operation. An item may be empty (Path Item Object).
func (r *reader) broken(paths parse.Node) bool {
	if paths.Exists() && paths.Kind() != parse.Object {
		return true
	}
	for path, item := range paths.Members() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		calls := slices.ContainsFunc(r.methods(), func(method string) bool { return item.Get(method).Exists() })
		if item.Kind() != parse.Object || calls || item.Get("$ref").Exists() {
			return true
		}
	}
	return false
}

// version returns the version as written.
func (r *reader) version() string {
	member := "openapi"
	if !r.Root.Get(member).Exists() && r.Root.Get("swagger").Exists() {
		member = "swagger"
	}
	version := r.Text(r.Root, member, parse.Must, "OpenAPI Object")
	n := r.Root.Get(member)
	switch {
	case version == "":
	case r.dialect == "":
		r.Report(ruleVersion, n, "version %q is not known; the document was read as 3.2", version)
	case (member == "swagger") != r.isSwagger():
		r.Report(ruleVersion, n, "version %q belongs to the other of openapi and swagger", version)
	case r.dialect == Dialect32 && len(version) > 3 && version[:3] != Dialect32:
		r.Report(ruleVersion.AsWarning(), n, "version %q is newer than 3.2; the document was read as 3.2", version)
	}
	return version
}

// documentMembers returns the members of the top level that are read, or that operations refer
// to.
func documentMembers() []string {
	return []string{"openapi", "swagger", "info", "servers", "paths", "components", "security", "tags", "externalDocs", "webhooks",
		"host", "basePath", "schemes", "consumes", "produces", "definitions", "parameters", "responses", "securityDefinitions",
		"jsonSchemaDialect", "$self", parse.FilesMember}
}

// service reads the members that describe the API as a whole.
func (r *reader) service() wayfind.Service {
	s := wayfind.Service{Sources: parse.SourcesAt(r.Root), Extensions: r.Extensions(r.Root, documentMembers()...)}
	parse.SetExtension(&s.Extensions, "$self", r.Root.Get("$self"))
	parse.SetExtension(&s.Extensions, "jsonSchemaDialect", r.Root.Get("jsonSchemaDialect"))
	r.info(&s)
	docs := r.Object(r.Root, "externalDocs", parse.Optional, "OpenAPI Object")
	s.DocsURL = r.Link(docs, "url", r.Base, "External Documentation Object")
	parse.Keep(&s.Extensions, "externalDocs", rawjson.Some(r.rest(docs, "url")))
	r.tags(&s)
	r.readServers()
	n := r.Root
	if list := n.Get("servers"); list.Exists() {
		n = list
	}
	r.base = r.called(n, r.servers)
	s.Interfaces = r.interfaces()
	r.readSchemes()
	s.Auth = r.serviceAuth()
	if r.isSwagger() {
		r.consumes = r.Strings(r.Root, "consumes", parse.Optional, "Swagger Object")
		r.produces = r.Strings(r.Root, "produces", parse.Optional, "Swagger Object")
	}
	parse.Keep(&s.Extensions, "securitySchemes", rawjson.Some(r.kept))
	r.webhooks(&s)
	return s
}

// info reads the Info Object.
func (r *reader) info(s *wayfind.Service) {
	const section = "Info Object"
	info := r.Object(r.Root, "info", parse.Must, "OpenAPI Object")
	s.Name = r.String(info, "title", parse.Must, section)
	s.Version = r.Text(info, "version", parse.Must, section)
	s.Description = r.Prose(info, "description", section)
	summary := info.Get("summary")
	if text, ok := summary.Str(); ok && s.Description == "" {
		s.Description = text
	} else {
		parse.SetExtension(&s.Extensions, "summary", summary)
	}
	if contact := r.Object(info, "contact", parse.Optional, section); contact.Len() > 0 {
		s.Contact = &wayfind.Contact{
			Name: r.Prose(contact, "name", "Contact Object"), Email: r.Prose(contact, "email", "Contact Object"),
			URL: r.Link(contact, "url", r.Base, "Contact Object"),
		}
		if *s.Contact == (wayfind.Contact{}) {
			s.Contact = nil
		}
		parse.Keep(&s.Extensions, "contact", rawjson.Some(r.rest(contact, "name", "email", "url")))
	}
	parse.SetExtension(&s.Extensions, "license", info.Get("license"))
	parse.SetExtension(&s.Extensions, "termsOfService", info.Get("termsOfService"))
	known := []string{"title", "version", "description", "summary", "contact", "license", "termsOfService"}
	for name, n := range info.Members() {
		if _, taken := s.Extensions[name]; strings.HasPrefix(name, "x-") && !taken {
			parse.SetExtension(&s.Extensions, name, n)
			known = append(known, name)
		}
	}
	parse.Keep(&s.Extensions, "info", rawjson.Some(r.rest(info, known...)))
}

// tags reads the names of the tags, and keeps their other members.
func (r *reader) tags(s *wayfind.Service) {
	var more listed
	for _, tag := range r.Objects(r.Root, "tags", parse.Optional, "OpenAPI Object") {
		if len(s.Tags) == parse.DefaultItems {
			r.Report(ruleTruncated.At("Tag Object").AsInfo(), tag, "there are more than %d tags; the others are not listed", parse.DefaultItems)
			break
		}
		if name := r.String(tag, "name", parse.Must, "Tag Object"); name != "" {
			s.Tags = append(s.Tags, name)
			more.add(name, r.rest(tag, "name"))
		}
	}
	parse.Keep(&s.Extensions, "tags", rawjson.Some(more))
}

// webhooks keeps the names of the calls that the API makes by itself, and reports that the
// rest of them is not read: a caller cannot use it.
func (r *reader) webhooks(s *wayfind.Service) {
	var names []string
	for name, n := range r.Object(r.Root, "webhooks", parse.Optional, "OpenAPI Object").Members() {
		if len(names) == parse.DefaultItems {
			r.Report(ruleTruncated.At("OpenAPI Object").AsInfo(), n, "there are more than %d webhooks; the others are not listed", parse.DefaultItems)
			break
		}
		names = append(names, name)
		r.Report(ruleWebhook, n, "the webhook %q is called by the API; its operations are not read", name)
	}
	if names != nil {
		parse.Keep(&s.Extensions, "webhooks", rawjson.Quotes(names))
	}
}

// callbacks keeps the names of the calls that the API makes because of a call, and reports
// their number.
func (r *reader) callbacks(s *wayfind.Service, names []string) {
	if len(names) == 0 {
		return
	}
	listed := names[:min(len(names), parse.DefaultItems)]
	parse.Keep(&s.Extensions, "callbacks", rawjson.Quotes(listed))
	r.Report(ruleCallback, r.Root.Get("paths"), "callbacks are no capabilities, because the API sends them (%d): %s", len(names), strings.Join(listed[:min(len(listed), 20)], ", "))
}

// unused reports the definitions that no operation leads to: no result contains them.
func (r *reader) unused() {
	var lists []parse.Node
	for kind, list := range r.Root.Get("components").Members() {
		if kind != "securitySchemes" && kind != "pathItems" && !strings.HasPrefix(kind, "x-") {
			lists = append(lists, list)
		}
	}
	lists = append(lists, r.Root.Get("definitions"), r.Root.Get("parameters"), r.Root.Get("responses"))
	for i, names := range r.Unused(append(lists, r.Root.Get("webhooks"))...) {
		if i < len(lists) && names != nil {
			r.Report(ruleUnused, lists[i], "definitions that no operation leads to are not shown: %s", strings.Join(names[:min(len(names), 50)], ", "))
		}
	}
}
