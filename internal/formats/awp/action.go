package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// entries returns the actions (§9). Each entry of another type is reported and left
// out. Entries beyond the limit are not read.
func (r *reader) entries(obj parse.Node) []parse.Node {
	list := r.Objects(obj, "actions", parse.Must, "§5")
	if limit := parse.DefaultItems; len(list) > limit {
		r.Report(ruleTruncated.Beyond("actions", len(list), limit), obj.Get("actions"), "of %d actions the first %d were read", len(list), limit)
		list = list[:limit]
	}
	return list
}

// identify records the IDs of all actions, because lists and dependencies refer to
// them.
func (r *reader) identify(entries []parse.Node, idMember string) {
	r.ids = make(map[string]bool, len(entries))
	for _, entry := range entries {
		if id, ok := entry.Get(idMember).Str(); ok {
			r.ids[id] = true
		}
	}
}

// actions reads the entries. Entries that are ambiguous or misleading are dropped.
func (r *reader) actions(entries []parse.Node, idMember string) []wayfind.Capability {
	list := make([]wayfind.Capability, 0, len(entries))
	first := make(map[string]string, len(entries))
	for _, entry := range entries {
		c, ok := r.action(entry, idMember)
		if !ok {
			continue
		}
		if pointer, twice := first[c.ID]; twice {
			r.Report(ruleDuplicateID, entry.Get(idMember), "the id %q is that of %s", c.ID, pointer)
		} else {
			first[c.ID] = c.Sources[0].Pointer
		}
		list = append(list, c)
	}
	return list
}

// actionMembers returns the members of an action that are read (§9).
func actionMembers() []string {
	return []string{"description", "auth_required", "inputs", "outputs", "endpoint", "method", "via", "operation",
		"rate_limit", "idempotency", "execution_model", "poll_endpoint", "sensitivity", "requires_human_confirmation", "reversible"}
}

// action reads one entry. It drops an entry that has no ID, or in which a member that
// identifies the action or its endpoint has a wrong type.
func (r *reader) action(entry parse.Node, idMember string) (wayfind.Capability, bool) {
	id := r.String(entry, idMember, parse.Must, "§9")
	c := wayfind.Capability{
		ID: id, Name: id, Kind: wayfind.KindOperation, Claimed: true, Sources: parse.SourcesAt(entry),
		// §9 requires it, and §15 only recommends it.
		Description: r.String(entry, "description", parse.Should, "§15"),
	}
	if n := entry.Get(idMember); id == "" {
		if n.Kind() == parse.String {
			r.Report(ruleID, n, "the id is empty; the action is ignored")
		}
		return c, false
	}
	c.Extensions = r.Extensions(entry, append(actionMembers(), idMember)...)
	how := r.invocation(entry, &c)
	for _, member := range [...]string{"description", "endpoint", "method", "via"} {
		if isOther(entry.Get(member), parse.String) {
			return c, false
		}
	}
	// The examples of §5.5 omit the members that a protocol replaces.
	need := parse.Must
	if entry.Get("via").Kind() == parse.String {
		need = parse.Should
	}
	r.inputs(entry, &c, how, need)
	c.Output = r.outputs(entry, &c, need)
	if v := c.Invocation; v != nil && v.Method != "" {
		v.ContentType = paramspec.ContentTypeOf(c.Params)
	}
	c.Effects = r.effects(entry, &c, how.method)
	c.Auth = r.actionAuth(entry, id, need)
	c.Limits = r.limits(entry)
	c.DependsOn = slices.Clone(r.needs[id])
	return c, true
}

// limits reads rate_limit (§9): "30/minute". Any other text is kept as written.
func (r *reader) limits(entry parse.Node) []wayfind.Limit {
	text := r.String(entry, "rate_limit", parse.Optional, "§9")
	if text == "" {
		return nil
	}
	l, ok := paramspec.Rate(text)
	if !ok {
		r.Report(ruleRateLimit, entry.Get("rate_limit"), "the rate limit %q is not a number per time", text)
		l = wayfind.Limit{Text: text}
	}
	return []wayfind.Limit{l}
}
