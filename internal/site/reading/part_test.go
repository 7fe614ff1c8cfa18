package reading

import (
	"reflect"
	"testing"
)

// A reading that is not located cannot be opened outside of this package, or turned into a located
// one: the compiler enforces the order of the steps.
func TestOnlyLocatedReadingsAreOpen(t *testing.T) {
	located := reflect.TypeFor[Located]()
	for _, typ := range []reflect.Type{reflect.TypeFor[raw](), reflect.TypeFor[Clean](), reflect.TypeFor[part](), reflect.TypeFor[Contents](), reflect.TypeFor[Detail]()} {
		if typ.ConvertibleTo(located) || typ.AssignableTo(located) {
			t.Errorf("%v becomes a located reading by a conversion", typ)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Clean](), reflect.TypeFor[Contents]()} {
		for _, f := range reflect.VisibleFields(typ) {
			if f.IsExported() && (len(f.Index) == 1 || promoted(typ, f.Index)) {
				t.Errorf("%v shows its field %s", typ, f.Name)
			}
		}
	}
}

// promoted reports whether all fields on the way are embedded.
func promoted(typ reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		f := typ.Field(i)
		if !f.Anonymous {
			return false
		}
		typ = f.Type
	}
	return true
}
