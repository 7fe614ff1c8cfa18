package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// byName maps the things in a list by name. If a name occurs again, the thing gets another key.
func byName[T any](list []T, name func(T) string) map[string]T {
	found := make(map[string]T, len(list))
	for i, v := range list {
		k := name(v)
		if _, taken := found[k]; taken {
			k = fmt.Sprintf("%s %d", k, i)
		}
		found[k] = v
	}
	return found
}

// listOf decodes a list that Sites wrote.
func listOf[T any](raw json.RawMessage) []T {
	if list := of[[]T](raw); list != nil {
		return *list
	}
	return nil
}

// inBoth calls a function for each name in either of two maps, in order.
func inBoth[T any](old, now map[string]T, visit func(a, b T, inOld, inNew bool)) {
	names := maps.Clone(old)
	if names == nil {
		names = map[string]T{}
	}
	maps.Copy(names, now)
	for _, k := range slices.Sorted(maps.Keys(names)) {
		a, inOld := old[k]
		b, inNew := now[k]
		visit(a, b, inOld, inNew)
	}
}

// paramReasons compares the inputs of a call. A new optional input is not a risk.
func (x *values) paramReasons(c Change) (reasons []Reason) {
	name := func(p wayfind.Param) string { return p.In + " " + p.Name }
	needed := func(p wayfind.Param) bool { return p.In == "path" || p.Required != nil && *p.Required }
	inBoth(byName(listOf[wayfind.Param](c.Old), name), byName(listOf[wayfind.Param](c.New), name), func(a, b wayfind.Param, inOld, inNew bool) {
		switch {
		case !inOld && needed(b):
			reasons = append(reasons, more("an input is required that was not"))
		case !inNew:
			reasons = append(reasons, less("an input is not asked for any more"))
		case !inOld:
		default:
			reasons = append(reasons, needReasons(needed(a), needed(b))...)
			reasons = append(reasons, x.schemaReasons(x.decode(a.Schema), x.decode(b.Schema), true)...)
			for _, p := range []*wayfind.Param{&a, &b} {
				p.Description, p.Raw, p.Example, p.Confidence, p.Defaulted, p.Required, p.Schema = "", "", nil, nil, nil, nil, nil
			}
			if x.meaning(a) != x.meaning(b) {
				reasons = append(reasons, unlike("an input takes other values"))
			}
		}
	})
	return reasons
}

// needReasons compares whether something is required.
func needReasons(old, now bool) []Reason {
	switch {
	case now && !old:
		return []Reason{more("an input is required that was not")}
	case old && !now:
		return []Reason{less("an input is not required any more")}
	}
	return nil
}

// schemaReasons compares the requirements of a schema for inputs (if in is true), or its
// statements about outputs.
func (x *values) schemaReasons(old, now any, in bool) []Reason {
	return x.memberReasons(plainNumbers(x.schema(old, false)), plainNumbers(x.schema(now, false)), in)
}

// memberReasons is like schemaReasons for schemas in which the order no longer matters.
func (x *values) memberReasons(a, b any, in bool) []Reason {
	x.work.Add(1)
	was, okA := a.(map[string]any)
	is, okB := b.(map[string]any)
	switch {
	case okA && okB:
		return append(x.propertyReasons(was, is, in), x.restReasons(was, is, in)...)
	case !okA && !okB && reflect.DeepEqual(a, b):
		return nil
	case a == nil && okB && (!in || len(required(is)) == 0):
		return nil // no new input is required
	case a == nil && okB:
		return []Reason{more("an input is required that was not")}
	}
	return []Reason{unlike(otherValues(in))}
}

// otherValues returns the text for a schema that differs.
func otherValues(in bool) string {
	if in {
		return "an input takes other values"
	}
	return "its output is another one"
}

// required returns the names of the required members.
func required(schema map[string]any) map[string]any {
	names := map[string]any{}
	list, _ := schema["required"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			names[name] = nil
		}
	}
	return names
}

// propertyReasons compares the members of objects.
func (x *values) propertyReasons(was, is map[string]any, in bool) (reasons []Reason) {
	before, _ := was["properties"].(map[string]any)
	after, _ := is["properties"].(map[string]any)
	neededThen, neededNow := required(was), required(is)
	names := map[string]any{}
	for _, m := range []map[string]any{before, after, neededThen, neededNow} {
		maps.Copy(names, m)
	}
	x.work.Add(len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inOld := before[name]
		b, inNew := after[name]
		_, then := neededThen[name]
		_, now := neededNow[name]
		switch {
		case in:
			reasons = append(reasons, needReasons(then, now)...)
		case then && !now:
			reasons = append(reasons, unlike(otherValues(in)))
		}
		switch {
		case inOld && inNew:
			reasons = append(reasons, x.memberReasons(a, b, in)...)
		case inOld && in:
			reasons = append(reasons, less("an input is not asked for any more"))
		case inOld:
			reasons = append(reasons, unlike(otherValues(in)))
		}
	}
	return reasons
}

// restReasons compares the statements of a schema other than its members.
func (x *values) restReasons(was, is map[string]any, in bool) []Reason {
	bare := func(schema map[string]any) map[string]any {
		own := maps.Clone(schema)
		delete(own, "properties")
		delete(own, "required")
		return own
	}
	if x.meaning(bare(was)) != x.meaning(bare(is)) {
		return []Reason{unlike(otherValues(in))}
	}
	return nil
}

// interfaceReasons compares the ways to talk to a service.
func interfaceReasons(c Change) (reasons []Reason) {
	old, now := listOf[wayfind.Interface](c.Old), listOf[wayfind.Interface](c.New)
	places := func(list []wayfind.Interface) (urls []string) {
		for _, f := range list {
			urls = append(urls, f.URL+f.Template)
		}
		return urls
	}
	if lacks(origins(places(old)), origins(places(now))) {
		reasons = append(reasons, more("there is an interface at another origin"))
	}
	inBoth(byName(old, address), byName(now, address), func(a, b wayfind.Interface, inOld, inNew bool) {
		switch {
		case !inNew:
			reasons = append(reasons, less("an interface is gone"))
		case !inOld:
			reasons = append(reasons, more("there is another interface"))
		default:
			reasons = append(reasons, unlike("an interface is another one"))
			if a.Trust != b.Trust {
				reasons = append(reasons, trustReasons(a.Trust, b.Trust)...)
			}
		}
	})
	return reasons
}

// interfaceAuthReasons compares how to authenticate at interfaces.
func (x *values) interfaceAuthReasons(c Change) (reasons []Reason) {
	type at struct {
		Protocol, URL string
		Auth          *wayfind.Auth
	}
	name := func(v at) string { return v.Protocol + " " + v.URL }
	inBoth(byName(listOf[at](c.Old), name), byName(listOf[at](c.New), name), func(a, b at, _, _ bool) {
		reasons = append(reasons, x.authReasons(a.Auth, b.Auth)...)
	})
	return reasons
}

// authReasons compares how to authenticate. If a credential becomes required, or is no longer
// required, the two are incomparable: one reveals something, and the other protects less.
func (x *values) authReasons(old, now *wayfind.Auth) []Reason {
	a, b := x.needs(old), x.needs(now)
	if len(a) == 0 || len(b) == 0 {
		if len(a) == len(b) && x.meaning(old) == x.meaning(now) {
			return nil
		}
		return []Reason{unlike("whether a credential is asked for is another thing")}
	}
	var reasons []Reason
	if lacks(receivers(old), receivers(now)) {
		reasons = append(reasons, more("a credential goes to another origin"))
	}
	inBoth(a, b, func(was, is []string, inOld, inNew bool) {
		switch {
		case !inOld:
			reasons = append(reasons, more("there is another way to authenticate"))
		case !inNew:
			reasons = append(reasons, less("there is one way less to authenticate"))
		default:
			reasons = append(reasons, setReasons(was, is, "more scopes are asked for", "fewer scopes are asked for")...)
		}
	})
	if reasons == nil && x.authView(old).bare != x.authView(now).bare {
		reasons = append(reasons, unlike("a credential is sent in another way"))
	}
	return reasons
}

// needs returns the alternatives of an Auth with their scopes, by schemes. It returns nil if
// one alternative needs no credential.
func (x *values) needs(a *wayfind.Auth) map[string][]string {
	if a == nil {
		return nil
	}
	found := map[string][]string{}
	for _, alternative := range a.Requirements {
		var schemes, scopes []string
		for _, r := range alternative {
			if a.Schemes[r.Scheme].Kind == wayfind.SchemeNone {
				continue
			}
			schemes = append(schemes, r.Scheme)
			for _, s := range r.Scopes {
				scopes = append(scopes, r.Scheme+" "+s)
			}
		}
		if len(schemes) == 0 {
			return nil // calls need no credential
		}
		found[x.sorted(schemes, true)] = scopes
	}
	return found
}

// receivers returns the origins that receive data about a credential when it is created.
func receivers(a *wayfind.Auth) []string {
	var list []string
	if r := a.Registration; r != nil {
		list = append(list, r.Endpoint, r.Claim)
	}
	for _, s := range a.Schemes {
		for _, f := range s.Flows {
			list = append(list, f.AuthorizationURL, f.TokenURL, f.RefreshURL, f.DeviceAuthorizationURL)
		}
	}
	return origins(list)
}

// artifactReasons compares files. If the digests do not prove that a file is the same, it is
// treated as another file.
func artifactReasons(old, now *wayfind.Artifact) []Reason {
	switch {
	case old == nil || now == nil:
		return []Reason{unlike("it consists of a file, and did not before or does not any more")}
	case old.SHA256 != "" && old.SHA256 == now.SHA256:
		return placeReasons([]string{old.URL}, []string{now.URL}, "its file is read from another origin", "its file is at another place")
	}
	return []Reason{unlike("it consists of another file")}
}
