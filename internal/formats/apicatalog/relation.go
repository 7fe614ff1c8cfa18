package apicatalog

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// link adds a document for a link, and adds its facts to the service.
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
		page += "#" + fragment // the link may mean this part of a page for people
	}
	r.reading.Documents = append(r.reading.Documents, wayfind.Document{
		Rel: l.relation, URL: page, Title: l.title, MediaType: l.mediaType, Extensions: l.extensions, Sources: parse.SourcesAt(l.node),
	})
	r.relate(service, l, at)
}

// item adds a service for an API that the catalogue lists.
func (r *reader) item(l *link, at, template string) {
	if at+template == "" {
		return
	}
	if service := r.service(at, template, l.node); service != nil && service.Name == "" {
		service.Name = l.title
	}
}

// keep keeps a target that cannot be followed: a template, or a reference whose base
// is not known.
func (r *reader) keep(service *wayfind.Service, l *link, template string) {
	if template != "" && l.relation != "item" {
		r.Report(ruleTemplate, l.place, "the target %q has variables; it is not followed", l.href)
	}
	if service != nil && template == "" {
		parse.SetExtension(&service.Extensions, l.relation, l.node)
	}
}

// relate adds the facts in a link to a service, and follows the link if it leads to a
// description or to another catalogue.
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

// description follows the description of a service, unless it is a page for people,
// which a program cannot use.
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

// follow adds a link, once for each URL. The links beyond the limit are only
// documents.
func (r *reader) follow(l parse.Link) {
	if !r.followed[l.URLs[0]] && len(r.reading.Links) < parse.DefaultItems {
		r.followed[l.URLs[0]] = true
		r.reading.Links = append(r.reading.Links, l)
	}
}

// baseType returns a media type without parameters, in lower case.
func baseType(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// isDescription reports whether metadata may be a card, a description of an API or
// another list, by its type or its name. The bytes decide which format it is.
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
