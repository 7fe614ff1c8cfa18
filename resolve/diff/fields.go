package diff

import (
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// comparison compares the fields of one thing and lists the differences.
type comparison struct {
	*values
	kind Kind
	key  string
	list *[]Change
	// merged is true if all documents are available, so that fields that are made from several
	// documents may be compared.
	merged bool
}

// value compares two values by meaning.
func (c *comparison) value(class Class, field string, old, now any) {
	c.views(class, field, c.same(old), c.same(now))
}

// view contains a value as it is shown, its meaning, and its meaning without the texts that no
// call depends on.
type view struct {
	shown       any
	whole, bare string
}

// same returns the view of a value that needs no conversion.
func (x *values) same(v any) view {
	meaning := x.meaning(v)
	return view{v, meaning, meaning}
}

// differs reports whether two views differ, and the class of the difference.
func (v view) differs(w view, class Class) (Class, bool) {
	switch {
	case v.bare != w.bare:
		return class, true
	case v.whole != w.whole:
		return ClassText, true
	}
	return class, false
}

// views lists a change if two views differ.
func (c *comparison) views(class Class, field string, old, now view) {
	if !c.merged && (old.whole == "" || now.whole == "") {
		return // it may have been taken from another document
	}
	if class, differs := old.differs(now, class); differs {
		c.change(class, field, old.shown, now.shown)
	}
}

func (c *comparison) change(class Class, field string, old, now any) {
	*c.list = append(*c.list, Change{Kind: c.kind, Key: c.key, Class: class, Field: field, Old: c.shown(old), New: c.shown(now)})
}

// capability compares the fields of two capabilities, or of two readings of one capability.
func (c *comparison) capability(old, now *wayfind.Capability) {
	if c.equal(old, now) {
		return
	}
	c.invocations(old.Invocation, now.Invocation)
	c.params(old.Params, now.Params)
	c.views(ClassContract, "input", c.schemaView(old.Input), c.schemaView(now.Input))
	c.views(ClassContract, "output", c.schemaView(old.Output), c.schemaView(now.Output))
	c.value(ClassContract, "dependsOn", set(c.values, old.DependsOn), set(c.values, now.DependsOn))
	if c.merged {
		c.views(ClassAuth, "auth", c.authView(old.Auth), c.authView(now.Auth))
		c.value(ClassEffects, "effects", c.effects(old.Effects), c.effects(now.Effects))
		c.value(ClassTerms, "deprecated", old.Deprecated, now.Deprecated)
	}
	c.value(ClassTerms, "limits", set(c.values, old.Limits), set(c.values, now.Limits))
	c.plain(capabilityParts(), old, now)
}

// equal reports whether two readings are equal in everything that is compared. For most
// readings this is a fast check.
func (x *values) equal(a, b *wayfind.Capability) bool {
	x.work.Text(len(a.Description) + len(a.Input) + len(a.Output))
	for i := range a.Params {
		x.work.Text(len(a.Params[i].Description) + len(a.Params[i].Schema))
	}
	one, other := *a, *b
	one.Auth, one.Alternatives, other.Auth, other.Alternatives = nil, nil, nil, nil
	return reflect.DeepEqual(one, other) && x.authView(a.Auth).whole == x.authView(b.Auth).whole
}

// invocations compares how to call a capability. If a field is missing because a Site was made
// by an older version, this is not a change.
func (c *comparison) invocations(old, now *wayfind.Invocation) {
	if old == nil || now == nil {
		c.value(ClassEndpoint, "invocation", old, now)
		return
	}
	a, b := *old, *now
	if a.ContentTypes == nil || b.ContentTypes == nil {
		a.ContentTypes, b.ContentTypes = nil, nil
	}
	if a.Encodings == nil || b.Encodings == nil {
		a.Encodings, b.Encodings = nil, nil
	}
	if a.BodyRequired == nil || b.BodyRequired == nil {
		a.BodyRequired, b.BodyRequired = nil, nil
	}
	c.value(ClassEndpoint, "invocation", &a, &b)
}

// service compares two services that are the same. A service of several documents is compared
// only in the documents that both Sites could request.
func (d *differ) service(old, now *wayfind.Service) {
	whole := !d.old.anyMissing(old.Sources, old) && !d.now.anyMissing(now.Sources, now)
	unsure := map[string]bool{}
	d.old.unsure(old, unsure)
	d.now.unsure(now, unsure)
	if !whole || len(unsure) > 0 {
		d.unknown[old.ID] = true
	}
	c := comparison{values: d.values, kind: KindService, key: now.ID, list: &d.result.Changed, merged: whole}
	if c.sameService(old, now) {
		return
	}
	c.interfaces(without(old.Interfaces, unsure), without(now.Interfaces, unsure))
	if !whole {
		return
	}
	c.value(ClassIdentity, "name", old.Name, now.Name)
	c.views(ClassAuth, "auth", c.authView(old.Auth), c.authView(now.Auth))
	c.value(ClassTerms, "limits", set(c.values, old.Limits), set(c.values, now.Limits))
	c.value(ClassTerms, "status", status(old.Status), status(now.Status))
	c.installs(old.LocalInstall, now.LocalInstall)
	c.plain(serviceParts(), old, now)
}

// sameService is like equal for services.
func (x *values) sameService(a, b *wayfind.Service) bool {
	x.work.Text(len(a.Description) + len(a.Hints))
	one, other := *a, *b
	one.Auth, one.Capabilities, other.Auth, other.Capabilities = nil, nil, nil, nil
	return reflect.DeepEqual(one, other) && x.authView(a.Auth).whole == x.authView(b.Auth).whole
}

// unsure adds the addresses of the interfaces that are, at least in part, from a document that
// the other side could not request.
func (s *side) unsure(service *wayfind.Service, addresses map[string]bool) {
	for _, f := range service.Interfaces {
		refs := f.Sources
		if len(refs) == 0 {
			refs = service.Sources
		}
		if s.anyMissing(refs, service) {
			addresses[address(f)] = true
		}
	}
}

// without removes the interfaces with the given addresses.
func without(list []wayfind.Interface, addresses map[string]bool) []wayfind.Interface {
	return slices.DeleteFunc(slices.Clone(list), func(f wayfind.Interface) bool { return addresses[address(f)] })
}
