package apicatalog

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxTargets is the largest number of links of a catalogue that are read.
const maxTargets = 4 * parse.DefaultItems

// parseCatalog reads a catalogue. It is unusable if it has contexts but no usable
// link. An empty catalogue is valid.
func parseCatalog(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONThatFits()
	if err != nil {
		return nil, err
	}
	r := &reader{
		Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: in.FinalURL, requested: in.URL,
		services: map[string]*wayfind.Service{}, slugs: map[string]bool{}, followed: map[string]bool{},
	}
	r.Cut(root)
	r.mediaType(in, root)
	set := root.Get("linkset")
	for member, value := range root.Members() {
		if member != "linkset" {
			r.Report(ruleMember, value, "the member %q stands beside %q, which must be alone; it is ignored", member, "linkset")
		}
	}
	switch set.Kind() {
	case parse.Object:
		r.Report(ruleSingle.At(secLinkset), set, "%q is one context where an array belongs", "linkset")
		r.context(set)
	default:
		contexts := r.Objects(root, "linkset", parse.Must, secLinkset)
		r.more.contexts = set.Left()
		if n := len(contexts); n > parse.DefaultItems {
			r.more.contexts += n - parse.DefaultItems
			contexts = contexts[:parse.DefaultItems]
		}
		for _, context := range contexts {
			r.context(context)
		}
	}
	for _, service := range r.list {
		r.reading.Services = append(r.reading.Services, *service)
	}
	if set.Len() > 0 && len(r.reading.Services)+len(r.reading.Documents) == 0 {
		r.reading.Unusable = "none of its links can be used"
	}
	r.reading.Authority = wayfind.AuthorityCatalog
	r.reading.Diagnostics = append(r.cut(set), r.Diagnostics()...)
	return &r.reading, nil
}

// cut returns a diagnostic with the number of parts that were not read, nil if all
// were read. It has a reader of its own, so that other reports do not displace it.
func (r *reader) cut(set parse.Node) []wayfind.Diagnostic {
	if r.more.contexts+r.more.services+r.more.targets == 0 {
		return nil
	}
	own := parse.NewReader(&parse.Format{Name: name, Spec: spec()})
	own.Report(ruleTruncated.Beyond("contexts, APIs or links", 0, parse.DefaultItems), set, "%d contexts, %d APIs and %d links more are not read", r.more.contexts, r.more.services, r.more.targets)
	return own.Diagnostics()
}

// mediaType reports another media type, and a media type without the profile.
func (r *reader) mediaType(in *parse.Input, root parse.Node) {
	r.MediaType(in, root, secMedia, MediaType)
	if in.MediaType == MediaType && in.Header != nil && !strings.Contains(in.Header.Get("Content-Type"), "rfc9727") {
		r.Report(ruleProfile, root, "the media type has no parameter %q for API catalogues", "profile")
	}
}

// context reads one context: its anchor and its links.
func (r *reader) context(n parse.Node) {
	if isLink(n) {
		r.Report(ruleFlat, n, "a link stands where a context belongs; it was read as the only one of its context")
		r.target(r.anchor(n), "", n, "anchor")
		return
	}
	service := r.anchor(n)
	for relation, value := range r.UnknownMembers(n, "anchor") {
		if relation == "anchor" {
			continue
		}
		switch value.Kind() {
		case parse.Array:
			r.each(service, relation, value)
		case parse.Object:
			r.Report(ruleSingle.At(secContext), value, "the target of %q stands alone where an array belongs", relation)
			r.target(service, relation, value)
		case parse.String:
			r.alone(service, relation, value)
		default:
			r.Report(ruleRelation, value, "the member %q has no targets; it is ignored", relation)
		}
	}
}

// each reads the targets of one relation.
func (r *reader) each(service *wayfind.Service, relation string, list parse.Node) {
	r.more.targets += list.Left()
	for i := range list.Len() {
		if r.targets >= maxTargets {
			r.more.targets += list.Len() - i
			return
		}
		switch item := list.Index(i); item.Kind() {
		case parse.Object:
			r.target(service, relation, item)
		case parse.String:
			r.Report(ruleBare, item, "the target of %q is a string where an object belongs", relation)
			r.bare(service, relation, item)
		default:
			r.Report(ruleRelation, item, "the target of %q is %v where an object belongs; it is ignored", relation, item.Kind())
		}
	}
}

// alone reads a member of a context that is a string. It is a target if the relation is one of an API
// catalogue, or if it looks like a URL, and otherwise an extension of the publisher.
func (r *reader) alone(service *wayfind.Service, relation string, n parse.Node) {
	text, _ := n.Str()
	if !isCatalogue(relation) && !strings.Contains(text, "://") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "./") {
		if service != nil {
			parse.SetExtension(&service.Extensions, relation, n)
			return
		}
		r.Report(ruleRelation, n, "the member %q has no targets; it is ignored", relation)
		return
	}
	r.Report(ruleBare, n, "the target of %q is a string where an array of objects belongs", relation)
	r.bare(service, relation, n)
}

// bare reads a target that is only a URL.
func (r *reader) bare(service *wayfind.Service, relation string, n parse.Node) {
	href, _ := n.Str()
	r.link(service, &link{relation: relation, node: n, href: href})
}

// link is one link of a catalogue.
type link struct {
	relation    string
	node, place parse.Node // of the target, and of its href
	href        string
	title       string
	mediaType   string
	extensions  map[string]parse.Raw
}

// target reads a target object. If it has a relation of its own, that relation takes
// precedence over the member that contains it.
func (r *reader) target(service *wayfind.Service, relation string, n parse.Node, known ...string) {
	l := &link{relation: relation, node: n, place: n.Get("href")}
	if rel := r.String(n, "rel", parse.Optional, secTarget); rel != "" {
		if first, _, _ := strings.Cut(rel, " "); first != relation {
			if relation != "" {
				r.Report(ruleRel, n.Get("rel"), "the target says that its relation is %q; it stands under %q", first, relation)
			}
			l.relation = first
		}
	}
	l.href = r.String(n, "href", parse.Must, secTarget)
	if n.Get("href").Kind() != parse.String {
		return
	}
	l.title = r.String(n, "title", parse.Optional, secAttr)
	l.mediaType = r.String(n, "type", parse.Optional, secAttr)
	if n.Get("hreflang").Exists() {
		r.Strings(n, "hreflang", parse.Optional, secAttr)
	}
	l.extensions = r.Extensions(n, append(slices.Clone(known), "href", "rel", "title", "type")...)
	r.link(service, l)
}

// isCatalogue reports whether a relation is one that an API catalogue has for an API (RFC 9727 §4.1, RFC 8631).
func isCatalogue(relation string) bool {
	switch relation {
	case "service-desc", "service-doc", "service-meta", "status", "item", "api-catalog":
		return true
	}
	return false
}
