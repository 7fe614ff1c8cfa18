package merge

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
)

// That a call can be taken back is the incautious word.
func TestCautiousReversible(t *testing.T) {
	yes, no := new(true), new(false)
	for _, pair := range [][2]*bool{{yes, no}, {no, yes}} {
		e := mergeEffects(&wayfind.Effects{Reversible: pair[0]}, &wayfind.Effects{Reversible: pair[1]}, true)
		if e.Reversible == nil || *e.Reversible {
			t.Errorf("%t and %t: %v", *pair[0], *pair[1], e.Reversible)
		}
	}
	for _, adds := range []bool{true, false} {
		if e := mergeEffects(&wayfind.Effects{Reversible: no}, &wayfind.Effects{Reversible: yes}, adds); *e.Reversible {
			t.Errorf("adds %t: reversible now", adds)
		}
	}
}

// Parameters of another document are used only if both name the variables of the URL alike, and
// then all of them.
func TestFillTakesParamsOfTheSameTemplate(t *testing.T) {
	of := func(template string, params ...wayfind.Param) *wayfind.Capability {
		return &wayfind.Capability{Invocation: &wayfind.Invocation{Template: template}, Params: params}
	}
	id := wayfind.Param{Name: "id", In: "path"}
	for _, tt := range []struct {
		kept, other *wayfind.Capability
		want        []wayfind.Param
	}{
		{of("https://a.example/{id}"), of("https://a.example/{id}", id), []wayfind.Param{id}},
		{of("https://a.example/{other}"), of("https://a.example/{id}", id), nil},
		{of("https://a.example/{id}", wayfind.Param{Name: "x"}), of("https://a.example/{id}", id), []wayfind.Param{{Name: "x"}}},
	} {
		fill(tt.kept, tt.other)
		if diff := cmp.Diff(tt.want, tt.kept.Params); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.kept.Invocation.Template, diff)
		}
	}
}

// Of several failures of one kind, the first in the order of the plan is reported.
func TestTheFirstFailureIsReported(t *testing.T) {
	site := &wayfind.Site{Origin: "https://shop.example"}
	failed := func(code wayfind.Code) *Outcome {
		return &Outcome{Candidate: new(places.Candidate), Probe: wayfind.Probe{Verdict: wayfind.VerdictUnreachable}, Err: wayfind.NewError("dial", "", code, nil)}
	}
	for _, order := range [][2]wayfind.Code{{wayfind.CodeTLS, wayfind.CodeTimeout}, {wayfind.CodeTimeout, wayfind.CodeTLS}} {
		err := Failure(site, []*Outcome{failed(order[0]), failed(order[1])})
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != order[0] {
			t.Errorf("%v: %v", order, err)
		}
	}
}
