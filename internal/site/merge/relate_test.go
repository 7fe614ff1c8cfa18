package merge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
)

func TestTwoDescriptionsOfOneCallKeepTheStricterAuthentication(t *testing.T) {
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	rows := []struct {
		name                                     string
		summary, contract, ofSummary, ofContract *wayfind.Auth
		conflicts                                int
	}{
		{"the contract is silent", keyed("A"), nil, keyed("A"), keyed("A"), 0},
		{"the summary is silent", nil, keyed("A"), keyed("A"), keyed("A"), 0},
		{"the summary does not know", &wayfind.Auth{Unknown: true}, keyed("A"), keyed("A"), keyed("A"), 0},
		{"the contract needs nothing", keyed("A"), none, keyed("A"), keyed("A"), 1},
		{"the summary needs nothing", none, keyed("A"), keyed("A"), keyed("A"), 1},
		{"two ways to authenticate", keyed("A"), keyed("B"), keyed("A"), keyed("B"), 0},
		{"silence opens nothing", none, nil, none, nil, 0},
	}
	for _, r := range rows {
		summary := wayfind.Capability{ID: "send", Kind: wayfind.KindOperation, Lazy: true, Auth: r.summary}
		contract := call("send", "POST", "https://example.com/send")
		contract.Auth = r.contract
		site := mergeOf(t, said{name: "a", service: service(summary)}, said{name: "b", service: service(contract)})
		for key, want := range map[string]*wayfind.Auth{"a:send": r.ofSummary, "b:send": r.ofContract} {
			_, c := site.Capability(key)
			if d := cmp.Diff(want, c.Auth); d != "" {
				t.Errorf("%s, %s (-want +got):\n%s", r.name, key, d)
			}
		}
		if len(site.Conflicts) != r.conflicts {
			t.Errorf("%s: conflicts %v, want %d", r.name, site.Conflicts, r.conflicts)
		}
	}
}

// A summary with two namesakes is no bridge between them: they are different calls.
func TestASummaryHandsNoAuthenticationFromOneCallToAnother(t *testing.T) {
	one, other := call("send", "POST", "https://example.com/send"), call("send", "POST", "https://example.com/v2/send")
	one.Auth = keyed("A")
	site := mergeOf(t,
		said{name: "a", service: service(wayfind.Capability{ID: "send", Kind: wayfind.KindOperation, Lazy: true})},
		said{name: "b", service: service(one)}, said{name: "c", service: service(other)})
	if _, c := site.Capability("a:send"); cmp.Diff(keyed("A"), c.Auth) != "" || len(c.Sources) != 2 {
		t.Errorf("the summary has %+v of %v, want the key of the first call", c.Auth, c.Sources)
	}
	if _, c := site.Capability("c:send"); c.Auth != nil {
		t.Errorf("the second call took over %+v", c.Auth)
	}
}
