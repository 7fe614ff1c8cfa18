// Package uritemplate expands URI templates of all four levels (RFC 6570), and writes values by
// the table that defines them.
//
//	t, err := uritemplate.Parse("/search{?q,lang}")
//	text, err := t.Expand(func(name string) uritemplate.Value { … })
//
// A [Style] is a row of the table in RFC 6570, appendix A. The styles of OpenAPI are further
// rows with other delimiters.
//
// The result is percent-encoded UTF-8. A value cannot become a delimiter, except in a reserved
// expansion, whose purpose this is. A caller who must keep a value inside its segment has to
// check the result.
package uritemplate
