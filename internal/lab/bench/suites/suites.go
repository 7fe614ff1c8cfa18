// Package suites contains the comparisons of internal/lab/bench/TABLES.md.
package suites

import "github.com/wayfindhq/wayfind/internal/lab/bench/measure"

// Suite is a set of comparisons.
type Suite struct {
	Name string
	// About describes the measured work, in lower case.
	About string
	Run   func(measure.Config) ([]*measure.Table, error)
}

// All returns all suites in the order in which they run.
func All() []Suite {
	return []Suite{
		{"hit", "a Resolve of a domain that is known", hit},
		{"transport", "a hit through http.RoundTripper", transportHits},
		{"cold", "a Resolve of a domain that is not", cold},
		{"parse", "documents, sound and hostile", documents},
		{"mem", "bytes and objects in memory", mem},
		{"redis", "a document in a Redis server", shared},
		{"tools", "from schemas of strangers to tools that are found", forModels},
		{"call", "a call of a tool compared with the request alone", calls},
		{"sweep", "many domains, with the server in a process of its own", sweep},
	}
}
