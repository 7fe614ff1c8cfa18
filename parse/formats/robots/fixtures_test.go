package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string             `json:"claim"`
	Unusable    string             `json:"unusable,omitempty"`
	Policies    []wayfind.Policy   `json:"policies,omitempty"`
	Documents   []wayfind.Document `json:"documents,omitempty"`
	Links       []parse.Link       `json:"links,omitempty"`
	Diagnostics []string           `json:"diagnostics,omitempty"`
}

// Each archive in testdata holds files and, behind each, what is read from it.
// -update rewrites the latter.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		body := strings.NewReplacer(`\ufeff`, "\ufeff", `\0`, "\x00", `\xe9`, "\xe9", `\r`, "\r").Replace(string(f.Data))
		r := read(t, body)
		v := view{
			Claim:    []string{"none", "likely", "exact"}[robots.Format().Match(served(t, body)).Level],
			Unusable: r.Unusable, Policies: r.Policies, Documents: r.Documents, Links: r.Links,
		}
		for _, d := range r.Diagnostics {
			v.Diagnostics = append(v.Diagnostics, fmt.Sprintf("%s %s %s line %d: %s", d.Severity, d.Code, d.Spec.Section, d.Line, d.Message))
		}
		return golden.JSON(t, v)
	})
}
