package a2a_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/a2a"
)

// view is a reading as the fixtures show it.
type view struct {
	Claim       string              `json:"claim"`
	Dialect     string              `json:"dialect,omitempty"`
	Version     string              `json:"version,omitempty"`
	Unusable    string              `json:"unusable,omitempty"`
	Error       string              `json:"error,omitempty"`
	Services    []wayfind.Service   `json:"services,omitempty"`
	Signatures  []wayfind.Signature `json:"signatures,omitempty"`
	Diagnostics []string            `json:"diagnostics,omitempty"`
}

func show(claim parse.Claim, r *parse.Reading, err error) view {
	v := view{Claim: strings.TrimSpace([]string{"none", "likely", "exact"}[claim.Level] + " " + claim.Dialect)}
	if claim.Negative {
		v.Claim += " negative"
	}
	if err != nil {
		v.Error = err.Error()
		return v
	}
	v.Dialect, v.Version, v.Unusable, v.Services, v.Signatures = r.Dialect, r.Version, r.Unusable, r.Services, r.Signatures
	for _, d := range r.Diagnostics {
		v.Diagnostics = append(v.Diagnostics, fmt.Sprintf("%s %s %s %s: %s", d.Severity, d.Code, d.Spec, d.Pointer, d.Message))
	}
	return v
}

// Each archive in testdata holds cards and, behind each, what is read from it.
// -update rewrites the latter. A card whose name begins with "extended" is the
// extended card of the one before.
func TestFixtures(t *testing.T) {
	known := map[*txtar.Archive]*wayfind.Service{}
	golden.Archives(t, func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte {
		in, format := served(t, f.Data), a2a.Format()
		claim := format.Match(in)
		if strings.HasPrefix(f.Name, "extended") {
			r, err := format.Detail(in, parse.Subject{Service: known[archive]})
			return golden.JSON(t, show(claim, r, err))
		}
		r, err := format.Parse(in)
		if err == nil && r.Services != nil {
			known[archive] = &r.Services[0]
		}
		return golden.JSON(t, show(claim, r, err))
	})
}
