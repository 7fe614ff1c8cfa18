package schema

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Dialect is the set of rules of a schema.
type Dialect string

// The dialects. The schemas of OpenAPI 3.1 and of MCP are 2020-12.
const (
	Unknown     Dialect = "" // determined by "$schema", otherwise guessed from the keywords
	Draft3      Dialect = "draft-03"
	Draft4      Dialect = "draft-04"
	Draft6      Dialect = "draft-06"
	Draft7      Dialect = "draft-07"
	Draft201909 Dialect = "2019-09"
	Draft202012 Dialect = "2020-12"
	OpenAPI20   Dialect = "swagger2"
	OpenAPI30   Dialect = "oas3.0"
	OpenAPI31   Dialect = "oas3.1"
)

// rank orders the dialects of JSON Schema. The dialects of OpenAPI before 3.1 are based on
// draft 4, and have few of its keywords.
func (d Dialect) rank() int {
	switch d {
	case Draft3:
		return 3
	case Draft4, OpenAPI20, OpenAPI30:
		return 4
	case Draft6:
		return 6
	case Draft7:
		return 7
	case Draft201909:
		return 2019
	}
	return 2020
}

// openAPI reports whether a dialect has a separate keyword for null.
func (d Dialect) openAPI() bool { return d == OpenAPI20 || d == OpenAPI30 }

// named returns the dialect for the value of "$schema", and whether it is known.
func named(uri string) (Dialect, bool) {
	uri = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://"), "#")
	switch uri {
	case "json-schema.org/draft-03/schema":
		return Draft3, true
	case "json-schema.org/draft-04/schema":
		return Draft4, true
	case "json-schema.org/draft-06/schema":
		return Draft6, true
	case "json-schema.org/draft-07/schema":
		return Draft7, true
	case "json-schema.org/draft/2019-09/schema":
		return Draft201909, true
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return Draft202012, true
	case "spec.openapis.org/oas/3.1/dialect/base", "spec.openapis.org/oas/3.2/dialect/base":
		return OpenAPI31, true
	}
	return Unknown, false
}

// sniff guesses the dialect of a schema by the first keyword that only one family has. It
// examines every value once.
func (r *reader) sniff(n jsonscan.Node) Dialect {
	r.count.Add(1 + n.Len())
	for name, v := range n.Members() {
		switch {
		case (name == "exclusiveMinimum" || name == "exclusiveMaximum") && v.Kind() == jsonscan.Bool,
			name == "nullable" && v.Kind() == jsonscan.Bool:
			return OpenAPI30
		case name == "definitions" && v.Kind() == jsonscan.Object,
			name == "items" && v.Kind() == jsonscan.Array:
			return Draft7
		}
	}
	for i := range n.Len() {
		if c := n.Child(i); c.Len() > 0 {
			if d := r.sniff(c); d != Unknown {
				return d
			}
		}
	}
	return Unknown
}
