package ui

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Schema is one kind of object that the command prints for programs.
type Schema struct {
	Name  string // "wayfind/site/1"
	By    string // the commands that print it
	About string
	Value any // a value of the type that has its members
}

// Schemas of files that are read again.
const (
	SchemaSite   = "wayfind/site/1"
	SchemaResult = "wayfind/result/1"
	SchemaCheck  = "wayfind/check/1"
)

// CheckSchema compares the schema of a file with the expected one. It returns other for a file of
// anything else.
func CheckSchema(have, want string, other error) error {
	switch kind := want[:strings.LastIndex(want, "/")+1]; {
	case have == want:
		return nil
	case strings.HasPrefix(have, kind):
		return fmt.Errorf("the schema is %+.40q, and this version of wayfind reads %q: use the one that wrote the file", have, want)
	}
	return other
}

// SchemaOf returns the name of the schema of a value.
func SchemaOf(list []Schema, v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wayfind.Site]() {
		return SchemaSite // a Site without remembered answers
	}
	for _, s := range list {
		if reflect.TypeOf(s.Value) == t {
			return s.Name
		}
	}
	panic("no schema has the type " + t.String())
}
