package merge_test

import (
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// To compare two Sites is work in proportion to both of them: see grows.

// pinned is a Site with all of it pinned.
type pinned struct {
	site *wayfind.Site
	held *pins.Set
}

func pin(t *testing.T, site *wayfind.Site) pinned {
	t.Helper()
	held, err := (&pins.Set{}).With(site)
	if err != nil {
		t.Fatal(err)
	}
	return pinned{site, held}
}

// compared returns the steps of three comparisons of two Sites: without grades, with grades, and
// with the pins of the first.
func compared(t *testing.T, old pinned, now *wayfind.Site) map[string]float64 {
	t.Helper()
	steps := map[string]float64{}
	for name, f := range map[string]func(w *fuel.Counter) error{
		"diff": func(w *fuel.Counter) error {
			d, err := diff.SitesContext(w.Context(), old.site, now)
			if err != nil {
				return err
			}
			_, err = diff.OfContext(w.Context(), d.Changed...)
			return err
		},
		"pins": func(w *fuel.Counter) error {
			_, err := old.held.CheckContext(w.Context(), now)
			return err
		},
	} {
		w := watch(t)
		if err := f(w); err != nil {
			t.Fatal(err)
		}
		steps[name] = float64(w.Steps())
	}
	return steps
}

// Comparing two versions of one document, which differ at each mark, takes a bounded number of
// steps.
func TestStepsOfComparing(t *testing.T) {
	for _, d := range worstDocuments() {
		var steps [2]map[string]float64
		var bytes [2]float64
		most := min(testkit.Sizes(16<<10, 64<<10, 512<<10), d.limit())
		for i, n := range []int{most / 4, most} {
			old, _, a := merged(t, nil, d.take(t, n, "x"))
			now, _, b := merged(t, nil, d.take(t, n, "z"))
			steps[i], bytes[i] = compared(t, pin(t, old), now), a+b
		}
		for name := range steps[0] {
			grows(t, name+" "+d.format+" "+d.name, [2]float64{steps[0][name], steps[1][name]}, bytes)
		}
	}
}

// Comparing Sites of one document, and then of two, takes a bounded number of steps.
func TestStepsOfComparingPairs(t *testing.T) {
	stride := testkit.Sizes(10, 3, 1)
	var first, second [2][]taken
	for _, d := range worstDocuments() {
		for i, n := range []int{4 << 10, 16 << 10} {
			first[i], second[i] = append(first[i], d.take(t, n, "x")), append(second[i], d.take(t, n, "y"))
		}
	}
	for a := range first[0] {
		var old [2]pinned
		var one [2]float64
		for i := range old {
			site, _, bytes := merged(t, nil, first[i][a])
			old[i], one[i] = pin(t, site), bytes
		}
		for b := a % stride; b < len(second[0]); b += stride {
			var steps [2]map[string]float64
			var bytes [2]float64
			for i := range steps {
				now, _, two := merged(t, nil, first[i][a], second[i][b])
				steps[i], bytes[i] = compared(t, old[i], now), one[i]+two
			}
			for name := range steps[0] {
				grows(t, name+" "+first[0][a].format+" "+first[0][a].name+", "+second[0][b].format+" "+second[0][b].name,
					[2]float64{steps[0][name], steps[1][name]}, bytes)
			}
		}
	}
}

// Pins of many keys, with their documents.
func TestStepsOfPinsByKey(t *testing.T) {
	for _, d := range worstDocuments() {
		if d.name != "actions" && d.name != "capabilities" && d.name != "disagreements" {
			continue
		}
		var steps, bytes [2]float64
		for i, n := range []int{8 << 10, 32 << 10} {
			old, _, _ := merged(t, nil, d.take(t, n, "x"))
			now, _, b := merged(t, nil, d.take(t, n, "z"))
			var keys []string
			for _, c := range old.Capabilities() {
				keys = append(keys, c.Key)
			}
			held, err := (&pins.Set{}).With(old, keys...)
			if err != nil {
				t.Fatal(err)
			}
			w := watch(t)
			if _, err := held.CheckContext(w.Context(), now); err != nil {
				t.Fatal(err)
			}
			steps[i], bytes[i] = float64(w.Steps()), b+float64(300*len(keys)) // about that much of each pin in a file
		}
		grows(t, "pins by key "+d.format+" "+d.name, steps, bytes)
	}
}

// One call with two readings of it, completed one by the other.
func TestStepsOfSupplement(t *testing.T) {
	for _, d := range worstDocuments() {
		var steps, bytes [2]float64
		most := min(64<<10, d.limit())
		for i, n := range []int{most / 4, most} {
			a, _, one := merged(t, nil, d.take(t, n, "x"))
			b, _, two := merged(t, nil, d.take(t, n, "y"))
			if len(a.Services) == 0 || len(a.Services[0].Capabilities) == 0 {
				break
			}
			w := watch(t)
			err := w.Do(func() {
				merge.Supplement(w, &a.Services[0], &a.Services[0].Capabilities[0], &b.Services[0], &b.Services[0].Capabilities[0])
			})
			if err != nil {
				t.Fatal(err)
			}
			steps[i], bytes[i] = float64(w.Steps()), one+two
		}
		if steps[1] > 0 {
			grows(t, "supplement "+d.format+" "+d.name, steps, bytes)
		}
	}
}
