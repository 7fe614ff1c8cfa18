package merge

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// uniteCapabilities makes one capability of a group that is the same call. The reading of highest
// rank is kept and completed. The other readings stay in it as alternatives, and their keys as
// aliases.
func (m *merger) uniteCapabilities(group []entry) {
	winner := group[0]
	kept := winner.capability
	for _, loser := range group[1:] {
		c := loser.capability
		m.work.Add(1 + len(kept.Alternatives))
		m.compare(winner, loser)
		weak := loser.source.weak()
		governing := joinRefs(m.work, governors(kept.Auth, winner.service), governors(c.Auth, loser.service))
		conflict, lost := m.auths.joinCaution(kept, winner.service, c, loser.service, !weak)
		if conflict != "" {
			m.conflict(kept.Key, "auth", conflict, kept.Sources, c.Sources)
		}
		if lost {
			m.cutAuth()
		}
		if !weak {
			fill(kept, c)
			kept.Suspicious = slices.Sorted(slices.Values(joinStrings(m.work, kept.Suspicious, c.Suspicious)))
		}
		m.uniteFiles(kept, c)
		kept.Aliases = joinStrings(m.work, kept.Aliases, append([]string{c.Key}, c.Aliases...))
		kept.Sources = joinRefs(m.work, joinRefs(m.work, kept.Sources, c.Sources), governing)
		kept.Alternatives = append(slices.Clone(kept.Alternatives), *c)
		m.aliased[c.Key] = true
	}
}

// uniteFiles makes one file of two listings. The digest of either applies. If the digests differ,
// no bytes can be the file that both publishers mean, and the file is not requested.
func (m *merger) uniteFiles(kept, c *wayfind.Capability) {
	if kept.Artifact == nil || c.Artifact == nil {
		return
	}
	file := *kept.Artifact
	file.SHA256, file.MediaType = cmp.Or(file.SHA256, c.Artifact.SHA256), cmp.Or(file.MediaType, c.Artifact.MediaType)
	kept.Artifact = &file
	if c.Artifact.SHA256 != "" && c.Artifact.SHA256 != file.SHA256 {
		kept.Artifact, kept.Lazy, kept.DetailURLs = nil, false, nil
	}
}

// compare records the differences between two readings of one call.
func (m *merger) compare(winner, loser entry) {
	a, b := winner.capability, loser.capability
	m.work.Text(len(a.Description) + len(b.Description) + len(a.Input) + len(b.Input) + len(a.Output) + len(b.Output))
	fields := []struct {
		name string
		a, b string
	}{
		{"description", a.Description, b.Description},
		{"price", a.Price, b.Price},
		{"input", compact(a.Input), compact(b.Input)},
		{"output", compact(a.Output), compact(b.Output)},
		{"artifact", digest(a.Artifact), digest(b.Artifact)},
	}
	for _, f := range fields {
		if f.a != "" && f.b != "" && f.a != f.b {
			m.conflict(a.Key, f.name, fmt.Sprintf("%s and %s say different things; the statement of %s is kept", a.Key, b.Key, a.Key), a.Sources, b.Sources)
		}
	}
	if disagree(a.Effects, b.Effects) {
		m.conflict(a.Key, "effects", fmt.Sprintf("%s and %s disagree; the more cautious reading is kept", a.Key, b.Key), a.Sources, b.Sources)
	}
}

// digest returns the declared digest of a file, or "" if there is none.
func digest(file *wayfind.Artifact) string {
	if file == nil {
		return ""
	}
	return file.SHA256
}

// compact returns JSON as text; formats build Schemas without blanks.
func compact(raw []byte) string { return string(bytes.TrimSpace(raw)) }

// maxConflicts bounds the disagreements that a Site lists: two dozen documents about a thousand
// calls could have hundreds of thousands.
const maxConflicts = 1000

// conflict records a disagreement.
func (m *merger) conflict(subject, field, message string, refs ...[]wayfind.Ref) {
	if len(m.site.Conflicts) == maxConflicts {
		m.cut("conflicts", "there are more than 1000 disagreements between sources; the others are not listed")
		return
	}
	var sources []wayfind.Ref
	for _, list := range refs {
		sources = joinRefs(m.work, sources, list)
	}
	m.site.Conflicts = append(m.site.Conflicts, wayfind.Conflict{Subject: subject, Field: field, Message: message, Sources: sources})
}

// fill copies the facts from the second reading that the first lacks. Identity, trust, auth and
// effects have rules of their own. The inputs of a call are copied as a whole, and only if both
// readings have the same names of variables.
func fill(kept, c *wayfind.Capability) {
	takesInput := len(kept.Params) == 0 && kept.Input == nil && kept.Invocation != nil && c.Invocation != nil && kept.Invocation.Template == c.Invocation.Template
	to, from := reflect.ValueOf(kept).Elem(), reflect.ValueOf(c).Elem()
	for i := range to.NumField() {
		switch to.Type().Field(i).Name {
		case "Key", "Aliases", "ID", "Kind", "Auth", "Effects", "Trust", "Lazy", "DetailURLs", "Sources",
			"Alternatives", "Artifact", "Related", "Claimed", "Digest", "Deprecated", "Defaulted", "Invocation", "DependsOn", "Suspicious":
			continue
		case "Params", "Input":
			if !takesInput {
				continue
			}
		}
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}
