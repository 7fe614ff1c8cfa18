package merge_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/resolve"
)

// The limits of work: the steps for a document, and for each pair of documents, grow at most with
// the power maxGrowth of their bytes, and there are at most stepsPerByte steps for each byte.
const (
	maxGrowth    = 1.2
	stepsPerByte = 8
)

// grows fails the test when steps grow faster than bytes do, or are too many.
func grows(t *testing.T, name string, steps, bytes [2]float64) {
	t.Helper()
	exponent := math.Log(steps[1]/steps[0]) / math.Log(bytes[1]/bytes[0])
	t.Logf("%-60s %8.0f bytes %9.0f steps %6.2f for each, exponent %5.2f", name, bytes[1], steps[1], steps[1]/bytes[1], exponent)
	if exponent > maxGrowth {
		t.Errorf("%s: %.0f steps for %.0f bytes, %.0f for %.0f: exponent %.2f", name, steps[0], bytes[0], steps[1], bytes[1], exponent)
	}
	if most := stepsPerByte * bytes[1]; steps[1] > most {
		t.Errorf("%s: %.0f steps for %.0f bytes", name, steps[1], bytes[1])
	}
}

// One document of each format, at the size that is read at most and at a quarter of it. The other
// forms take smaller ones.
func TestStepsOfOneDocument(t *testing.T) {
	for _, d := range worstDocuments() {
		var steps, bytes [2]float64
		most := min(d.limit(), testkit.Size(64<<10, 256<<10))
		if testkit.All() {
			most = d.most()
		}
		for i, n := range []int{most / 4, most} {
			_, steps[i], bytes[i] = merged(t, nil, d.take(t, n, "x"))
		}
		grows(t, d.format+" "+d.name, steps, bytes)
	}
}

// Each two documents of all formats, in either order. The short form takes some pairs of small ones.
func TestStepsOfPairs(t *testing.T) {
	stride := testkit.Sizes(10, 3, 1)
	var first, second [2][]taken
	for _, d := range worstDocuments() {
		most := min(testkit.Size(16<<10, 64<<10), d.limit())
		for i, n := range []int{most / 4, most} {
			first[i], second[i] = append(first[i], d.take(t, n, "x")), append(second[i], d.take(t, n, "y"))
		}
	}
	for a := range first[0] {
		for b := a % stride; b < len(second[0]); b += stride {
			var steps, bytes [2]float64
			for i := range steps {
				_, steps[i], bytes[i] = merged(t, nil, first[i][a], second[i][b])
			}
			grows(t, first[0][a].format+" "+first[0][a].name+", "+second[0][b].format+" "+second[0][b].name, steps, bytes)
		}
	}
}

// rulesOf returns a robots.txt of about n bytes.
func rulesOf(n int, layout string) *merge.Robots {
	return robotsOf([]byte("User-agent: *\n" + strings.Repeat("Disallow: "+layout+"\n", n/(len(layout)+11))))
}

func robotsOf(body []byte) *merge.Robots {
	rules := robots.RulesFor(body, "wayfind")
	return &merge.Robots{Forbids: func(u string) bool { return !rules.Allowed(u) }, Steps: rules.Steps}
}

// A robots.txt with each document: the rules are as many as the places.
func TestRulesOfRobotsTakeStepsInProportion(t *testing.T) {
	var read [2][]taken
	for _, d := range worstDocuments() {
		most := min(64<<10, d.limit())
		read[0], read[1] = append(read[0], d.take(t, most/4, "x")), append(read[1], d.take(t, most, "x"))
	}
	for _, layout := range []string{"/x", "/*x", "/" + strings.Repeat("*a", 100) + "b", "/p0*$", "/" + strings.Repeat("p", 500)} {
		rules := [2]*merge.Robots{rulesOf(16<<10, layout), rulesOf(64<<10, layout)}
		for k := range read[0] {
			var steps, bytes [2]float64
			for i := range steps {
				_, steps[i], bytes[i] = merged(t, rules[i], read[i][k])
				bytes[i] += float64(int(16<<10) << (2 * i))
			}
			grows(t, "robots "+layout[:min(len(layout), 8)]+", "+read[0][k].format+" "+read[0][k].name, steps, bytes)
		}
	}
}

// If time runs out before a place was compared with the rules of robots.txt, the place is treated
// as forbidden, and the Site has a diagnostic.
func TestRulesThatCouldNotBeCheckedForbid(t *testing.T) {
	var actions worst
	for _, d := range worstDocuments() {
		if d.format == "awp" && d.name == "actions" {
			actions = d
		}
	}
	for n, cut := range map[int]bool{4 << 10: false, 400 << 10: true} {
		site, _, _ := merged(t, rulesOf(n, "/*x"), actions.take(t, 64<<10, "x"))
		forbidden := 0
		for _, c := range site.Capabilities() {
			if c.RobotsDisallowed {
				forbidden++
			}
		}
		told := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "site.cut" })
		if told != cut || forbidden > 0 != cut {
			t.Errorf("%d bytes of rules: %d places count as forbidden, told %t", n, forbidden, told)
		}
	}
}

// Requirements that are too large to be repeated for each capability are marked as unknown there.
// No capability has fewer requirements than one of the documents states.
func TestRequirementsThatAreTooLargeToRepeatAreUnknown(t *testing.T) {
	var all, own worst
	for _, d := range worstDocuments() {
		switch d.name {
		case "scopes of all":
			all = d
		case "disagreements":
			own = d
		}
	}
	for _, list := range [][]taken{
		{all.take(t, 64<<10, "x"), own.take(t, 64<<10, "y")}, {own.take(t, 64<<10, "x"), all.take(t, 64<<10, "y")},
		{own.take(t, 64<<10, "x"), all.take(t, 64<<10, "y"), openCalls().take(t, 64<<10, "z")},
	} {
		site, _, _ := merged(t, nil, list...)
		lost := 0
		for s, c := range site.Capabilities() {
			auth := c.Auth
			if auth == nil {
				auth = s.Auth
			}
			switch {
			case auth.Unknown && len(auth.Requirements) == 0:
				lost++
			case slices.ContainsFunc(auth.Requirements, func(r []wayfind.Requirement) bool { return auth.Schemes[r[0].Scheme].Kind == wayfind.SchemeNone }):
				t.Fatalf("%s needs nothing", c.Key)
			}
		}
		if told := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "site.cut" }); lost == 0 || !told {
			t.Errorf("of %d capabilities it is not known, told %t", lost, told)
		}
	}
}

// openCalls describes calls that need nothing.
func openCalls() worst {
	return worst{"awp", "open", "/agent.json", func(n int, mark string) string {
		return `{"awp_version":"0.2","domain":"shop.example","intent":"` + mark + `","auth":{"type":"none"},"actions":[` + items(n, `{"id":"pN","endpoint":"/pN","method":"GET"}`) + `]}`
	}}
}

// Work that has to end returns the probes, and no partly merged result.
func TestMergeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := merge.Input{Target: resolve.Target{Origin: "https://shop.example"}}
	for _, d := range worstDocuments()[:3] {
		in.Outcomes = append(in.Outcomes, d.take(t, 16<<10, "x").outcome)
	}
	in.Pins = func(*wayfind.Site) []wayfind.Diagnostic { t.Error("pins were held against a part"); return nil }
	for name, w := range map[string]*fuel.Counter{"context": fuel.Under(ctx), "budget": fuel.Within(100)} {
		site, err := merge.SiteWithin(w, in)
		told := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "site.unfinished" })
		if !errors.Is(err, context.Canceled) && !errors.Is(err, fuel.ErrSpent) || !told || len(site.Services)+len(site.Sources) > 0 || len(site.Probes) != 3 {
			t.Errorf("%s: %v, told %t, %d services, %d probes", name, err, told, len(site.Services), len(site.Probes))
		}
	}
}
