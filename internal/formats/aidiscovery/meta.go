package aidiscovery

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// tokenHints reads the token_hints object (§3.5). The default of a missing field is
// false, and so all fields are false if the object is missing. A field of a wrong type
// remains unknown.
func (r *reader) tokenHints(root parse.Node, service *wayfind.Service) *wayfind.TokenHints {
	obj := r.Object(root, "token_hints", parse.Optional, "§3.5")
	if !obj.Exists() {
		if root.Get("token_hints").Exists() {
			return nil
		}
		service.Defaulted = append(service.Defaulted, "tokenHints")
		return &wayfind.TokenHints{CompactMode: new(false), FieldFiltering: new(false), DeltaSupport: new(false)}
	}
	flag := func(name, field string) *bool {
		if obj.Get(name).Exists() {
			return r.Bool(obj, name, parse.Optional, "§3.5")
		}
		service.Defaulted = append(service.Defaulted, "tokenHints."+field)
		return new(false)
	}
	hints := &wayfind.TokenHints{
		CompactMode:    flag("compact_mode", "compactMode"),
		FieldFiltering: flag("field_filtering", "fieldFiltering"),
		DeltaSupport:   flag("delta_support", "deltaSupport"),
	}
	keep(service, "token_hints", r.strays("token_hints", obj, "compact_mode", "field_filtering", "delta_support")...)
	return hints
}

// shorter returns the optional query parameters that the token hints promise for each capability
// (§3.5), but for those that a capability describes itself.
func (r *reader) shorter(list []wayfind.Param) (more []wayfind.Param) {
	if r.hints == nil {
		return nil
	}
	for _, p := range []struct {
		promised                        *bool
		name, kind, format, description string
	}{
		{r.hints.CompactMode, "compact", "boolean", "", "If true, the answer has only essential fields."},
		{r.hints.FieldFiltering, "fields", "string", "", "Names of fields, separated by commas. The answer has only these."},
		{r.hints.DeltaSupport, "since", "string", "date-time", "The answer has only records that were created or modified after this time."},
	} {
		known := slices.ContainsFunc(list, func(known wayfind.Param) bool { return known.Name == p.name })
		if p.promised == nil || !*p.promised || known {
			continue
		}
		members := []rawjson.Member{{Name: "type", Value: rawjson.Quote(p.kind)}}
		if p.format != "" {
			members = append(members, rawjson.Member{Name: "format", Value: rawjson.Quote(p.format)})
		}
		more = append(more, wayfind.Param{Name: p.name, In: "query", Type: p.kind, Required: new(false), Description: p.description, Schema: rawjson.Obj(members...)})
	}
	return more
}

// rateLimits reads the rate_limits object (§3.6). The model has no place for
// agent_tier_available, which becomes an extension.
func (r *reader) rateLimits(root parse.Node, service *wayfind.Service) []wayfind.Limit {
	obj := r.Object(root, "rate_limits", parse.Optional, "§3.6")
	others := r.strays("rate_limits", obj, "requests_per_minute", "agent_tier_available")
	if tier := r.Bool(obj, "agent_tier_available", parse.Optional, "§3.6"); tier != nil {
		others = append(others, rawjson.Member{Name: "agent_tier_available", Value: rawjson.QuoteBool(*tier)})
		if *tier && !root.Get("auth").Get("docs").Exists() {
			r.Report(ruleAgentTier, obj.Get("agent_tier_available"), "a tier for agents is promised, and auth.docs, which would explain it, is missing")
		}
	}
	keep(service, "rate_limits", others...)
	need := parse.Optional
	if obj.Get("requests_per_minute").Exists() {
		need = parse.Must // any value other than an integer is an error
	}
	switch n := r.Int(obj, "requests_per_minute", need, "§3.6"); {
	case n == nil:
		return nil
	case *n <= 0:
		r.Report(ruleRateLimit, obj.Get("requests_per_minute"), "a limit of %d is none; it is ignored", *n)
		return nil
	default:
		return []wayfind.Limit{{N: *n, Per: time.Minute}}
	}
}

// meta reads the meta object (§3.7), in which publishers also put data of their own
// (§3.1).
func (r *reader) meta(root parse.Node, service *wayfind.Service) []wayfind.Document {
	obj := r.Object(root, "meta", parse.Optional, "§3.7")
	service.Updated = r.String(obj, "last_updated", parse.Optional, "§3.7")
	if service.Updated != "" && !isDate(service.Updated) {
		r.Report(ruleLastUpdated, obj.Get("last_updated"), "%q is no date like 2026-03-10 or 2026-03-10T09:00:00Z", service.Updated)
	}
	service.StatusURL = r.link(obj, "status", "§3.7")
	keep(service, "meta", r.strays("meta", obj, "last_updated", "changelog", "status")...)
	changelog := r.link(obj, "changelog", "§3.7")
	if changelog == "" {
		return nil
	}
	return []wayfind.Document{{Rel: "changelog", URL: changelog, Sources: parse.SourcesAt(obj.Get("changelog"))}}
}

func isDate(text string) bool {
	for _, layout := range [...]string{time.DateOnly, "2006-01-02T15:04:05Z"} {
		if t, err := time.Parse(layout, text); err == nil && t.Format(layout) == text {
			return true
		}
	}
	return false
}

// link reads a member that must be a URI. A path is not a URI, but publishers write
// one: it is resolved and reported.
func (r *reader) link(obj parse.Node, name, section string) string {
	n := obj.Get(name)
	text, _ := n.Str()
	if !strings.HasPrefix(text, "/") {
		return r.URL(obj, name, nil, parse.Optional, section)
	}
	err := urlref.CheckLink(text)
	u, malformed := url.Parse(text)
	switch {
	case err == nil && malformed != nil:
		err = errors.New("it is not a URL")
	case err == nil && r.base == nil:
		err = errors.New("it is relative to a host that is not known")
	}
	if err != nil {
		r.Report(ruleBadURL.At(section).AsWarning(), n, "%s cannot be used: %s; it is ignored", name, err)
		return ""
	}
	r.Report(ruleRelativeURL.At(section), n, "%s is %q where a full URL belongs; it was resolved against the document", name, text)
	return urlref.TidyURL(r.base.ResolveReference(u))
}
