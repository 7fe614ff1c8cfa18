package a2a

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxModes bounds a list of media types. Agents have fewer than ten, and each skill
// gets a copy of the card's list.
const maxModes = 32

// modes are the media types of input and output.
type modes struct{ in, out []string }

// skills reads the skills of the agent.
func (r *reader) skills(root parse.Node, s *wayfind.Service) []wayfind.Capability {
	byDefault := modes{
		in:  r.modes(root, "defaultInputModes", r.edition.from(edition02), r.at.card),
		out: r.modes(root, "defaultOutputModes", r.edition.from(edition02), r.at.card),
	}
	r.notEmpty(root, "defaultInputModes", r.at.card)
	r.notEmpty(root, "defaultOutputModes", r.at.card)
	entries := r.Objects(root, "skills", parse.Must, r.at.card)
	r.notEmpty(root, "skills", r.at.card)
	var list []wayfind.Capability
	seen := make(map[string]bool)
	for _, entry := range r.bounded(root.Get("skills"), entries) {
		c, ok := r.skill(entry, byDefault)
		if !ok {
			continue
		}
		if seen[c.ID] {
			r.Report(ruleDuplicateID.At(r.at.skill), entry, "the id %q stands twice", c.ID)
		}
		seen[c.ID] = true
		list = append(list, c)
	}
	r.keepModes(root, "defaultInputModes", s, list, func(c *wayfind.Capability) []string { return c.InputModes })
	r.keepModes(root, "defaultOutputModes", s, list, func(c *wayfind.Capability) []string { return c.OutputModes })
	return list
}

// keepModes keeps the card's media types, which apply to skills without their own,
// unless the skills already contain all of them.
func (r *reader) keepModes(root parse.Node, member string, s *wayfind.Service, skills []wayfind.Capability, of func(*wayfind.Capability) []string) {
	shown := make(map[string]bool)
	for i := range skills {
		for _, mode := range of(&skills[i]) {
			shown[mode] = true
		}
	}
	var rest []parse.Raw
	for _, item := range root.Get(member).Items() {
		if text, ok := item.Str(); !ok || !shown[text] {
			rest = append(rest, item.Copy())
		}
	}
	if list := root.Get(member); list.Kind() != parse.Array {
		parse.SetExtension(&s.Extensions, member, list)
	} else if rest != nil {
		parse.Keep(&s.Extensions, member, rawjson.Arr(rest...))
	}
}

// skill reads one skill. ok is false if it has neither an ID nor a name.
func (r *reader) skill(entry parse.Node, byDefault modes) (c wayfind.Capability, ok bool) {
	id := r.String(entry, "id", parse.Must, r.at.skill)
	skillName := r.String(entry, "name", parse.Must, r.at.skill)
	if n := entry.Get("id"); !n.Exists() {
		id = skillName
	} else if id == "" && n.Kind() == parse.String {
		r.Report(ruleIDEmpty.At(r.at.skill), n, "the id of the skill is empty; the skill is ignored")
	}
	if id == "" {
		return c, false
	}
	since := r.edition.from(edition02)
	c = wayfind.Capability{
		ID: id, Name: skillName, Kind: wayfind.KindSkill, Claimed: true, Sources: parse.SourcesAt(entry),
		Description: r.String(entry, "description", since, r.at.skill),
		Tags:        r.Strings(entry, "tags", since, r.at.skill),
		InputModes:  r.modes(entry, "inputModes", parse.Optional, r.at.skill),
		OutputModes: r.modes(entry, "outputModes", parse.Optional, r.at.skill),
	}
	if c.InputModes == nil {
		c.InputModes = slices.Clone(byDefault.in)
	}
	if c.OutputModes == nil {
		c.OutputModes = slices.Clone(byDefault.out)
	}
	for _, text := range r.Strings(entry.IfSet("examples"), "examples", parse.Optional, r.at.skill) {
		c.Examples = append(c.Examples, wayfind.Example{Text: text})
	}
	c.Auth = r.skillAuth(entry)
	c.Extensions = r.rest(entry, "id", "name", "description", "tags", "examples", "inputModes", "outputModes", "security", "securityRequirements")
	return c, true
}

// modes reads a list of media types.
func (r *reader) modes(obj parse.Node, member string, need parse.Need, section string) []string {
	n := obj.Get(member)
	if need == parse.Optional {
		obj = obj.IfSet(member)
	}
	list := r.Strings(obj, member, need, section)
	if len(list) > maxModes {
		r.Report(ruleTruncated.At(section), n, "of %d media types the first %d were read", len(list), maxModes)
		list = list[:maxModes]
	}
	for i, item := range n.Items() {
		if i == maxModes {
			break
		}
		if text, ok := item.Str(); ok && !isMediaType(text) {
			r.Report(ruleMode.At(section), item, "%q is no media type; it is kept as it is", text)
		}
	}
	return list
}

// isMediaType reports whether text is a media type or range (RFC 9110 §8.3.1).
func isMediaType(text string) bool {
	text, _, _ = strings.Cut(text, ";")
	major, minor, ok := strings.Cut(strings.TrimRight(text, " "), "/")
	return ok && fieldname.IsToken(major) && fieldname.IsToken(minor)
}
