package pins

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Report is what differs from what was pinned.
type Report struct {
	// Mismatches are the definitions that changed, one for each key.
	Mismatches []Mismatch `json:"mismatches,omitempty"`
	// Added are services and capabilities that a Site pinned as a whole did
	// not have. They are no mismatch.
	Added []diff.Change `json:"added,omitempty"`
	// Documents are the URLs of those behind the pins whose bytes changed.
	// That alone is no mismatch: the pinned definitions may be the same.
	Documents []string `json:"documents,omitempty"`
	// Unknown are keys of which the Site cannot tell: see diff.Result.
	Unknown []string `json:"unknown,omitempty"`
}

// Mismatch is one definition that changed.
type Mismatch struct {
	Origin string `json:"origin"`
	// Key of the capability, or ID of the service.
	Key string `json:"key"`
	// Source is the document in which it changed, where that is known.
	Source string `json:"source,omitempty"`
	// Pinned and Now are digests of the definition that differ. Where Changes
	// are empty, it changed in what the model does not show: in a character
	// that is not visible, for example. Now is empty where the document is in
	// a form that has no digest: see wayfind.Capability.Digest.
	Pinned string `json:"pinned,omitempty"`
	Now    string `json:"now,omitempty"`
	// PinnedVersion and Version are set when a signed document went back to
	// an older version.
	PinnedVersion string `json:"pinnedVersion,omitempty"`
	Version       string `json:"version,omitempty"`
	// Removed: it is gone, by the word of the document that had it.
	Removed bool `json:"removed,omitempty"`
	// Changes are field by field.
	Changes []diff.Change `json:"changes,omitempty"`
}

// Empty reports whether nothing is known to have changed.
func (r *Report) Empty() bool { return len(r.Mismatches) == 0 }

// Of is the part of a report about a capability, with its service, or about a
// service.
func (r *Report) Of(site *wayfind.Site, key string) *Report {
	keys := []string{key}
	if service, capability := site.Capability(key); capability != nil {
		keys = append(append(keys, capability.Key, service.ID), capability.Aliases...)
	}
	part := &Report{}
	for _, m := range r.Mismatches {
		if slices.Contains(keys, m.Key) {
			part.Mismatches = append(part.Mismatches, m)
		}
	}
	return part
}

// at is the mismatch of a key, in which more can be said.
func (r *Report) at(site *wayfind.Site, key string) *Mismatch {
	i := slices.IndexFunc(r.Mismatches, func(m Mismatch) bool { return m.Key == key })
	if i < 0 {
		i = len(r.Mismatches)
		r.Mismatches = append(r.Mismatches, Mismatch{Origin: site.Origin, Key: key})
	}
	return &r.Mismatches[i]
}

// settle puts a report in order: several pins may say the same.
func (r *Report) settle() {
	slices.SortStableFunc(r.Mismatches, func(a, b Mismatch) int { return cmp.Compare(a.Key, b.Key) })
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		order := func(a, b diff.Change) int {
			return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Field, b.Field))
		}
		slices.SortStableFunc(m.Changes, order)
		m.Changes = slices.CompactFunc(m.Changes, func(a, b diff.Change) bool { return order(a, b) == 0 })
	}
	slices.Sort(r.Documents)
	r.Documents = slices.Compact(r.Documents)
	slices.Sort(r.Unknown)
	r.Unknown = slices.Compact(r.Unknown)
}

// maxSaid is how many differences a sentence or an error names.
const maxSaid = 8

// some puts the first of a list into one text, and how many more there are.
func some[T any](list []T, sep string, say func(T) string) string {
	var parts []string
	for _, v := range list[:min(len(list), maxSaid)] {
		parts = append(parts, say(v))
	}
	if more := len(list) - maxSaid; more > 0 {
		parts = append(parts, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(parts, sep)
}

// String says in one sentence what differs, the first of it when that is much.
// Foreign text in it is escaped.
func (m Mismatch) String() string {
	what := text.Printable(m.Key)
	var parts []string
	if len(m.Changes) > 0 {
		parts = append(parts, some(m.Changes, ", ", func(c diff.Change) string {
			return strings.TrimSpace(string(c.Class) + " (" + text.Printable(c.Field) + ")")
		}))
	}
	if m.Rollback() {
		parts = append(parts, "its version went back from "+text.Printable(m.PinnedVersion)+" to "+text.Printable(m.Version))
	}
	if m.Pinned != "" && m.Now == "" {
		parts = append(parts, "its definition has no digest any more")
	}
	switch {
	case m.Removed:
		return what + " was pinned and is gone"
	case len(parts) == 0:
		return what + " is not what was pinned: its definition changed in what the model does not show"
	}
	return what + " is not what was pinned: " + strings.Join(parts, ", ")
}

// Rollback reports whether a signed document went back to an older version.
func (m Mismatch) Rollback() bool { return m.PinnedVersion != "" }

// Error is the error of definitions that are not what was pinned.
type Error struct{ Report *Report }

// Error says what differs, the first of it when that is much.
func (e *Error) Error() string {
	return some(e.Report.Mismatches, "; ", Mismatch.String)
}
