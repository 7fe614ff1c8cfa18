package pins

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Report lists the differences from pins.
type Report struct {
	// Mismatches are the definitions that changed, one for each key.
	Mismatches []Mismatch `json:"mismatches,omitempty"`
	// Added are services and capabilities that are new in a Site that was pinned as a whole.
	// They are not mismatches, because there is no earlier definition.
	Added []diff.Change `json:"added,omitempty"`
	// Documents are the URLs of documents behind the pins whose bytes changed. This alone is
	// not a mismatch: the pinned definitions may be the same.
	Documents []string `json:"documents,omitempty"`
	// Unknown are pinned keys that could not be checked, because a document could not be
	// requested. The Site does not have them, or has only the statements of a refusal to
	// answer, or has less than Describe had completed when they were pinned.
	Unknown []string `json:"unknown,omitempty"`
	// Older are keys whose pins are from a file of version 1. They do not cover the references
	// of a definition.
	Older []string `json:"older,omitempty"`
	// Undigested are pinned keys without a digest: see [Pin.Undigested].
	Undigested []string `json:"undigested,omitempty"`

	index map[string]int // the position of the mismatch of a key; nil after settle
}

// Mismatch is one definition that changed.
type Mismatch struct {
	Origin string `json:"origin"`
	// Key is the key of the capability, or the ID of the service. It is empty for the site itself,
	// which has another host than when it was pinned.
	Key string `json:"key"`
	// PinnedHost and Host are set if the site's own host changed: see wayfind.Site.Host.
	PinnedHost string `json:"pinnedHost,omitempty"`
	Host       string `json:"host,omitempty"`
	// Source is the document in which it changed, if known.
	Source string `json:"source,omitempty"`
	// Pinned and Now are the digests of the definition, if they differ. If Changes is empty,
	// the definition changed in a part that the model does not show: in an invisible character,
	// for example. Now is empty if the document is in a form that has no digest: see
	// wayfind.Capability.Digest.
	Pinned string `json:"pinned,omitempty"`
	Now    string `json:"now,omitempty"`
	// PinnedVersion and Version are set if a signed document went back to an older version.
	PinnedVersion string `json:"pinnedVersion,omitempty"`
	Version       string `json:"version,omitempty"`
	// Removed is true if the document that had the definition no longer lists it.
	Removed bool `json:"removed,omitempty"`
	// Elsewhere is true if the key refers to the definition of another document, which is
	// Source. Document is the document that was pinned.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Document  string `json:"document,omitempty"`
	// InDetail is true if the definition differs in the detail document, or in the references
	// of the definition there.
	InDetail bool `json:"inDetail,omitempty"`
	// Changes are the changes field by field.
	Changes []diff.Change `json:"changes,omitempty"`

	grade *diff.Grade // the grade of Changes, nil if it is not known
}

// Empty reports whether no change is known.
func (r *Report) Empty() bool { return len(r.Mismatches) == 0 }

// Of returns the part of a report about a capability and its service, or about a service.
func (r *Report) Of(site *wayfind.Site, key string) *Report {
	keys := []string{"", key}
	if service, capability := site.Capability(key); capability != nil {
		keys = append(append(keys, capability.Key, service.ID), capability.Aliases...)
	}
	part := &Report{}
	for _, m := range r.Mismatches {
		if slices.Contains(keys, m.Key) {
			part.Mismatches = append(part.Mismatches, m)
		}
	}
	for _, c := range r.Added {
		if slices.Contains(keys, c.Key) {
			part.Added = append(part.Added, c)
		}
	}
	for _, k := range r.Unknown {
		if slices.Contains(keys, k) {
			part.Unknown = append(part.Unknown, k)
		}
	}
	for _, k := range r.Older {
		if slices.Contains(keys, k) {
			part.Older = append(part.Older, k)
		}
	}
	for _, k := range r.Undigested {
		if slices.Contains(keys, k) {
			part.Undigested = append(part.Undigested, k)
		}
	}
	return part
}

// at returns the mismatch of a key, and adds it if there is none.
func (r *Report) at(site *wayfind.Site, key string) *Mismatch {
	i, found := r.index[key]
	if !found {
		if r.index == nil {
			r.index = map[string]int{}
		}
		i = len(r.Mismatches)
		r.index[key] = i
		r.Mismatches = append(r.Mismatches, Mismatch{Origin: site.Origin, Key: key})
	}
	return &r.Mismatches[i]
}

// moved records that a key refers to the definition of another document.
func (r *Report) moved(site *wayfind.Site, key string, was, is []wayfind.Ref) {
	m := r.at(site, key)
	if len(was) > 0 {
		m.Document = was[0].Source
	}
	if len(is) > 0 {
		m.Source = is[0].Source
	}
	m.Elsewhere = true
}

// settle sorts a report and removes duplicates, because several pins may report the same
// difference.
func (r *Report) settle(w *fuel.Counter) {
	r.index = nil
	w.Add(len(r.Mismatches) + len(r.Documents) + len(r.Unknown) + len(r.Added))
	slices.SortStableFunc(r.Mismatches, func(a, b Mismatch) int { return cmp.Compare(a.Key, b.Key) })
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		order := func(a, b diff.Change) int {
			return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Field, b.Field))
		}
		slices.SortStableFunc(m.Changes, order)
		m.Changes = slices.CompactFunc(m.Changes, func(a, b diff.Change) bool { return order(a, b) == 0 })
		if grade, err := diff.OfContext(w.Context(), m.Changes...); err == nil && len(m.Changes) > 0 {
			m.grade = &grade
		}
	}
	slices.Sort(r.Documents)
	r.Documents = slices.Compact(r.Documents)
	slices.Sort(r.Unknown)
	r.Unknown = slices.Compact(r.Unknown)
	slices.Sort(r.Undigested)
	r.Undigested = slices.Compact(r.Undigested)
	added := func(a, b diff.Change) int { return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) }
	slices.SortStableFunc(r.Added, added)
	r.Added = slices.CompactFunc(r.Added, func(a, b diff.Change) bool { return added(a, b) == 0 })
}

// maxShown is the maximum number of differences that a sentence or an error lists.
const maxShown = 8

// some joins the first entries of a list, and adds how many more there are.
func some[T any](list []T, sep string, say func(T) string) string {
	var parts []string
	for _, v := range list[:min(len(list), maxShown)] {
		parts = append(parts, say(v))
	}
	if more := len(list) - maxShown; more > 0 {
		parts = append(parts, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(parts, sep)
}

// String lists the differences in one sentence, up to a maximum number. Foreign text in it is
// escaped.
func (m Mismatch) String() string {
	if m.Host != "" {
		return "the site is at " + text.Printable(m.Host) + ", and was pinned at " + text.Printable(m.PinnedHost)
	}
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
	if m.Elsewhere {
		parts = append(parts, "it comes from another document ("+text.Printable(m.Source)+", pinned "+text.Printable(m.Document)+")")
	}
	if m.Pinned != "" && m.Now == "" {
		parts = append(parts, "its definition has no digest any more")
	}
	switch {
	case m.InDetail && len(m.Changes) > 0:
		return what + " differs from its pin: its definition in the detail document changed: " + strings.Join(parts, ", ")
	case m.Removed:
		return what + " was pinned and is gone"
	case len(parts) == 0:
		return what + " differs from its pin: its definition changed in a part that the model does not show"
	}
	return what + " differs from its pin: " + strings.Join(parts, ", ")
}

// Grade compares the present definitions with the pinned ones: see diff.Result.Grade. A
// definition that changed in a part that the model does not show, or that is from another
// document, is incomparable.
func (m Mismatch) Grade() diff.Grade {
	alone := func(risk diff.Risk, text string) diff.Grade {
		return diff.Grade{Risk: risk, Reasons: []diff.Reason{{Risk: risk, Key: m.Key, Text: text}}}
	}
	switch {
	case m.Host != "":
		return alone(diff.Incomparable, "the site has another host")
	case m.Elsewhere:
		return alone(diff.Incomparable, "it comes from another document")
	case m.Rollback():
		return alone(diff.Riskier, "its version went back")
	case m.Pinned != "" && m.Now == "":
		return alone(diff.Incomparable, "its definition has no digest any more")
	case m.Removed:
		return alone(diff.Safer, "it is gone")
	case len(m.Changes) == 0:
		return alone(diff.Incomparable, "its definition changed in a part that the model does not show")
	}
	if m.grade != nil {
		return *m.grade
	}
	return diff.Of(m.Changes...)
}

// Unsafe returns the report without the mismatches that are equal or safer.
func (r *Report) Unsafe() *Report {
	own := *r
	own.Mismatches = slices.DeleteFunc(slices.Clone(r.Mismatches), func(m Mismatch) bool { return m.Grade().Passes() })
	return &own
}

// Rollback reports whether a signed document went back to an older version.
func (m Mismatch) Rollback() bool { return m.PinnedVersion != "" }

// Error is the error for definitions that differ from their pins.
type Error struct{ Report *Report }

// Error lists the differences, up to a maximum number.
func (e *Error) Error() string {
	if e.Report == nil {
		return "definitions differ from their pins"
	}
	var parts []string
	for _, said := range []string{some(e.Report.Mismatches, "; ", Mismatch.String), e.Report.UnknownText(), e.Report.AddedText()} {
		if said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, "; ")
}

// UnknownText lists the pinned keys that could not be checked, or returns "" if there are none.
func (r *Report) UnknownText() string {
	if len(r.Unknown) == 0 {
		return ""
	}
	return "pinned, and could not be seen: " + some(r.Unknown, ", ", text.Printable)
}

// OlderText lists the pins that cover less, or returns "" if there are none.
func (r *Report) OlderText() string {
	if len(r.Older) == 0 {
		return ""
	}
	return "pinned by an earlier version, which does not cover the references of a definition: " + some(r.Older, ", ", text.Printable) + "; look at it and pin it again"
}

// UndigestedText lists the pins without a digest, or returns "" if there are none.
func (r *Report) UndigestedText() string {
	if len(r.Undigested) == 0 {
		return ""
	}
	return "pinned without a digest, so that a change outside the fields of the model is not noticed: " + some(r.Undigested, ", ", text.Printable) + "; pin it again"
}

// AddedText lists the keys that are not pinned, or returns "" if there are none.
func (r *Report) AddedText() string {
	if len(r.Added) == 0 {
		return ""
	}
	return "there, and not pinned: " + some(r.Added, ", ", func(c diff.Change) string { return text.Printable(c.Key) })
}
