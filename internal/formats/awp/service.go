package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// features reads the flags of §6, nil if the document has none.
func (r *reader) features(root parse.Node, service *wayfind.Service) *wayfind.Features {
	obj := r.Object(root, "capabilities", parse.Optional, "§6")
	if !obj.Exists() {
		return nil
	}
	f := wayfind.Features{
		Streaming:   r.Bool(obj, "streaming", parse.Optional, "§6"),
		Batch:       r.Bool(obj, "batch_actions", parse.Optional, "§6"),
		Webhooks:    r.Bool(obj, "webhooks", parse.Optional, "§6"),
		Pagination:  r.String(obj, "pagination", parse.Optional, "§6"),
		Idempotency: r.Bool(obj, "idempotency", parse.Optional, "§6"),
	}
	if f.Pagination != "" && !slices.Contains([]string{"cursor", "offset", "page", "none"}, f.Pagination) {
		r.Report(rulePagination, obj.Get("pagination"), "the pagination %q is none of cursor, offset, page and none", f.Pagination)
	}
	r.keepRest(&service.Extensions, "capabilities", obj, "streaming", "batch_actions", "webhooks", "pagination", "idempotency")
	if f == (wayfind.Features{}) {
		return nil
	}
	return &f
}

// recovery reads the advice on errors (§10), by error code. The advice is data: a
// sentence of the publisher, even if it is an order. The other members of an error are
// kept.
func (r *reader) recovery(root parse.Node, service *wayfind.Service) map[string]string {
	obj := r.Object(root, "errors", parse.Optional, "§10")
	found := make(map[string]string)
	more := false
	for code, entry := range obj.Members() {
		switch entry.Kind() {
		case parse.Object:
			if text := r.StringPtr(entry, "recovery", parse.Must, "§10"); text != nil {
				found[code] = *text
			}
			more = more || len(r.Extensions(entry, "recovery")) > 0
		case parse.String:
			r.Report(ruleErrorText, entry, "the value is a string where an object with recovery belongs; it was read as recovery")
			found[code], _ = entry.Str()
		default:
			r.wrongType(entry, "§10", parse.Object)
		}
	}
	if more {
		parse.SetExtension(&service.Extensions, "errors", obj)
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// status reads the liveness signal (§13), nil if the document has none. It describes
// the moment when the document was written.
func (r *reader) status(root parse.Node, service *wayfind.Service) *wayfind.Status {
	obj := r.Object(root, "agent_status", parse.Optional, "§13")
	if !obj.Exists() {
		return nil
	}
	s := &wayfind.Status{
		Operational: r.Bool(obj, "operational", parse.Optional, "§13"),
		Degraded:    r.idList(obj, "degraded_actions", "§13"),
	}
	known := []string{"operational", "degraded_actions"}
	e, kept := r.reference(obj, "status_endpoint", "§13")
	if s.URL = e.URL; !kept || s.URL != "" {
		known = append(known, "status_endpoint")
	}
	r.keepRest(&service.Extensions, "agent_status", obj, known...)
	return s
}

// idList returns the IDs of actions in a list. Unknown IDs are reported and kept,
// because the document contains them.
func (r *reader) idList(obj parse.Node, member, section string) []string {
	list := r.Strings(obj, member, parse.Optional, section)
	for _, item := range obj.Get(member).Items() {
		if id, ok := item.Str(); ok && !r.ids[id] {
			r.Report(ruleUnknownAction.At(section), item, "no action has the id %q", id)
		}
	}
	return list
}

// reference resolves an endpoint that is not a call of its own: the URL of a status, a
// result or a new token. If it lacks a base, it is kept, and the caller puts the text
// into Extensions. An unusable endpoint is reported and dropped.
func (r *reader) reference(obj parse.Node, member, section string) (e parse.Endpoint, kept bool) {
	text := r.String(obj, member, parse.Optional, section)
	n := obj.Get(member)
	if n.Kind() != parse.String {
		return parse.Endpoint{}, false
	}
	e, err := r.in.ResolveEndpoint(paramspec.Braces(text))
	switch {
	case err != nil:
		r.Report(ruleEndpoint.At(section), n, "%s cannot be used: %s", member, err)
		return parse.Endpoint{}, false
	case !e.Resolved():
		r.Report(ruleEndpointRelative.At(section), n, "%s is relative to a site that is not known", member)
	default:
		r.CheckEndpoint(n, e, section)
	}
	return e, true
}
