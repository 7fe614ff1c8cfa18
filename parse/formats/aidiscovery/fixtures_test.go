package aidiscovery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readFixture makes the expectation of one document of an archive: a whole one,
// or the params of a capability, which are put into one.
func readFixture(t *testing.T, f txtar.File) []byte {
	t.Helper()
	if strings.HasSuffix(f.Name, ".params") {
		r := read(t, with(t, object{"params": json.RawMessage(f.Data)}))
		return marshal(t, view{Params: r.Services[0].Capabilities[0].Params, Diagnostics: lines(r.Diagnostics)})
	}
	in := document(t, f.Data)
	return marshal(t, show(in, read(t, in)))
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(golden.Read(t, path))
			want := map[string][]byte{}
			for _, f := range archive.Files {
				want[f.Name] = f.Data
			}
			updated := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				got := readFixture(t, f)
				updated.Files = append(updated.Files, f, txtar.File{Name: f.Name + ".want", Data: got})
				if diff := golden.Diff(want[f.Name+".want"], got); diff != "" && !golden.Updating() {
					t.Errorf("%s: reading differs (-want +got; -update rewrites it):\n%s", f.Name, diff)
				}
			}
			if golden.Updating() {
				if err := os.WriteFile(path, txtar.Format(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
