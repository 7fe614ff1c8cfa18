package aid_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/aid"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// vector is a record of the specification's own vectors, as it stands in DNS.
type vector struct {
	Name, Raw string
	Expected  struct{ V, URI string }
	ErrorCode string
}

// The records of the specification's vectors, written in JSON, are sound or not as it says. Those that JSON
// cannot write are left out: a pair without "=", and a key twice.
func TestVectors(t *testing.T) {
	var vectors struct{ Records, Invalid []vector }
	if err := json.Unmarshal(golden.Read(t, golden.Field(t, "aid-vectors", "agentcommunity__agent-identity-discovery__1.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, v := range slices.Concat(vectors.Records, vectors.Invalid) {
		body, ok := inJSON(t, v.Raw)
		if !ok {
			continue
		}
		judged++
		r, err := aid.Format().Parse(document(t, string(body)))
		if err != nil {
			t.Fatal(err)
		}
		faulty := func(d wayfind.Diagnostic) bool {
			return d.Severity == wayfind.SeverityError || d.Code == "aid.endpoint_scheme"
		}
		claimed := aid.Format().Match(document(t, string(body))).Level == parse.Exact
		sound := claimed && r.Unusable == "" && !slices.ContainsFunc(r.Diagnostics, faulty)
		if sound != (v.ErrorCode == "") {
			t.Errorf("%s: %s: %q %v", v.Name, v.Raw, r.Unusable, r.Diagnostics)
		}
		if v.ErrorCode == "" && (endpointOf(r) != strings.TrimPrefix(v.Expected.URI, "docker://") || r.Version != v.Expected.V) {
			t.Errorf("%s: %+v", v.Name, r)
		}
	}
	t.Logf("%d records", judged)
	if judged == 0 {
		t.Error("there is no record")
	}
}

// inJSON writes a record of DNS in JSON.
func inJSON(t *testing.T, raw string) (body []byte, ok bool) {
	members := map[string]any{}
	for pair := range strings.SplitSeq(raw, ";") {
		key, value, ok := strings.Cut(pair, "=")
		if _, twice := members[key]; !ok || key == "" || twice {
			return nil, false
		}
		members[key] = value
	}
	return formattest.JSON(t, members), true
}

// endpointOf returns the endpoint of a record: an address, a document or a package.
func endpointOf(r *parse.Reading) string {
	s := r.Services[0]
	switch {
	case len(s.Interfaces) > 0:
		return s.Interfaces[0].URL
	case len(r.Links) > 0:
		return r.Links[0].URLs[0]
	case len(s.LocalInstall) > 0:
		return s.LocalInstall[0].Name
	}
	return ""
}
