package adp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

func show(t *testing.T, in *parse.Input, r *parse.Reading, err error) []byte {
	t.Helper()
	claim := formattest.ShowClaim(adp.Format().Match(in))
	if err != nil {
		return golden.Object(t, "claim", claim, "error", err.Error())
	}
	var links []string
	for _, l := range r.Links {
		links = append(links, fmt.Sprintf("%s %s %s lazy=%t: %s", l.Format, l.Role, l.Subject, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	return golden.Object(t, "claim", claim, "version", r.Version, "unusable", r.Unusable, "services", r.Services, "links", links, "diagnostics", lines(r.Diagnostics))
}

// readFixture returns the expected result for one document of an archive: a manifest, a detail
// document (of a capability in manifest.json, if its name is the name of one), or an auth
// object, which is put into a manifest.
func readFixture(t *testing.T, f txtar.File, manifest []byte) []byte {
	t.Helper()
	format := adp.Format()
	if strings.HasSuffix(f.Name, ".auth") {
		body := fmt.Appendf(nil, `{"spec_version": "1.0", "name": "Postbox", "description": "Sends letters.",
			"base_url": "https://api.postbox.example", "auth": %s,
			"capabilities": [{"name": "a", "description": "x", "detail_url": "/a"}]}`, f.Data)
		r := read(t, document(body))
		s := r.Services[0]
		return golden.Object(t, "services", []wayfind.Service{{Auth: s.Auth, Extensions: s.Extensions}}, "diagnostics", lines(r.Diagnostics))
	}
	in := document(f.Data)
	if format.Match(in).Level == parse.Exact {
		r, err := format.Parse(in)
		return show(t, in, r, err)
	}
	r, err := format.Detail(in, subjectOf(t, manifest, strings.TrimSuffix(f.Name, ".json")))
	return show(t, in, r, err)
}

// subjectOf returns the capability of a manifest, or the zero Subject.
func subjectOf(t *testing.T, manifest []byte, id string) parse.Subject {
	t.Helper()
	if manifest == nil {
		return parse.Subject{}
	}
	s := &read(t, document(manifest)).Services[0]
	for i := range s.Capabilities {
		if s.Capabilities[i].ID == id {
			return parse.Subject{Service: s, Capability: &s.Capabilities[i]}
		}
	}
	return parse.Subject{}
}

// Each archive in testdata contains documents and, after each, the result of reading it.
// -update rewrites the results.
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
