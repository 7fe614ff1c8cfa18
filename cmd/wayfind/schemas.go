package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
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
	return []schema{
		{schemaSite, "`resolve`, `demo`", "One for each domain: its offers, the source of each fact, and the places that were asked. Beside an `error` it holds the facts that were learned all the same. All members but `remembered` are those of Go's `wayfind.Site`.", siteAnswer{}},
		{schemaResult, "`batch`, `crawl results`", "One for each line of the list. `site` is the last member.", result{}},
		{"wayfind/detail/1", "`describe`", "How to call one capability, or the description of one service.", wayfind.Detail{}},
		{"wayfind/hits/1", "`search`", "The answer of a registry. It is the registry's word, not that of the domains.", client.SearchResult{}},
		{"wayfind/document/1", "`parse`", "The content of one document. A document that no format reads is a result too: `verdict` and `reason` say why.", client.ParseResult{}},
		{"wayfind/lint/1", "`lint`", "One for each document: its faults, the worst first.", lintReport{}},
		{schemaCheck, "`check`", "The judgement of a site: the result of each check with its rule, the tools that an agent gets, the level and the steps to the next one.", sitecheck.Report{}},
		{"wayfind/diff/1", "`diff`", "The changes between two Sites. Without a change it has no other member.", diff.Result{}},
		{"wayfind/pins/1", "`pin`", "All pins, in the order of origin and key.", pinList{}},
		{"wayfind/pin-check/1", "`pin --check`, `diff --pins`", "The differences from pins. Without one it has no other member.", pins.Report{}},
		{"wayfind/formats/1", "`formats`", "Which formats are read, and where they are looked for.", formatList{}},
		{"wayfind/keys/1", "`keys`", "Two documents that the owner of a key publishes, and their places.", publication{}},
		{"wayfind/cache/1", "`cache stats`", "The stored answers in the directory.", cacheReport{}},
		{"wayfind/crawl/1", "`crawl status`", "How far a crawl is.", crawlReport{}},
		{"wayfind/cache-removal/1", "`cache rm`", "The answers and the obligations that were forgotten.", removal{}},
		{"wayfind/tools-report/1", "`tools --report`", "The capabilities that became no tool, and the rules that a vendor's format cannot express.", toolsReport{}},
		{"wayfind/serve/1", "`serve`", "The served sites, and the files and variables that lead clients to them. It is printed when the sites are up.", lead{}},
		{"wayfind/error/1", "all commands", "Nothing but an error.", failed{}},
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
func schemaOf(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wayfind.Site]() {
		return schemaSite // a Site without remembered answers
	}
	for _, s := range schemas() {
		if reflect.TypeOf(s.value) == t {
			return s.name
		}
	}
	panic("no schema has the type " + t.String())
}
