package awp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/awp"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim        string               `json:"claim,omitempty"`
	Dialect      string               `json:"dialect,omitempty"`
	Version      string               `json:"version,omitempty"`
	Domain       string               `json:"domain,omitempty"`
	Authority    wayfind.Authority    `json:"authority,omitempty"`
	Confidence   *float64             `json:"confidence,omitempty"`
	Unusable     string               `json:"unusable,omitempty"`
	Services     []wayfind.Service    `json:"services,omitempty"`
	Capabilities []wayfind.Capability `json:"capabilities,omitempty"`
	Input        json.RawMessage      `json:"input,omitempty"`
	Links        []string             `json:"links,omitempty"`
	Diagnostics  []string             `json:"diagnostics,omitempty"`
}

func lines(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s %s: %s", d.Severity, d.Code, d.Spec.Section, d.Pointer, d.Message))
	}
	return list
}

// fixtureBody is the document of a file: a document, the list of its actions,
// or the types of the inputs of its only action.
func fixtureBody(t testing.TB, f txtar.File) []byte {
	t.Helper()
	const top = `{"awp_version": "0.2", "domain": "shop.example", "intent": "Sells things", `
	switch filepath.Ext(f.Name) {
	case ".actions":
		return fmt.Appendf(nil, top+`"actions": %s}`, f.Data)
	case ".types":
		var types map[string]string
		if err := json.Unmarshal(f.Data, &types); err != nil {
			t.Fatal(err)
		}
		inputs := object{}
		for name, word := range types {
			inputs[name] = object{"type": word, "required": true}
		}
		list, err := json.Marshal([]any{action(object{"method": "POST", "inputs": inputs})})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, top+`"entities": {"item": {"fields": {"owner": "object[owner]"}}, "owner": {"fields": {"name": "string"}}}, "actions": %s}`, list)
	}
	return f.Data
}

func show(t *testing.T, f txtar.File) view {
	t.Helper()
	in := document(t, fixtureBody(t, f))
	r := read(t, in)
	v := view{Diagnostics: lines(r.Diagnostics)}
	switch filepath.Ext(f.Name) {
	case ".actions":
		v.Capabilities = r.Services[0].Capabilities
		return v
	case ".types":
		v.Input = r.Services[0].Capabilities[0].Input
		return v
	}
	claim := awp.Format().Match(in)
	v.Claim = []string{"none", "likely", "exact"}[claim.Level]
	v.Dialect, v.Version, v.Domain, v.Unusable = r.Dialect, r.Version, r.Domain, r.Unusable
	v.Authority, v.Confidence, v.Services = r.Authority, r.Confidence, r.Services
	for _, l := range r.Links {
		v.Links = append(v.Links, fmt.Sprintf("%s %s lazy=%t: %s", l.Format, l.Role, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	return v
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte { return golden.JSON(t, show(t, f)) })
}
