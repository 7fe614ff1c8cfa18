package llmstxt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/llmstxt"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string            `json:"claim"`
	Authority   wayfind.Authority `json:"authority"`
	Unusable    string            `json:"unusable,omitempty"`
	Services    []wayfind.Service `json:"services,omitempty"`
	Documents   []string          `json:"documents,omitempty"`
	Links       []string          `json:"links,omitempty"`
	Diagnostics []string          `json:"diagnostics,omitempty"`
}

// Each archive in testdata holds files and, behind each, what is read from it
// as a file of shop.example. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		body := strings.NewReplacer(`\ufeff`, "\ufeff", `\r`, "\r").Replace(string(f.Data))
		r := read(t, body)
		v := view{
			Claim:     []string{"none", "likely", "exact"}[llmstxt.Format().Match(&parse.Input{Body: []byte(body)}).Level],
			Authority: r.Authority, Unusable: r.Unusable, Services: r.Services,
		}
		for _, d := range r.Documents {
			optional := map[bool]string{true: ", optional"}[d.Optional]
			v.Documents = append(v.Documents, fmt.Sprintf("line %d: %s: %s %q in %q%s: %q", d.Sources[0].Line, d.Rel, d.URL, d.Title, d.Section, optional, d.Description))
		}
		for _, l := range r.Links {
			v.Links = append(v.Links, strings.TrimSpace(l.Role+" "+l.URLs[0]+" "+l.Format))
		}
		for _, d := range r.Diagnostics {
			v.Diagnostics = append(v.Diagnostics, fmt.Sprintf("%s %s %s line %d: %s", d.Severity, d.Code, d.Spec.Section, d.Line, d.Message))
		}
		return golden.JSON(t, v)
	})
}
