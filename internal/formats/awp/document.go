package awp

import (
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// members returns the top-level members that are read (§5, §14).
func members() []string {
	return []string{"awp_version", "domain", "intent", "protocols", "capabilities", "auth", "entities", "actions",
		"errors", "dependencies", "agent_hints", "agent_status", "source", "generated_by", "confidence", "last_verified"}
}

// parseDocument reads a document (§5). It is unusable if it has entries but no usable
// one.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := newReader(in)
	r.MediaType(in, root, "§3", "application/json")
	if isEarly(root) && !root.Get("awp_version").Exists() {
		return r.early(in, root), nil
	}
	if in.URL != nil && in.URL.Path == WellKnown {
		r.Report(ruleLocation, root, "the document belongs to %s; clients that keep to the specification do not find it here", Path)
	}
	reading := &parse.Reading{Version: r.version(root), Domain: r.domain(in, root)}
	service := wayfind.Service{
		Name:        reading.Domain,
		Description: r.String(root, "intent", parse.Must, "§5"),
		Sources:     parse.SourcesAt(root),
		Extensions:  r.Extensions(root, members()...),
	}
	r.keepOthers(root, &service)
	r.synthetic(root, reading, &service)
	r.readProtocols(root, reading, &service)
	r.readEntities(root, &service)
	service.Features = r.features(root, &service)
	service.Recovery = r.recovery(root, &service)
	service.Hints = r.Object(root, "agent_hints", parse.Optional, "§12").Copy()

	entries := r.entries(root)
	r.identify(entries, "id")
	service.Auth = r.auth(root, &service)
	service.Status = r.status(root, &service)
	r.readDependencies(root, &service)
	service.Capabilities = r.actions(entries, "id")
	r.addOrigin(root, &service)
	reading.Unusable = r.unusable(root, &service)
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// keepOthers keeps members that should be objects and are of another type. The code
// that reads a member reports it.
func (r *reader) keepOthers(root parse.Node, service *wayfind.Service) {
	for _, member := range [...]string{"protocols", "capabilities", "auth", "entities", "errors", "dependencies", "agent_hints", "agent_status"} {
		if n := root.Get(member); isOther(n, parse.Object) {
			parse.SetExtension(&service.Extensions, member, n)
		}
	}
}

// unusable returns the reason why a document cannot be used, "" if it can. An empty
// list of actions is valid (§5), and a document that only names protocols is useful.
func (r *reader) unusable(root parse.Node, s *wayfind.Service) string {
	actions := root.Get("actions")
	switch {
	case len(s.Capabilities) > 0:
		return ""
	case actions.Kind() == parse.Array && actions.Len() == 0:
		r.Report(ruleNoAction.At("§9").AsWarning(), actions, "the list of actions is empty")
		return ""
	case len(s.Interfaces) > 0:
		return ""
	}
	r.Report(ruleNoAction, actions, "no action can be used")
	return "no usable action"
}

// version returns awp_version as written (§4). All versions are read by the rules of
// the newest known version.
func (r *reader) version(root parse.Node) string {
	n := root.Get("awp_version")
	var version string
	if n.Kind() == parse.Number {
		version = string(n.Raw())
		r.Report(ruleWrongType.At("§5"), n, "awp_version is a number where the string %q belongs", Version)
	} else {
		version = r.String(root, "awp_version", parse.Must, "§5")
	}
	major, minor, ok := strings.Cut(version, ".")
	switch {
	case n.Kind() != parse.Number && n.Kind() != parse.String:
	case !ok || !isDigits(major) || !isDigits(minor):
		r.Report(ruleVersion, n, "awp_version %q is not MAJOR.MINOR; the document was read as %s", version, Version)
	case strings.Trim(major, "0") != "":
		r.Report(ruleVersion.AsWarning(), n, "the major version of awp_version %q is not known; the document was read as %s", version, Version)
	case minor != "1" && minor != "2":
		r.Report(ruleVersion.AsInfo(), n, "awp_version is %q; the document was read as %s", version, Version)
	}
	r.old = version == "0.1"
	return version
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// later reports the first member of version 0.2 in a document of an older version. The
// member is read all the same.
func (r *reader) later(n parse.Node, member string) {
	if r.old {
		r.old = false
		r.Report(ruleVersionMember, n, "%s is of version 0.2, and awp_version is %q; it was read", member, "0.1")
	}
}

// synthetic reads the members in which a generated document describes itself (§14).
// Other documents may have members of these names; all are kept as written.
func (r *reader) synthetic(root parse.Node, reading *parse.Reading, service *wayfind.Service) {
	for _, member := range [...]string{"source", "generated_by", "confidence", "last_verified"} {
		parse.SetExtension(&service.Extensions, member, root.Get(member))
	}
	source, _ := root.Get("source").Str()
	if !strings.EqualFold(source, "synthetic") {
		return
	}
	reading.Authority = wayfind.AuthoritySynthetic
	r.String(root, "generated_by", parse.Must, "§14")
	verified := root.Get("last_verified")
	if text := r.String(root, "last_verified", parse.Must, "§14"); verified.Kind() == parse.String && !isTime(text) {
		r.Report(ruleLastVerified, verified, "last_verified %q is no date or time of ISO 8601", text)
	}
	if c := r.Number(root, "confidence", parse.Must, "§14"); c != nil {
		if *c < 0 || *c > 1 {
			r.Report(ruleConfidence, root.Get("confidence"), "the confidence %v is not between 0 and 1; it was dropped", *c)
			return
		}
		reading.Confidence = c
	}
}

// isTime reports whether text is a date or time in a common form of ISO 8601.
func isTime(text string) bool {
	for _, layout := range [...]string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}
