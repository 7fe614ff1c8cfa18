package tools

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// NameRule is a rule that has changed a name: "kept", "site", "letters", "long", "reserved" or
// "confused". Text describes it.
type NameRule string

// The rules. A name that no rule has changed is equal to its text.
const (
	nameKept     NameRule = "kept"     // Options.Names or OperationNames contain it
	nameSite     NameRule = "site"     // it begins with its site
	nameLetters  NameRule = "letters"  // letters of its text were lost
	nameLong     NameRule = "long"     // its text is too long
	nameReserved NameRule = "reserved" // hosts and vendors use that name themselves
	nameConfused NameRule = "confused" // another tool would have that name
)

// Text returns a description of the rule in our own words.
func (r NameRule) Text() string {
	switch r {
	case nameKept:
		return "it was given, and is kept"
	case nameSite:
		return "it begins with its site, since there are several"
	case nameLetters:
		return "it ends with a digest, since letters of the text are no letters of a name"
	case nameLong:
		return "it ends with a digest, since the text is too long for a name"
	case nameReserved:
		return "it ends with a digest, since hosts and vendors use the bare name themselves"
	case nameConfused:
		return "it ends with a digest, since another tool would have the same name"
	}
	return string(r)
}

// Naming returns the text that the name of a tool was made from, and the rules that have
// changed it.
func (b *Box) Naming(t *Tool) (from string, rules []NameRule) {
	b.must()
	from = text.Head(t.from(), maxFrom)
	id := NameKey(t.Origin, t.Key)
	if b.given[t.Name] == id {
		return from, []NameRule{nameKept}
	}
	base, lost := baseName(from)
	base = strings.TrimPrefix(base, "_")
	bare := t.Name
	if site, rest, found := strings.Cut(t.Name, "__"); found && strings.HasPrefix(strings.ReplaceAll(t.Domain, ".", "_"), site) && !strings.HasPrefix(base, site+"__") {
		rules, bare = append(rules, nameSite), rest
	}
	if strings.TrimPrefix(bare, "_") == base {
		return from, rules
	}
	alone := naming{most: MaxName}
	subject := Subject{Origin: t.Origin, Key: t.Key, From: from}
	switch whole := alone.bare(subject); {
	case lost:
		rules = append(rules, nameLetters)
	case reserved(whole) && !slices.Contains(rules, nameSite):
		rules = append(rules, nameReserved)
	case len(t.Name) < len(base) || alone.name(subject, 0) != whole:
		rules = append(rules, nameLong)
	default:
		rules = append(rules, nameConfused)
	}
	return from, rules
}

// Subject returns the subject for the name of a tool, as [Names] needs it.
func (t *Tool) Subject() Subject {
	return Subject{Origin: t.Origin, Key: t.Key, From: text.Head(t.from(), maxFrom), Domain: t.Domain}
}

// from returns the text from which the name of a tool is made.
func (t *Tool) from() string {
	switch {
	case t.Agent:
		return legible(t.Service.Name, t.Service.ID, t.Domain)
	case t.Capability != nil:
		return fromOf(t.Capability)
	}
	return t.Key
}
