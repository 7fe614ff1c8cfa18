// Package uritemplate expands URI templates of all four levels (RFC 6570), and
// writes values by the table that they are defined by.
//
//	t, err := uritemplate.Parse("/search{?q,lang}")
//	text, err := t.Expand(func(name string) uritemplate.Value { … })
//
// A [Style] is a row of the table of RFC 6570, appendix A. The styles of OpenAPI are
// rows too, with other delimiters.
//
// Text comes out as UTF-8, percent-encoded: no value can become a
// delimiter, but for reserved expansion, which is there to let it. A caller who must
// keep a value inside its segment looks at the result again.
package uritemplate
