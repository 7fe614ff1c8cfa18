package diff

import (
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// comparison compares the fields of one thing and lists what differs.
type comparison struct {
	kind Kind
	key  string
	list *[]Change
	// merged: all documents are there, so that fields that are made of several
	// may be compared.
	merged bool
}

// value compares two values by meaning.
func (c *comparison) value(class Class, field string, old, now any) {
	c.views(class, field, same(old), same(now))
}

// view is a value in three shapes: as it is shown, as it is compared, and that
// without the texts no call depends on.
type view struct{ shown, whole, bare any }

// same is the view of a value that needs no shaping.
func same(v any) view { return view{v, v, v} }

// differs reports whether two views do, and the class of what does.
func (v view) differs(w view, class Class) (Class, bool) {
	switch {
	case meaning(v.bare) != meaning(w.bare):
		return class, true
	case meaning(v.whole) != meaning(w.whole):
		return ClassText, true
	}
	return class, false
}

// views lists a change when two views differ.
func (c *comparison) views(class Class, field string, old, now view) {
	if !c.merged && (meaning(old.shown) == "" || meaning(now.shown) == "") {
		return // it may have been filled in from another document
	}
	if class, differs := old.differs(now, class); differs {
		c.change(class, field, old.shown, now.shown)
	}
}

func (c *comparison) change(class Class, field string, old, now any) {
	*c.list = append(*c.list, Change{Kind: c.kind, Key: c.key, Class: class, Field: field, Old: shown(old), New: shown(now)})
}

// capability compares the fields of two capabilities, or of two readings of
// one.
func (c *comparison) capability(old, now *wayfind.Capability) {
	if reflect.DeepEqual(old, now) {
		return
	}
	c.value(ClassIdentity, "kind", old.Kind, now.Kind)
	c.invocations(old.Invocation, now.Invocation)
	c.value(ClassEndpoint, "detailUrls", old.DetailURLs, now.DetailURLs)
	c.params(old.Params, now.Params)
	c.views(ClassContract, "input", schemaView(old.Input), schemaView(now.Input))
	c.views(ClassContract, "output", schemaView(old.Output), schemaView(now.Output))
	c.value(ClassContract, "dependsOn", set(old.DependsOn), set(now.DependsOn))
	if c.merged {
		c.views(ClassAuth, "auth", authView(old.Auth), authView(now.Auth))
		c.value(ClassEffects, "effects", effects(old.Effects), effects(now.Effects))
		c.value(ClassTerms, "deprecated", old.Deprecated, now.Deprecated)
	}
	c.value(ClassTerms, "limits", set(old.Limits), set(now.Limits))
	c.value(ClassTerms, "price", old.Price, now.Price)
	c.value(ClassTrust, "trust", old.Trust, now.Trust)
	c.value(ClassText, "name", old.Name, now.Name)
	c.value(ClassText, "title", old.Title, now.Title)
	c.value(ClassText, "description", old.Description, now.Description)
}

// invocations compares how to call. What a Site of an older version has no word
// for is not a change.
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
	c.value(ClassEndpoint, "invocation", &a, &b)
}

// service compares two services that are the same. A service of several documents is
// compared as far as those that both Sites could ask.
func (d *differ) service(old, now *wayfind.Service) {
	whole := !d.old.anyMissing(old.Sources, old) && !d.now.anyMissing(now.Sources, now)
	unsure := map[string]bool{}
	d.old.unsure(old, unsure)
	d.now.unsure(now, unsure)
	if !whole || len(unsure) > 0 {
		d.unknown[old.ID] = true
	}
	c := comparison{kind: KindService, key: now.ID, list: &d.result.Changed, merged: whole}
	c.interfaces(without(old.Interfaces, unsure), without(now.Interfaces, unsure))
	if !whole {
		return
	}
	c.value(ClassIdentity, "name", old.Name, now.Name)
	c.views(ClassAuth, "auth", authView(old.Auth), authView(now.Auth))
	c.value(ClassTerms, "limits", set(old.Limits), set(now.Limits))
	c.value(ClassTerms, "status", status(old.Status), status(now.Status))
	c.value(ClassText, "description", old.Description, now.Description)
}

// unsure adds the addresses of interfaces that come, in part at least, from a
// document that the other side could not ask.
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

// without drops the interfaces at some addresses.
func without(list []wayfind.Interface, addresses map[string]bool) []wayfind.Interface {
	return slices.DeleteFunc(slices.Clone(list), func(f wayfind.Interface) bool { return addresses[address(f)] })
}
