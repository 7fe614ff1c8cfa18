package adp_test

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
	"github.com/wayfindhq/wayfind/parse/formats/adp"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string            `json:"claim,omitempty"`
	Version     string            `json:"version,omitempty"`
	Unusable    string            `json:"unusable,omitempty"`
	Error       string            `json:"error,omitempty"`
	Services    []wayfind.Service `json:"services,omitempty"`
	Links       []string          `json:"links,omitempty"`
	Diagnostics []string          `json:"diagnostics,omitempty"`
}

func show(in *parse.Input, r *parse.Reading, err error) view {
	claim := adp.Format().Match(in)
	v := view{Claim: strings.TrimSpace([]string{"none", "likely", "exact"}[claim.Level] + " " + claim.Dialect)}
	if err != nil {
		v.Error = err.Error()
		return v
	}
	v.Version, v.Unusable, v.Services = r.Version, r.Unusable, r.Services
	for _, l := range r.Links {
		v.Links = append(v.Links, fmt.Sprintf("%s %s %s lazy=%t: %s", l.Format, l.Role, l.Subject, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	v.Diagnostics = lines(r.Diagnostics)
	return v
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

func document(body []byte) *parse.Input { return &parse.Input{Body: body} }

// readFixture makes the expectation of one document of an archive: a manifest,
// a detail document (about a capability of manifest.json, where its name is
// that of one), or an auth object, which is put into a manifest.
func readFixture(t *testing.T, f txtar.File, manifest []byte) []byte {
	t.Helper()
	format := adp.Format()
	if strings.HasSuffix(f.Name, ".auth") {
		body := fmt.Appendf(nil, `{"spec_version": "1.0", "name": "Postbox", "description": "Sends letters.",
			"base_url": "https://api.postbox.example", "auth": %s,
			"capabilities": [{"name": "a", "description": "x", "detail_url": "/a"}]}`, f.Data)
		r, err := format.Parse(document(body))
		if err != nil {
			t.Fatal(err)
		}
		s := r.Services[0]
		return marshal(t, view{Services: []wayfind.Service{{Auth: s.Auth, Extensions: s.Extensions}}, Diagnostics: lines(r.Diagnostics)})
	}
	in := document(f.Data)
	if format.Match(in).Level == parse.Exact {
		r, err := format.Parse(in)
		return marshal(t, show(in, r, err))
	}
	r, err := format.Detail(in, subjectOf(t, manifest, strings.TrimSuffix(f.Name, ".json")))
	return marshal(t, show(in, r, err))
}

// subjectOf is the capability of a manifest, the zero Subject without one.
func subjectOf(t *testing.T, manifest []byte, id string) parse.Subject {
	t.Helper()
	if manifest == nil {
		return parse.Subject{}
	}
	r, err := adp.Format().Parse(document(manifest))
	if err != nil {
		t.Fatal(err)
	}
	s := &r.Services[0]
	for i := range s.Capabilities {
		if s.Capabilities[i].ID == id {
			return parse.Subject{Service: s, Capability: &s.Capabilities[i]}
		}
	}
	return parse.Subject{}
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(golden.Read(t, path))
			want := map[string][]byte{}
			var manifest []byte
			for _, f := range archive.Files {
				if f.Name == "manifest.json" {
					manifest = f.Data
				}
				want[f.Name] = f.Data
			}
			updated := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				got := readFixture(t, f, manifest)
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
