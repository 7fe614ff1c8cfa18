package apicatalog

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// link makes a document of a link, and tells the service about it.
func (r *reader) link(service *wayfind.Service, l *link) {
	if r.targets >= maxTargets {
		r.more.targets++
		return
	}
	r.targets++
	if !l.place.Exists() {
		l.place = l.node
	}
	at, template, err := r.resolve(l.href)
	switch {
	case err != nil:
		r.Report(ruleTarget, l.place, "the target %q cannot be used: %s", l.href, err)
		return
	case l.href != "" && at != "" && !strings.Contains(l.href, "://"):
		r.Report(ruleRelative, l.place, "the target %q is relative to the catalogue", l.href)
	}
	if l.relation == "item" && !r.isCatalog(at) {
		r.item(l, at, template)
	}
	if at == "" {
		r.keep(service, l, template)
		return
	}
	page := at
	if _, fragment, _ := strings.Cut(l.href, "#"); fragment != "" {
		page += "#" + fragment // a page for people may be meant from there
	}
	r.reading.Documents = append(r.reading.Documents, wayfind.Document{
		Rel: l.relation, URL: page, Title: l.title, MediaType: l.mediaType, Extensions: l.extensions, Sources: parse.SourcesAt(l.node),
	})
	r.relate(service, l, at)
}

// item makes a service of an API that the catalogue lists.
func (r *reader) item(l *link, at, template string) {
	if at+template == "" {
		return
	}
	if service := r.service(at, template, l.node); service != nil && service.Name == "" {
		service.Name = l.title
	}
}

// keep keeps a target that leads nowhere by itself: a template, or a reference to a
// place that is not known.
func (r *reader) keep(service *wayfind.Service, l *link, template string) {
	if template != "" && l.relation != "item" {
		r.Report(ruleTemplate, l.place, "the target %q has variables; it is not followed", l.href)
	}
	if service != nil && template == "" {
		parse.SetExtension(&service.Extensions, l.relation, l.node)
	}
}

// relate gives a service what a link says of it, and follows the link where it
// leads to a description or to another catalogue.
func (r *reader) relate(service *wayfind.Service, l *link, at string) {
	switch l.relation {
	case "api-catalog":
		r.nested(at)
	case "item":
		if r.isCatalog(at) {
			r.nested(at)
		}
	case "service-desc":
		r.description(service, l, at)
	case "service-meta", "describedby":
		if isDescription(l.mediaType, at) {
			r.follow(parse.Link{URLs: []string{at}, Role: l.relation})
		}
	}
	if service == nil {
		return
	}
	switch {
	case l.relation == "service-doc" && service.DocsURL == "":
		service.DocsURL = at
	case l.relation == "status" && service.StatusURL == "":
		service.StatusURL = at
	}
}

// nested follows a catalogue within this one.
func (r *reader) nested(at string) {
	if !r.isThis(at) {
		r.follow(parse.Link{URLs: []string{at}, Role: "api-catalog", Format: name})
	}
}

// description follows the description of a service. A page for people
// describes nothing to a program.
func (r *reader) description(service *wayfind.Service, l *link, at string) {
	if kind := baseType(l.mediaType); kind == "text/html" || kind == "application/xhtml+xml" || kind == "text/markdown" {
		r.Report(ruleForPeople, l.node, "the description of the API is of the type %q, which is for people; it is not followed", l.mediaType)
		return
	}
	found := parse.Link{URLs: []string{at}, Role: "service-desc"}
	if service != nil {
		found.Subject = service.ID
		if face := &service.Interfaces[0]; face.SpecURL == "" {
			face.SpecURL = at
		}
	}
	r.follow(found)
}

// follow adds a link, once for each URL. Beyond the limit of links the others are
// documents.
func (r *reader) follow(l parse.Link) {
	if !r.followed[l.URLs[0]] && len(r.reading.Links) < parse.DefaultItems {
		r.followed[l.URLs[0]] = true
		r.reading.Links = append(r.reading.Links, l)
	}
}

// baseType is a media type without parameters, in lower case.
func baseType(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// isDescription reports metadata that is worth a look by its type or its name: a
// card, a description of an API, another list. Its bytes decide.
func isDescription(mediaType, at string) bool {
	switch kind := baseType(mediaType); kind {
	case "application/a2a-agent-card+json", "application/mcp-server-card+json", "application/openapi+json", "application/openapi+yaml", MediaType:
		return true
	default:
		if strings.HasPrefix(kind, "application/vnd.oai.openapi") {
			return true
		}
	}
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	switch u.Path[strings.LastIndexByte(u.Path, '/')+1:] {
	case "agent-card.json", "agent.json", "server-card.json", "openapi.json", "openapi.yaml", "openapi.yml", "openrpc.json", "ai-catalog.json", "ard.json":
		return true
	}
	return strings.HasSuffix(u.Path, "/agent-skills/index.json")
}
