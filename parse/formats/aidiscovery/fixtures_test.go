package aidiscovery_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/aidiscovery"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string             `json:"claim,omitempty"`
	Dialect     string             `json:"dialect,omitempty"`
	Version     string             `json:"version,omitempty"`
	Unusable    string             `json:"unusable,omitempty"`
	Services    []wayfind.Service  `json:"services,omitempty"`
	Documents   []wayfind.Document `json:"documents,omitempty"`
	Params      []wayfind.Param    `json:"params,omitempty"`
	Diagnostics []string           `json:"diagnostics,omitempty"`
}

func show(in *parse.Input, r *parse.Reading) view {
	claim := aidiscovery.Format().Match(in)
	return view{
		Claim:   strings.TrimSpace([]string{"none", "likely", "exact"}[claim.Level] + " " + claim.Dialect),
		Dialect: r.Dialect, Version: r.Version, Unusable: r.Unusable,
		Services: r.Services, Documents: r.Documents, Diagnostics: lines(r.Diagnostics),
	}
}

func lines(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s %s: %s", d.Severity, d.Code, d.Spec.Section, d.Pointer, d.Message))
	}
	return list
}

// readFixture makes the expectation of one document of an archive: a whole one,
// or the params of a capability, which are put into one.
func readFixture(t *testing.T, f txtar.File) []byte {
	t.Helper()
	if strings.HasSuffix(f.Name, ".params") {
		r := read(t, with(t, object{"params": json.RawMessage(f.Data)}))
		return golden.JSON(t, view{Params: r.Services[0].Capabilities[0].Params, Diagnostics: lines(r.Diagnostics)})
	}
	in := document(t, f.Data)
	return golden.JSON(t, show(in, read(t, in)))
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte { return readFixture(t, f) })
}
