package main

import (
	"slices"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// schemas returns all schemas. Members are only ever added to a schema. Any other change gives it
// the next number.
func schemas() []ui.Schema {
	return slices.Concat(resolveSchemas(), batchSchemas(), searchSchemas(), parseSchemas(), lintSchemas(), checkSchemas(), watchSchemas(), keysSchemas(), cacheSchemas(), toolsSchemas(), serveSchemas(), errorSchemas())
}

// errorSchemas returns the schema of an error without a result.
func errorSchemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/error/1", By: "all commands", About: "Nothing but an error.", Value: ui.Failed{}},
	}
}
