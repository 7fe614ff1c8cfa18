package reading

import (
	"cmp"
	"reflect"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// structPlan lists the fields to clean in a struct type.
type structPlan struct {
	fields []fieldPlan // those that may hold a string
	// name and suspicious are the fields of these names; nil if there is no such field.
	name, suspicious []int
}

// fieldPlan is one field to clean.
type fieldPlan struct {
	index int
	label string // for diagnostics: the JSON name
	mode  string // the tag "clean"
	value bool   // another member is the name of its value
}

// plans returns the plans of all struct types of a reading.
var plans = sync.OnceValue(func() map[reflect.Type]*structPlan {
	p := planner{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[wayfind.Source](), reflect.TypeFor[parse.Link](), reflect.TypeFor[wayfind.Diagnostic](),
		reflect.TypeFor[wayfind.Service](), reflect.TypeFor[wayfind.Policy](), reflect.TypeFor[wayfind.Document](),
	} {
		p.holdsText(t)
	}
	return p
})

// planner collects the plans of the types that it has seen.
type planner map[reflect.Type]*structPlan

// holdsText reports whether a value of a type may hold a string, and makes plans for the structs on
// the way.
func (p planner) holdsText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Pointer:
		return p.holdsText(t.Elem())
	case reflect.Slice:
		return t == rawJSON || p.holdsText(t.Elem())
	case reflect.Map:
		p.holdsText(t.Elem())
		return t.Key().Kind() == reflect.String
	case reflect.Struct:
		return p.plan(t)
	}
	return false
}

// plan makes the plan of a struct type. It returns true for a type that is being planned.
func (p planner) plan(t reflect.Type) bool {
	if have := p[t]; have != nil {
		return true
	}
	own := &structPlan{}
	p[t] = own
	if f, ok := t.FieldByName("Name"); ok && f.Type.Kind() == reflect.String {
		own.name = f.Index
	}
	if f, ok := t.FieldByName("Suspicious"); ok {
		own.suspicious = f.Index
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || !p.holdsText(f.Type) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		own.fields = append(own.fields, fieldPlan{
			index: i, label: cmp.Or(name, f.Name), mode: f.Tag.Get("clean"), value: isValueName(f.Name),
		})
	}
	return len(own.fields) > 0
}
