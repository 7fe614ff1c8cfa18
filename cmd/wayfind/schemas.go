package main

import (
	"slices"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/bulk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/cache"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/check"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/keys"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/lint"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/parse"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/resolve"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/search"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/serve"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/watch"
)

// schemas returns all schemas. Members are only ever added to a schema. Any other change gives it
// the next number.
func schemas() []ui.Schema {
	return slices.Concat(resolve.Schemas(), bulk.Schemas(), search.Schemas(), parse.Schemas(), lint.Schemas(), check.Schemas(), call.Schemas(), watch.Schemas(), keys.Schemas(), cache.Schemas(), tools.Schemas(), serve.Schemas(), errorSchemas())
}

// errorSchemas returns the schema of an error without a result.
func errorSchemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/error/1", By: "all commands", About: "Nothing but an error.", Value: ui.Failed{}},
	}
}
