package diff

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
)

func TestEveryFieldOfTheModelIsListed(t *testing.T) {
	for typ, parts := range map[reflect.Type]map[string]part{
		reflect.TypeFor[wayfind.Service]():    serviceParts(),
		reflect.TypeFor[wayfind.Capability](): capabilityParts(),
	} {
		var fields []string
		for field := range typ.Fields() {
			fields = append(fields, field.Name)
		}
		slices.Sort(fields)
		if listed := slices.Sorted(maps.Keys(parts)); !slices.Equal(fields, listed) {
			t.Errorf("%v has the fields %q and the list has %q; add a new field with its class, or with the reason why it is left out", typ, fields, listed)
		}
		for name, p := range parts {
			if kinds := btoi(p.class != "") + btoi(p.own) + btoi(p.leftOut != ""); kinds != 1 {
				t.Errorf("%v.%s is compared in %d ways", typ, name, kinds)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAChangeInAnyFieldIsSeen(t *testing.T) {
	service := full(reflect.TypeFor[wayfind.Service]()).Interface().(wayfind.Service)
	capability := full(reflect.TypeFor[wayfind.Capability]()).Interface().(wayfind.Capability)
	service.Capabilities = []wayfind.Capability{capability}
	site := func() *wayfind.Site {
		own := service
		own.Capabilities = slices.Clone(service.Capabilities)
		return &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{own}}
	}
	old := site()
	look := func(path string) {
		if Sites(old, site()).Empty() {
			t.Errorf("a change in %s is not seen", path)
		}
	}
	seen := alter(reflect.ValueOf(&service).Elem(), "Service", serviceParts(), look)
	seen += alter(reflect.ValueOf(&service.Capabilities[0]).Elem(), "Capability", capabilityParts(), look)
	if seen < 150 {
		t.Errorf("%d fields were changed", seen)
	}
	if d := Sites(old, site()); !d.Empty() {
		t.Errorf("unchanged: %+v", d)
	}
}

// full returns a value with content in each field.
func full(typ reflect.Type) reflect.Value {
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			if name := typ.Field(i).Name; name != "Capabilities" && name != "Alternatives" {
				v.Field(i).Set(full(typ.Field(i).Type))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(typ.Elem()))
		v.Elem().Set(full(typ.Elem()))
	case reflect.Slice:
		if typ == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"k":1}`))
			break
		}
		v.Set(reflect.Append(v, full(typ.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(typ))
		v.SetMapIndex(reflect.ValueOf("k").Convert(typ.Key()), full(typ.Elem()))
	case reflect.String:
		v.SetString("k")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
	return v
}

// alter changes a value in one place after another, calls look after each change, and undoes
// the change. Fields that parts leaves out are not changed.
func alter(v reflect.Value, path string, parts map[string]part, look func(string)) (places int) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	defer v.Set(before)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if p := parts[name]; p.leftOut == "" && name != "Capabilities" && name != "Alternatives" && name != "Sources" && name != "Defaulted" {
				places += alter(v.Field(i), path+"."+name, nil, look)
			}
		}
		return places
	case reflect.Pointer:
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		return alter(own.Elem(), path, nil, look)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"k":2}`))
			break
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		v.Index(0).Set(before.Index(0))
		return alter(v.Index(0), path, nil, look)
	case reflect.Map:
		key := before.MapKeys()[0]
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(before.MapIndex(key))
		return alter(value, path, nil, func(path string) {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
			look(path)
		})
	case reflect.String:
		v.SetString("other")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1_000_000_000)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	}
	look(path)
	return 1
}
