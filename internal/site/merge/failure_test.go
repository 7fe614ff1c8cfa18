package merge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// The error of a Site is the error of a request that was sent, in any order of the places, and not
// of a request that was held back because of it.
func TestFailureIsFirstHand(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	cause := errors.New("no TLS")
	sent := func(path string) *merge.Outcome {
		o := &merge.Outcome{Candidate: new(places.Candidate), Probe: wayfind.Probe{Verdict: wayfind.VerdictUnreachable}, Err: wayfind.NewError("tls", site.Origin+path, wayfind.CodeTLS, cause)}
		o.Candidate.URL = site.Origin + path
		return o
	}
	held := func(code wayfind.Code) *merge.Outcome {
		e := wayfind.NewError("resolve", site.Origin, code, errors.New("it failed a moment ago"))
		e.NotBefore = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		return &merge.Outcome{Candidate: new(places.Candidate), Probe: wayfind.Probe{Verdict: wayfind.VerdictUnreachable}, Err: e}
	}
	robots := sent("/robots.txt")
	robots.Candidate.Robots = true
	for name, list := range map[string][]*merge.Outcome{
		"sent first": {sent("/a"), held(wayfind.CodeTLS)}, "held first": {held(wayfind.CodeTLS), held(wayfind.CodeTLS), sent("/a")}, "robots.txt alone": {held(wayfind.CodeTLS), robots},
	} {
		err := merge.Failure(site, list)
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || !errors.Is(err, cause) || e.Code != wayfind.CodeTLS || !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without the first request no cause is known, and another failure is not the cause.
	for _, list := range [][]*merge.Outcome{{held(wayfind.CodeTLS)}, {held(wayfind.CodeTimeout), robots}} {
		if err := merge.Failure(site, list); errors.Is(err, cause) || !errors.Is(err, wayfind.ErrUnreachable) {
			t.Error(err)
		}
	}
}

// A domain that redirects everything to another host names it, and claims nothing about it.
func TestFailureNamesTheHostElsewhere(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	o := &merge.Outcome{Candidate: new(places.Candidate), Probe: wayfind.Probe{Verdict: wayfind.VerdictSoft404, Redirects: []string{"https://login.example/in"}}}
	err := merge.Failure(site, []*merge.Outcome{o})
	other, ok := errors.AsType[*verdict.Elsewhere](err)
	if !ok || other.Host != "login.example" || !errors.Is(err, wayfind.ErrNotFound) || !strings.HasSuffix(err.Error(), `everything redirects to "login.example"`) {
		t.Errorf("%v", err)
	}
}

func TestFailurePrecedence(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	outcome := func(v wayfind.Verdict) *merge.Outcome {
		return &merge.Outcome{Candidate: new(places.Candidate), Probe: wayfind.Probe{Verdict: v}}
	}
	// Silent places decide if they are the most, and a policy if nothing else was asked.
	rows := [][]wayfind.Verdict{
		{wayfind.VerdictRefused, wayfind.VerdictSkipped},
		{wayfind.VerdictThrottled, wayfind.VerdictThrottled, wayfind.VerdictBlocked, wayfind.VerdictUnreachable, wayfind.VerdictMalformed, wayfind.VerdictAbsent, wayfind.VerdictRefused},
		{wayfind.VerdictBlocked, wayfind.VerdictUnreachable, wayfind.VerdictMalformed, wayfind.VerdictAbsent, wayfind.VerdictRefused},
		{wayfind.VerdictUnreachable, wayfind.VerdictAbsent},
		{wayfind.VerdictMalformed, wayfind.VerdictUnreachable, wayfind.VerdictAbsent},
		{wayfind.VerdictAbsent, wayfind.VerdictRefused},
	}
	for _, row := range rows {
		var list []*merge.Outcome
		for _, v := range row {
			list = append([]*merge.Outcome{outcome(v)}, list...)
		}
		if err := merge.Failure(site, list); !errors.Is(err, row[0].Kind()) {
			t.Errorf("with %v: %v, want %v", row, err, row[0].Kind())
		}
	}
	if err := merge.Failure(site, []*merge.Outcome{outcome(wayfind.VerdictUnreachable), outcome(wayfind.VerdictFound)}); err != nil {
		t.Errorf("one usable document is enough: %v", err)
	}
	canary := outcome(wayfind.VerdictUnreachable)
	canary.Candidate.Canary = true
	if err := merge.Failure(site, []*merge.Outcome{canary, outcome(wayfind.VerdictAbsent)}); !errors.Is(err, wayfind.ErrNotFound) {
		t.Errorf("a canary counts: %v", err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	throttled := outcome(wayfind.VerdictThrottled)
	throttled.FreshUntil = at
	var e *wayfind.Error
	if err := merge.Failure(site, []*merge.Outcome{throttled}); !errors.As(err, &e) || !e.NotBefore.Equal(at) {
		t.Errorf("throttled: %v, want not before %v", err, at)
	}
}
