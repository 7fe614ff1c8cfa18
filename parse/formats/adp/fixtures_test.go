package adp_test

import (
	"fmt"
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
		return golden.JSON(t, view{Services: []wayfind.Service{{Auth: s.Auth, Extensions: s.Extensions}}, Diagnostics: lines(r.Diagnostics)})
	}
	in := document(f.Data)
	if format.Match(in).Level == parse.Exact {
		r, err := format.Parse(in)
		return golden.JSON(t, show(in, r, err))
	}
	r, err := format.Detail(in, subjectOf(t, manifest, strings.TrimSuffix(f.Name, ".json")))
	return golden.JSON(t, show(in, r, err))
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
	golden.Archives(t, func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte {
		var manifest []byte
		for _, other := range archive.Files {
			if other.Name == "manifest.json" {
				manifest = other.Data
			}
		}
		return readFixture(t, f, manifest)
	})
}
