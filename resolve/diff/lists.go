package diff

import (
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// items compares lists of named things, and lists the things that differ in meaning and,
// separately, those that differ only in texts.
func items[T any](c *comparison, class Class, field string, old, now []T, name func(T) string, look func(T) view) {
	if !c.merged && (len(old) == 0 || len(now) == 0) {
		return // see views
	}
	c.work.Add(len(old) + len(now))
	before, names := index(old, name, look)
	after, more := index(now, name, look)
	for _, k := range more {
		if _, both := before[k]; !both {
			names = append(names, k)
		}
	}
	differing := map[Class]*[2][]any{class: {}, ClassText: {}}
	for _, k := range names {
		a, inOld := before[k]
		b, inNew := after[k]
		which, differs := class, true
		if inOld && inNew {
			which, differs = a.differs(b, class)
		}
		if inOld && differs {
			differing[which][0] = append(differing[which][0], a.shown)
		}
		if inNew && differs {
			differing[which][1] = append(differing[which][1], b.shown)
		}
	}
	for _, which := range []Class{class, ClassText} {
		if d := differing[which]; len(d[0])+len(d[1]) > 0 {
			c.change(which, field, d[0], d[1])
		}
	}
}

// index maps things by name. If a name occurs again, it is a different thing.
func index[T any](list []T, name func(T) string, look func(T) view) (at map[string]view, names []string) {
	at = make(map[string]view, len(list))
	count := make(map[string]int, len(list))
	for _, item := range list {
		k := name(item)
		count[k]++
		k = fmt.Sprintf("%s %d", k, count[k])
		at[k] = look(item)
		names = append(names, k)
	}
	return at, names
}

// params compares the inputs of a call. Their order is ignored.
func (c *comparison) params(old, now []wayfind.Param) {
	type contract struct {
		wayfind.Param
		Enum   any `json:"enum,omitempty"`
		Schema any `json:"schema,omitempty"`
	}
	items(c, ClassContract, "params", old, now, func(p wayfind.Param) string { return p.In + " " + p.Name }, func(p wayfind.Param) view {
		p.Defaulted = nil
		schema := c.schemaView(p.Schema)
		whole := contract{p, set(c.values, p.Enum), schema.whole}
		bare := contract{p, whole.Enum, schema.bare}
		bare.Description, bare.Raw, bare.Example, bare.Confidence = "", "", nil, nil
		return view{p, c.meaning(whole), c.meaning(bare)}
	})
}

// interfaces compares the ways to talk to a service, and how to authenticate at the interfaces
// that both Sites have.
func (c *comparison) interfaces(old, now []wayfind.Interface) {
	items(c, ClassEndpoint, "interfaces", old, now, address, func(f wayfind.Interface) view {
		f.Auth, f.Sources, f.Defaulted = nil, nil, nil
		bare := f
		bare.Variables = untold(f.Variables)
		return view{f, c.meaning(f), c.meaning(bare)}
	})
	items(c, ClassAuth, "interfaces.auth", both(old, now), both(now, old), address, func(f wayfind.Interface) view {
		v := c.authView(f.Auth)
		v.shown = struct {
			Protocol string `json:"protocol"`
			URL      string `json:"url"`
			Auth     any    `json:"auth"`
		}{f.Protocol, f.URL + f.Template, v.shown}
		return v
	})
}

// installs compares the software that a document asks the caller to run.
func (c *comparison) installs(old, now []wayfind.LocalInstall) {
	items(c, ClassEndpoint, "localInstall", old, now, software, func(l wayfind.LocalInstall) view {
		l.Sources = nil
		bare := l
		bare.Inputs = untold(l.Inputs)
		return view{l, c.meaning(l), c.meaning(bare)}
	})
}

// software identifies the package or command of an installation.
func software(l wayfind.LocalInstall) string { return l.Kind + " " + l.Name }

// untold returns variables without their descriptions.
func untold(list []wayfind.Variable) (bare []wayfind.Variable) {
	for _, v := range list {
		v.Description = ""
		bare = append(bare, v)
	}
	return bare
}

// address identifies an interface.
func address(f wayfind.Interface) string { return f.Protocol + " " + f.URL + f.Template }

// both returns the interfaces in list that are also in other.
func both(list, other []wayfind.Interface) []wayfind.Interface {
	there := map[string]bool{}
	for _, f := range other {
		there[address(f)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(f wayfind.Interface) bool { return !there[address(f)] })
}

// effects ignores which values follow from the method. It returns nil for Effects without a
// statement.
func (x *values) effects(e *wayfind.Effects) any {
	if e == nil {
		return nil
	}
	bare := *e
	bare.Defaulted = nil
	if x.meaning(bare) == "{}" {
		return nil
	}
	return bare
}

// status ignores the order of the degraded parts.
func status(s *wayfind.Status) any {
	if s == nil {
		return nil
	}
	bare := *s
	bare.Degraded = sorted(s.Degraded)
	return bare
}
