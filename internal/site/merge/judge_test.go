package merge_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
)

const judged = "https://example.com"

// answers are answers at places. A list of them says what the others of a site of 404s answer.
type answers map[string]wayfind.Probe

// judgeSite judges a site with ten well-known places and five ordinary ones, where all is 404 but some
// places.
func judgeSite(with answers) *merge.Judgement {
	paths := []string{"/robots.txt", "/agent.json", "/agents.md", "/llms.txt", "/agents", "/agents/v1", "/ai", "/v1/entities", "/openapi.json"}
	for i := range 7 {
		paths = append(paths, fmt.Sprintf("/.well-known/place%d", i))
	}
	for path := range with {
		found := false
		for _, p := range paths {
			found = found || p == path
		}
		if !found {
			paths = append(paths, path)
		}
	}
	var list []*merge.Outcome
	for _, path := range paths {
		probe, ok := with[path]
		if !ok {
			probe = wayfind.Probe{Verdict: wayfind.VerdictAbsent, Reason: string(wayfind.CodeAbsent), Status: 404}
		}
		probe.URL = judged + path
		o := &merge.Outcome{Candidate: &places.Candidate{URL: probe.URL, Robots: path == "/robots.txt", Canary: path == "/.well-known/wayfind-0"}, Probe: probe, FreshUntil: probe.FreshUntil}
		list = append(list, o)
	}
	return merge.Judge(judged, "", list)
}

func refusedAll() answers {
	list := answers{}
	for i := range 7 {
		list[fmt.Sprintf("/.well-known/place%d", i)] = wayfind.Probe{Verdict: wayfind.VerdictRefused, Reason: string(wayfind.CodeHostRefused)}
	}
	for _, path := range []string{"/agent.json", "/agents.md", "/llms.txt"} {
		list[path] = wayfind.Probe{Verdict: wayfind.VerdictRefused, Reason: string(wayfind.CodeHostRefused)}
	}
	return list
}

// silent returns n well-known places with an answer.
func silent(n int, p wayfind.Probe) answers {
	list := answers{}
	for i := range n {
		list[fmt.Sprintf("/.well-known/place%d", i)] = p
	}
	return list
}

func with(list answers, path string, p wayfind.Probe) answers {
	list[path] = p
	return list
}

// Each rule about what a domain is, by one site of 404s with other answers at some places.
func TestADomainIsASum(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	probe := func(v wayfind.Verdict, status int) wayfind.Probe { return wayfind.Probe{Verdict: v, Status: status} }
	held := wayfind.Probe{Verdict: wayfind.VerdictThrottled, Reason: "not_before", FreshUntil: at}
	late := wayfind.Probe{Verdict: wayfind.VerdictSkipped, Reason: string(wayfind.CodeDeadline)}
	wall := probe(wayfind.VerdictBlocked, 403)
	loop := wayfind.Probe{Verdict: wayfind.VerdictRefused, Reason: string(wayfind.CodeRedirectLoop), Status: 302}
	for name, row := range map[string]struct {
		with    answers
		kind    error
		missing int
	}{
		"nothing":                                   {nil, wayfind.ErrNotFound, 0},
		"a login at /agents":                        {answers{"/agents": probe(wayfind.VerdictProtected, 401)}, wayfind.ErrNotFound, 0},
		"logins at /agents and /ai":                 {answers{"/agents": probe(wayfind.VerdictProtected, 401), "/ai": probe(wayfind.VerdictProtected, 403)}, wayfind.ErrNotFound, 0},
		"500 at /ai":                                {answers{"/ai": probe(wayfind.VerdictUnreachable, 500)}, wayfind.ErrNotFound, 0},
		"500 at /ai and a time-out at /agents":      {answers{"/ai": probe(wayfind.VerdictUnreachable, 500), "/agents": probe(wayfind.VerdictUnreachable, 0)}, wayfind.ErrNotFound, 2},
		"429 at /v1/entities":                       {answers{"/v1/entities": probe(wayfind.VerdictThrottled, 429)}, wayfind.ErrNotFound, 0},
		"a wall at /ai":                             {answers{"/ai": wall}, wayfind.ErrNotFound, 0},
		"a loop at /ai":                             {answers{"/ai": loop}, wayfind.ErrNotFound, 0},
		"/agents redirects to no host":              {answers{"/agents": {Verdict: wayfind.VerdictUnreachable, Reason: "dns_not_found", Redirects: []string{"https://gone.example.com/"}}}, wayfind.ErrNotFound, 0},
		"a broken /agent.json":                      {answers{"/agent.json": probe(wayfind.VerdictMalformed, 200)}, wayfind.ErrNotFound, 0},
		"a broken well-known place":                 {answers{"/.well-known/place1": probe(wayfind.VerdictMalformed, 200)}, wayfind.ErrInvalid, 0},
		"a login at a well-known place":             {answers{"/.well-known/place1": probe(wayfind.VerdictProtected, 401)}, wayfind.ErrBlocked, 0},
		"one wall":                                  {answers{"/.well-known/place1": wall}, wayfind.ErrNotFound, 1},
		"two walls":                                 {answers{"/.well-known/place1": wall, "/ai": wall}, wayfind.ErrBlocked, 0},
		"a wall at the canary":                      {answers{"/.well-known/wayfind-0": wall}, wayfind.ErrBlocked, 0},
		"429 for few":                               {silent(3, held), wayfind.ErrNotFound, 3},
		"429 for most":                              {silent(7, held), wayfind.ErrThrottled, 0},
		"no answer at few":                          {silent(2, probe(wayfind.VerdictUnreachable, 0)), wayfind.ErrNotFound, 2},
		"no answer at most":                         {silent(7, probe(wayfind.VerdictUnreachable, 0)), wayfind.ErrUnreachable, 0},
		"a loop at most":                            {silent(7, loop), wayfind.ErrUnreachable, 0},
		"few not asked in time":                     {silent(1, late), wayfind.ErrNotFound, 1},
		"an ordinary place not asked in time":       {answers{"/openapi.json": late}, wayfind.ErrNotFound, 1},
		"a redirect that UCP forbids":               {answers{"/.well-known/ucp": {Verdict: wayfind.VerdictAbsent, Reason: string(wayfind.CodeRedirectLimit), Status: 301}}, wayfind.ErrNotFound, 0},
		"one place refused by a policy":             {answers{"/.well-known/place1": {Verdict: wayfind.VerdictRefused, Reason: string(wayfind.CodeHostRefused)}}, wayfind.ErrNotFound, 0},
		"all named places refused":                  {refusedAll(), wayfind.ErrRefused, 0},
		"a document, 429 for the rest":              {with(silent(6, held), "/llms.txt", probe(wayfind.VerdictFound, 200)), nil, 6},
		"a document, and a wall at some places":     {with(silent(2, wall), "/llms.txt", probe(wayfind.VerdictFound, 200)), nil, 2},
		"a document, and a login elsewhere":         {with(silent(1, probe(wayfind.VerdictProtected, 401)), "/llms.txt", probe(wayfind.VerdictFound, 200)), nil, 0},
		"a document at an ordinary place":           {answers{"/openapi.json": probe(wayfind.VerdictFound, 200)}, nil, 0},
		"a document, and its budget used up":        {answers{"/llms.txt": probe(wayfind.VerdictFound, 200), "/ai": {Verdict: wayfind.VerdictSkipped, Reason: "budget"}}, nil, 0},
		"an endpoint that wants another method":     {answers{"/.well-known/place1": probe(wayfind.VerdictEndpointLike, 405)}, wayfind.ErrNotFound, 0},
		"robots.txt fails":                          {answers{"/robots.txt": probe(wayfind.VerdictUnreachable, 500)}, wayfind.ErrNotFound, 0},
		"a document, and all ordinary places fail":  {answers{"/llms.txt": probe(wayfind.VerdictFound, 200), "/ai": probe(wayfind.VerdictUnreachable, 502), "/agents": probe(wayfind.VerdictUnreachable, 502)}, nil, 2},
		"a document, and one ordinary place resets": {answers{"/llms.txt": probe(wayfind.VerdictFound, 200), "/openapi.json": probe(wayfind.VerdictUnreachable, 0)}, nil, 1},
	} {
		j := judgeSite(row.with)
		missing := 0
		if j.Incomplete != nil {
			missing = j.Incomplete.Places()
		}
		if !errors.Is(j.Err, row.kind) || missing != row.missing {
			t.Errorf("%s: %v, %d places missing; want %v, %d", name, j.Err, missing, row.kind, row.missing)
		}
		if decided := j.Err != nil && !errors.Is(j.Err, wayfind.ErrNotFound); (j.Place != "") != decided {
			t.Errorf("%s: decided by %q: %v", name, j.Place, j.Err)
		}
	}
	// What is missing can be asked at the earliest end of a pause, or at once.
	if in := judgeSite(silent(3, held)).Incomplete; !in.NotBefore.Equal(at) {
		t.Errorf("%+v", in)
	}
	if in := judgeSite(with(silent(2, held), "/ai", late)).Incomplete; !in.NotBefore.IsZero() || in.String() != "3 places gave no answer (1 not asked: deadline, 2 throttled), so there may be more" {
		t.Errorf("%+v", in)
	}
}

// If only ordinary places are asked, they speak for the domain.
func TestOrdinaryPlacesAlone(t *testing.T) {
	o := &merge.Outcome{Candidate: &places.Candidate{URL: judged + "/openapi.json"}, Probe: wayfind.Probe{URL: judged + "/openapi.json", Verdict: wayfind.VerdictUnreachable, Status: 500}}
	if j := merge.Judge(judged, "", []*merge.Outcome{o}); !errors.Is(j.Err, wayfind.ErrUnreachable) || j.Place != o.Probe.URL {
		t.Errorf("%+v", j)
	}
}

// A site of which nothing is known but that it refuses GET may have a document.
func TestRefusalsOfTheMethodAloneTellNothing(t *testing.T) {
	place := func(path string, v wayfind.Verdict, status int) *merge.Outcome {
		return &merge.Outcome{Candidate: &places.Candidate{URL: judged + path}, Probe: wayfind.Probe{URL: judged + path, Verdict: v, Status: status}}
	}
	alone := []*merge.Outcome{place("/agents/v1", wayfind.VerdictEndpointLike, 406)}
	if j := merge.Judge(judged, "", alone); !errors.Is(j.Err, wayfind.ErrNotFound) || j.Known || j.Incomplete == nil || j.Incomplete.Places() != 1 {
		t.Errorf("%+v", j)
	}
	more := append(alone, place("/agents", wayfind.VerdictAbsent, 404))
	if j := merge.Judge(judged, "", more); !errors.Is(j.Err, wayfind.ErrNotFound) || j.Incomplete != nil {
		t.Errorf("%+v", j)
	}
}
