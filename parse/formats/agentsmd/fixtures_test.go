package agentsmd_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/agentsmd"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string            `json:"claim"`
	Version     string            `json:"version,omitempty"`
	Authority   wayfind.Authority `json:"authority,omitempty"`
	Unusable    string            `json:"unusable,omitempty"`
	Error       string            `json:"error,omitempty"`
	Services    []wayfind.Service `json:"services,omitempty"`
	Policies    []wayfind.Policy  `json:"policies,omitempty"`
	Diagnostics []string          `json:"diagnostics,omitempty"`
}

func show(in *parse.Input) view {
	claim := agentsmd.Format().Match(in)
	v := view{Claim: strings.TrimSpace([]string{"none", "likely", "exact"}[claim.Level] + " " + claim.Dialect)}
	r, err := agentsmd.Format().Parse(in)
	if err != nil {
		v.Error = err.Error()
		return v
	}
	v.Version, v.Authority, v.Unusable, v.Services, v.Policies = r.Version, r.Authority, r.Unusable, r.Services, r.Policies
	for _, d := range r.Diagnostics {
		v.Diagnostics = append(v.Diagnostics, fmt.Sprintf("%s %s %s line %d: %s", d.Severity, d.Code, d.Spec.Section, d.Line, d.Message))
	}
	return v
}

// codeOf returns the code of an error, "" for any other.
func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}

// Each archive in testdata holds documents and, behind each, what is read from
// it as a file of shop.example. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	at, err := url.Parse("https://shop.example/.well-known/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		return golden.JSON(t, show(&parse.Input{URL: at, FinalURL: at, MediaType: "text/markdown", Body: f.Data}))
	})
}
