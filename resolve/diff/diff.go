// Package diff compares two Sites: [Sites] returns the services and capabilities that were
// added, removed and changed, and the fields that differ. It does no I/O and does not use the
// clock.
package diff

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// Kind is the kind of thing that a [Change] is about.
type Kind string

// The kinds of changes.
const (
	KindService    Kind = "service"
	KindCapability Kind = "capability"
)

// Class groups the fields of a [Change] by their meaning to a caller. The set may grow.
type Class string

// The classes of changes.
const (
	// ClassIdentity: the key, kind or name that identifies a thing.
	ClassIdentity Class = "identity"
	// ClassEndpoint: the address and the manner of a call: invocations, interfaces, URLs of
	// detail documents.
	ClassEndpoint Class = "endpoint"
	// ClassContract: inputs, outputs, and calls that must be made before.
	ClassContract Class = "contract"
	// ClassAuth: how to authenticate.
	ClassAuth Class = "auth"
	// ClassEffects: the effects of a call.
	ClassEffects Class = "effects"
	// ClassTerms: limits, price, status, deprecation.
	ClassTerms Class = "terms"
	// ClassTrust: how the place of a thing relates to the origin.
	ClassTrust Class = "trust"
	// ClassText: descriptions, titles and examples, including texts inside schemas. No call
	// depends on them.
	ClassText Class = "text"
)

// Change is one difference between two Sites.
type Change struct {
	Kind Kind `json:"kind"`
	// Key is the key of the capability or the ID of the service. If both Sites have the thing,
	// it is a name that both know.
	Key string `json:"key"`
	// Class and Field identify the change. Both are empty if a thing was added or removed.
	// Field is a JSON name: "auth", "invocation".
	Class Class  `json:"class,omitempty"`
	Field string `json:"field,omitempty"`
	// Old and New are the values as JSON; nil means no value. For lists with names (params,
	// interfaces) they contain the elements that differ.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// Result lists the changes from one Site to another: see [Sites].
type Result struct {
	// Added and Removed are the services and capabilities that only one Site has.
	Added   []Change `json:"added,omitempty"`
	Removed []Change `json:"removed,omitempty"`
	// Changed has one element per field that differs.
	Changed []Change `json:"changed,omitempty"`
	// Unknown are the keys of capabilities and IDs of services that cannot be compared, because
	// one Site could not request one of their documents. Statements of other documents about
	// them are compared nevertheless.
	Unknown []string `json:"unknown,omitempty"`
}

// Empty reports whether no change is known. Unknown is ignored: something unknown is not a
// change.
func (d *Result) Empty() bool {
	return len(d.Added) == 0 && len(d.Removed) == 0 && len(d.Changed) == 0
}

// Without returns the result without the changes of some classes, for callers that compare
// calls and not their descriptions:
//
//	if !diff.Sites(old, now).Without(diff.ClassText).Empty() { … }
func (d *Result) Without(classes ...Class) *Result {
	kept := *d
	kept.Changed = slices.DeleteFunc(slices.Clone(d.Changed), func(c Change) bool {
		return slices.Contains(classes, c.Class)
	})
	if len(kept.Changed) == 0 {
		kept.Changed = nil
	}
	return &kept
}

// Sites compares two Sites of one origin: their services and capabilities with auth, effects,
// endpoints, contracts, terms and texts. It does not compare policies, documents, diagnostics,
// and data about the time and the manner in which the Sites were made. Either Site may be nil,
// which is treated as an empty Site.
//
// Services are the same if they have the same ID, capabilities if they share a key or alias.
// Values are compared by meaning: the order of members, the spelling of numbers, the order of
// sets, and whether a default is explicit or implied make no difference.
//
// Sources are compared one by one. If an offer is from a document that one Site has and the
// other could not request (unreachable, throttled, blocked, skipped, malformed …), the offer is
// Unknown and neither removed nor added. So a document that is missing once is not a change. An
// offer is removed only if the answer was a definite "no" ([wayfind.VerdictAbsent] and similar
// verdicts). Sites without Probes, or of different origins, are compared as they are.
//
// The result is never nil. It is always the same for the same Sites.
func Sites(old, now *wayfind.Site) *Result {
	result, _ := SitesContext(context.Background(), old, now) // never cancelled
	return result
}

// SitesContext is like [Sites] with a context: if ctx ends before the work is done, the result
// is nil and the error is the error of ctx.
func SitesContext(ctx context.Context, old, now *wayfind.Site) (result *Result, err error) {
	w := fuel.Of(ctx)
	err = w.Do(func() {
		d := newDiffer(newValues(w), old, now)
		d.services()
		d.capabilities()
		d.result.Unknown = slices.Sorted(maps.Keys(d.unknown))
		for _, list := range [][]Change{d.result.Added, d.result.Removed, d.result.Changed} {
			w.Add(len(list))
			slices.SortStableFunc(list, func(a, b Change) int {
				return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
			})
		}
		result = &d.result
	})
	return result, err
}

// differ is the state of one comparison.
type differ struct {
	*values
	old, now *side
	result   Result
	unknown  map[string]bool
}

func newDiffer(x *values, old, now *wayfind.Site) *differ {
	if old == nil {
		old = new(wayfind.Site)
	}
	if now == nil {
		now = new(wayfind.Site)
	}
	d := &differ{values: x, old: newSide(x.work, old), now: newSide(x.work, now), unknown: map[string]bool{}}
	d.old.face(d.now)
	d.now.face(d.old)
	return d
}

// capabilities compares the capabilities of all services.
func (d *differ) capabilities() {
	pairs, removed, added := match(d.old.offers, d.now.offers)
	for _, p := range pairs {
		d.pair(p)
	}
	for _, o := range removed {
		d.alone(d.old, o, &d.result.Removed)
	}
	for _, o := range added {
		d.alone(d.now, o, &d.result.Added)
	}
}

// alone lists a capability that only one side has.
func (d *differ) alone(s *side, o offer, list *[]Change) {
	for _, r := range readings(o.capability) {
		if s.anyMissing(sourcesOf(r, o), o.service) {
			d.unknown[o.capability.Key] = true
			return
		}
	}
	*list = append(*list, Change{Kind: KindCapability, Key: o.capability.Key})
}

// pair compares a capability that both sides have. Readings of documents that the other side
// could not request are excluded.
func (d *differ) pair(p pairing) {
	whole := d.putAside(d.old, p.old)
	whole = d.putAside(d.now, p.now) && whole
	o, n := p.old.capability, p.now.capability
	keys := sharedKeys(o, n)
	c := comparison{values: d.values, kind: KindCapability, key: keys[0], list: &d.result.Changed}
	if whole && !p.part {
		c.value(ClassIdentity, "key", o.Key, n.Key)
		c.merged = true
		c.capability(o, n)
		return
	}
	for _, key := range keys {
		d.work.Add(1 + len(o.Alternatives) + len(n.Alternatives))
		a, b := readingOf(o, key), readingOf(n, key)
		if d.old.untold(a, p.old) || d.now.untold(b, p.now) {
			continue
		}
		// A thing that was merged from several documents cannot be compared if one of them is
		// missing.
		c.key, c.merged = key, isPlainReading(a) && isPlainReading(b)
		c.capability(a, b)
		return
	}
}

// putAside marks the readings that the other side cannot confirm or deny as unknown, and
// reports whether there are none.
func (d *differ) putAside(s *side, o offer) (whole bool) {
	whole = !s.anyMissing(sourcesOf(o.capability, o), o.service)
	listed := false
	for _, r := range readings(o.capability) {
		if s.missing(sourcesOf(r, o)[0].Source, o.service) {
			d.unknown[cmp.Or(r.Key, o.capability.Key)] = true
			whole, listed = false, true
		}
	}
	if !whole && !listed {
		d.unknown[o.capability.Key] = true
	}
	return whole
}
