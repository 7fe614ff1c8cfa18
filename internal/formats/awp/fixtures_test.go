package awp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// fixtureBody returns the document for a file: a document, the list of its actions, or the
// types of the inputs of its only action.
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
		list := formattest.JSON(t, []any{action(object{"method": "POST", "inputs": inputs})})
		return fmt.Appendf(nil, top+`"entities": {"item": {"fields": {"owner": "object[owner]"}}, "owner": {"fields": {"name": "string"}}}, "actions": %s}`, list)
	}
	return f.Data
}

func show(t *testing.T, f txtar.File) []byte {
	t.Helper()
	in := document(t, fixtureBody(t, f))
	r := read(t, in)
	told := lines(r.Diagnostics)
	switch filepath.Ext(f.Name) {
	case ".actions":
		return golden.Object(t, "capabilities", r.Services[0].Capabilities, "diagnostics", told)
	case ".types":
		return golden.Object(t, "input", r.Services[0].Capabilities[0].Input, "diagnostics", told)
	}
	claim, _, _ := strings.Cut(formattest.ShowClaim(awp.Format().Match(in)), " ")
	var links []string
	for _, l := range r.Links {
		links = append(links, fmt.Sprintf("%s %s lazy=%t: %s", l.Format, l.Role, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	return golden.Object(t, "claim", claim, "dialect", r.Dialect, "version", r.Version, "domain", r.Domain, "authority", r.Authority,
		"confidence", r.Confidence, "unusable", r.Unusable, "services", r.Services, "links", links, "diagnostics", told)
}

// Each archive in testdata contains documents and, after each, the result of reading it.
// -update rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte { return show(t, f) })
}
