package agentsmd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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
				got := marshal(t, show(&parse.Input{URL: at, FinalURL: at, MediaType: "text/markdown", Body: f.Data}))
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
