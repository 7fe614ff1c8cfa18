package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// schema is one kind of object that the command prints for programs.
type schema struct {
	name  string // "wayfind/site/1"
	by    string // the commands that print it
	about string
	value any // a value of the type that has its members
}

// schemas returns all schemas. Members are only ever added to a schema. Any other change gives it
// the next number.
func schemas() []schema {
	return slices.Concat(resolveSchemas(), batchSchemas(), searchSchemas(), parseSchemas(), lintSchemas(), checkSchemas(), watchSchemas(), keysSchemas(), cacheSchemas(), toolsSchemas(), serveSchemas(), errorSchemas())
}

// errorSchemas returns the schema of an error without a result.
func errorSchemas() []schema {
	return []schema{
		{name: "wayfind/error/1", by: "all commands", about: "Nothing but an error.", value: failed{}},
	}
}

// Schemas of files that are read again.
const (
	schemaSite   = "wayfind/site/1"
	schemaResult = "wayfind/result/1"
	schemaCheck  = "wayfind/check/1"
)

// checkSchema compares the schema of a file with the expected one. It returns other for a file of
// anything else.
func checkSchema(have, want string, other error) error {
	switch kind := want[:strings.LastIndex(want, "/")+1]; {
	case have == want:
		return nil
	case strings.HasPrefix(have, kind):
		return fmt.Errorf("the schema is %+.40q, and this version of wayfind reads %q: use the one that wrote the file", have, want)
	}
	return other
}

// schemaOf returns the name of the schema of a value.
func schemaOf(list []schema, v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wayfind.Site]() {
		return schemaSite // a Site without remembered answers
	}
	for _, s := range list {
		if reflect.TypeOf(s.value) == t {
			return s.name
		}
	}
	panic("no schema has the type " + t.String())
}
