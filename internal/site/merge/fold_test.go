package merge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// one returns one of some values.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// strict is a random Site whose capabilities are all one call.
func strict(r *rand.Rand, n int) *wayfind.Site {
	site := siteOfCalls(n)
	yes, no := new(true), new(false)
	for i := range site.Services[0].Capabilities {
		c := &site.Services[0].Capabilities[i]
		c.Invocation.Template = "https://shop.example/p{?q}"
		c.Deprecated = r.IntN(4) == 0
		c.Auth = one(r, nil, &wayfind.Auth{Unknown: true}, &wayfind.Auth{Requirements: [][]wayfind.Requirement{{}}},
			authOfScheme("key"), authOfScheme(fmt.Sprintf("key%d", i)))
		c.Effects = one(r, nil, &wayfind.Effects{ReadOnly: one(r, nil, yes, no), Idempotent: one(r, nil, yes, no)},
			&wayfind.Effects{NeedsConfirmation: one(r, nil, yes, no), Destructive: yes, Defaulted: one(r, nil, []string{"destructive"}, []string{"destructive", "needsConfirmation"})})
		for j := range r.IntN(3) {
			c.DependsOn = append(c.DependsOn, fmt.Sprintf("p%04d", r.IntN(n)+j))
		}
	}
	return site
}

func authOfScheme(name string) *wayfind.Auth {
	return &wayfind.Auth{Schemes: map[string]wayfind.Scheme{name: {}}, Requirements: [][]wayfind.Requirement{{{Scheme: name}}}}
}

// Merging the requirements of all readings of a call at once has the same result as merging one
// after another.
func TestDemandsMergedTogetherEqualDemandsMergedInTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 4))
	changed := 0
	for range 2000 {
		site := strict(r, 2+r.IntN(5))
		s, calls := &site.Services[0], CallsOf(nil, site)
		for i := range s.Capabilities {
			want, got := s.Capabilities[i], s.Capabilities[i]
			m := newCompleter(nil)
			for j := range s.Capabilities {
				if j != i {
					m.joinCaution(&want, s, &s.Capabilities[j], s, false)
				}
			}
			calls.Tighten(nil, s, &got)
			if !sameDemands(&want, &got) {
				t.Fatalf("one after another %+v %+v\ntogether %+v %+v", want, want.Effects, got, got.Effects)
			}
			if !reflect.DeepEqual(got, s.Capabilities[i]) {
				changed++
			}
		}
	}
	if changed < 1000 {
		t.Errorf("only %d were tightened", changed)
	}
}

// sameDemands compares requirements. Empty effects are equal to no effects.
func sameDemands(a, b *wayfind.Capability) bool {
	said := func(e *wayfind.Effects) wayfind.Effects {
		if e == nil {
			return wayfind.Effects{}
		}
		return *e
	}
	have := make(map[string]bool)
	for _, key := range a.DependsOn {
		have[key] = true
	}
	for _, key := range b.DependsOn {
		if !have[key] {
			return false
		}
	}
	return reflect.DeepEqual(a.Auth, b.Auth) && reflect.DeepEqual(said(a.Effects), said(b.Effects)) &&
		len(a.DependsOn) == len(b.DependsOn) && a.Deprecated == b.Deprecated
}
