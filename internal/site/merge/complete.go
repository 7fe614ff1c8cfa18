package merge

import (
	"maps"
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/offer"
)

// joinCaution adds the demands of another reading of a call to a reading: authentication,
// confirmation, earlier calls. Merge and Describe both use it. If adds is false, the other reading
// can only tighten. conflict describes a disagreement about authentication. lost is true if the
// authentication is too long to be repeated here.
func (m *auths) joinCaution(kept *wayfind.Capability, service *wayfind.Service, other *wayfind.Capability, otherService *wayfind.Service, adds bool) (conflict string, lost bool) {
	own := authOf(kept.Auth, service)
	auth, conflict := m.merge(own, authOf(other.Auth, otherService), adds)
	if auth != own {
		lost = m.give(&kept.Auth, auth)
	}
	kept.Effects = mergeEffects(kept.Effects, other.Effects, adds)
	kept.DependsOn = joinStrings(m.work, kept.DependsOn, other.DependsOn)
	kept.Deprecated = kept.Deprecated || other.Deprecated
	return conflict, lost
}

// completer completes the subject of one Describe.
type completer struct {
	*auths
	calls *caller
}

func newCompleter(w *fuel.Counter) *completer {
	return &completer{newAuths(w), newCaller(w)}
}

// Complete replaces the fields of a capability of the service by the non-zero fields of a detail
// document. Identity and provenance stay, and the new source comes last. Demands stay as well: a
// document that is read later removes no authentication, no confirmation and no warning, and a
// document of another site can only demand more.
func Complete(w *fuel.Counter, service *wayfind.Service, base, detail *wayfind.Capability, foreign bool) {
	newCompleter(w).complete(service, base, detail, foreign)
}

func (m *completer) complete(service *wayfind.Service, base, detail *wayfind.Capability, foreign bool) {
	before := *base
	overwrite(base, detail)
	base.Key, base.Aliases, base.ID, base.DetailURLs = before.Key, before.Aliases, before.ID, before.DetailURLs
	base.Offers = allPrices(base, &before)
	base.Auth, base.Effects, base.DependsOn, base.Deprecated = before.Auth, before.Effects, before.DependsOn, before.Deprecated
	m.joinCaution(base, service, detail, &wayfind.Service{}, !foreign)
	base.Suspicious = bothClasses(before.Suspicious, detail.Suspicious)
	base.RobotsDisallowed = before.RobotsDisallowed || detail.RobotsDisallowed
	base.Sources = append(slices.Clone(before.Sources), detail.Sources...)
	if before.Extensions != nil {
		base.Extensions = maps.Clone(before.Extensions)
		maps.Copy(base.Extensions, detail.Extensions)
	}
	base.Lazy, base.Claimed = false, before.Claimed && detail.Claimed
}

// CompleteService replaces the fields of a service by the non-zero fields of a detail document.
// Capabilities and interfaces that both list are completed as in [Complete]. Parts that the detail
// document leaves out are dropped, unless another document has them.
func CompleteService(w *fuel.Counter, base *wayfind.Service, detail wayfind.Service, foreign bool) {
	m, before := newCompleter(w), *base
	overwrite(base, &detail)
	base.ID, base.Lazy, base.DetailURLs = before.ID, false, nil
	base.Auth, _ = m.merge(before.Auth, detail.Auth, !foreign)
	base.Suspicious = bothClasses(before.Suspicious, detail.Suspicious)
	base.Sources = append(slices.Clone(before.Sources), detail.Sources...)
	if len(detail.Interfaces) > 0 {
		base.Interfaces = m.completeInterfaces(&before, &detail, foreign)
	}
	if len(detail.Capabilities) == 0 {
		return
	}
	listed := m.identities(&detail)
	base.Capabilities = slices.DeleteFunc(m.addCapabilities(&before, &detail, foreign), func(c wayfind.Capability) bool {
		return !listed[c.Key] && !listed[m.calls.callOf(base, &c)] && !joined(before.Sources, c.Sources)
	})
}

// identities returns the keys and the calls of a service's capabilities.
func (m *completer) identities(s *wayfind.Service) map[string]bool {
	m.work.Add(len(s.Capabilities))
	found := map[string]bool{}
	for i := range s.Capabilities {
		found[s.Capabilities[i].Key] = true
		if call := m.calls.callOf(s, &s.Capabilities[i]); call != "" {
			found[call] = true
		}
	}
	return found
}

// joined reports whether a part of a service also has a source other than the service's first
// source.
func joined(service, part []wayfind.Ref) bool {
	return len(service) > 0 && slices.ContainsFunc(part, func(r wayfind.Ref) bool { return r.Source != service[0].Source })
}

// completeInterfaces returns the interfaces of a detail document, each with its earlier demands,
// followed by the interfaces of other documents.
func (m *completer) completeInterfaces(before, detail *wayfind.Service, foreign bool) []wayfind.Interface {
	known := map[string]*wayfind.Interface{}
	for i := range before.Interfaces {
		known[interfaceID(&before.Interfaces[i])] = &before.Interfaces[i]
	}
	list := slices.Clone(detail.Interfaces)
	for i := range list {
		f := &list[i]
		was := known[interfaceID(f)]
		if was == nil {
			continue
		}
		delete(known, interfaceID(f))
		own := authOf(was.Auth, before)
		auth, _ := m.merge(own, authOf(f.Auth, detail), !foreign)
		f.Auth = was.Auth
		if auth != own {
			m.give(&f.Auth, auth)
		}
		f.RequiredHeaders = joinStrings(m.work, was.RequiredHeaders, f.RequiredHeaders)
		f.Sources = joinRefs(m.work, was.Sources, f.Sources)
	}
	for i := range before.Interfaces {
		if f := &before.Interfaces[i]; known[interfaceID(f)] == f && joined(before.Sources, f.Sources) {
			list = append(list, *f)
		}
	}
	return list
}

// AddCapabilities returns the capabilities of a service together with the capabilities of a
// document that was read later, which may be a live answer. If the service has a capability by key
// or as the same call, it is completed. Otherwise it is added, with at least the authentication
// that the service demands. The arguments are not changed.
func AddCapabilities(w *fuel.Counter, service, detail *wayfind.Service, foreign bool) []wayfind.Capability {
	return newCompleter(w).addCapabilities(service, detail, foreign)
}

func (m *completer) addCapabilities(service, detail *wayfind.Service, foreign bool) []wayfind.Capability {
	m.work.Add(len(service.Capabilities) + len(detail.Capabilities))
	list := slices.Clone(service.Capabilities)
	byKey, byCall := map[string]int{}, map[string]int{}
	for i := range list {
		byKey[list[i].Key] = i
		if call := m.calls.callOf(service, &list[i]); call != "" {
			if _, twice := byCall[call]; twice {
				byCall[call] = -1 // many operations behind one endpoint
			} else {
				byCall[call] = i
			}
		}
	}
	for i := range detail.Capabilities {
		c := detail.Capabilities[i]
		at, known := byKey[c.Key]
		if !known {
			at, known = byCall[m.calls.callOf(detail, &c)]
		}
		switch {
		case known && at >= 0:
			if c.Auth == nil {
				c.Auth = detail.Auth
			}
			m.complete(service, &list[at], &c, foreign)
		case c.Auth != nil:
			c.Auth, _ = m.merge(service.Auth, c.Auth, !foreign)
			fallthrough
		default:
			list = append(list, c)
		}
	}
	return list
}

// bothClasses returns the classes of two readings of one thing, sorted.
func bothClasses(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// allPrices returns the offers of a capability with the prices that it had before: a document that is read
// later takes no price away.
func allPrices(c, before *wayfind.Capability) []wayfind.Offer {
	list := slices.Clone(c.Offers)
	add := func(o wayfind.Offer) {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if offer.Costs(before.Price) && before.Price != c.Price {
		add(wayfind.Offer{Amount: before.Price})
	}
	for _, o := range before.Offers {
		add(o)
	}
	return list
}

// overwrite sets every field of base to the value of detail, unless that value is zero.
func overwrite[T any](base, detail *T) {
	to, from := reflect.ValueOf(base).Elem(), reflect.ValueOf(detail).Elem()
	for i := range to.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}
