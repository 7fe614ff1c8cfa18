// Package formatschema holds a JSON Schema (2020-12) of each format that is JSON, for editors.
//
// The schemas are made from the code that reads the formats: a test lets each format read its
// documents, notes which members it looks up, and writes the files of this package. A schema is
// open: a member that the format does not know is allowed.
package formatschema

import (
	"embed"
	"path"
	"slices"
	"strings"
)

//go:embed schemas
var files embed.FS

// Of returns the schema of a format, or nil if its documents are not JSON.
func Of(format string) []byte {
	text, err := files.ReadFile(path.Join("schemas", format+".json"))
	if err != nil {
		return nil
	}
	return text
}

// Names returns the formats that have a schema, sorted.
func Names() (names []string) {
	entries, _ := files.ReadDir("schemas") // it is embedded
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(names)
	return names
}
