package verdict_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

func TestOfStatus(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	rows := []struct {
		status int
		header http.Header
		html   bool
		want   wayfind.Verdict
	}{
		{200, nil, false, wayfind.VerdictFound},
		{203, nil, false, wayfind.VerdictFound},
		{201, nil, false, wayfind.VerdictUnrecognised},
		{204, nil, false, wayfind.VerdictAbsent},
		{404, nil, true, wayfind.VerdictAbsent},
		{410, nil, false, wayfind.VerdictAbsent},
		{400, nil, false, wayfind.VerdictEndpointLike},
		{405, nil, false, wayfind.VerdictEndpointLike},
		{406, nil, false, wayfind.VerdictEndpointLike},
		{415, nil, false, wayfind.VerdictEndpointLike},
		{401, nil, false, wayfind.VerdictProtected},
		{402, nil, false, wayfind.VerdictProtected},
		{403, nil, false, wayfind.VerdictProtected},
		{403, header("Server", "cloudflare"), false, wayfind.VerdictProtected},
		{403, header("Server", "cloudflare"), true, wayfind.VerdictProtected}, // each answer has it: the page decides
		{503, header("Server", "Cloudflare"), true, wayfind.VerdictUnreachable},
		{403, header("Server", "AkamaiGHost"), true, wayfind.VerdictBlocked},
		{200, header("Cf-Mitigated", "challenge"), true, wayfind.VerdictFound}, // the content decides
		{403, header("Cf-Mitigated", "challenge"), false, wayfind.VerdictBlocked},
		{202, nil, true, wayfind.VerdictBlocked},
		{202, nil, false, wayfind.VerdictUnrecognised},
		{218, header("Server", "stgw"), true, wayfind.VerdictBlocked},
		{405, header("X-Amzn-Waf-Action", "captcha"), true, wayfind.VerdictBlocked},
		{429, header("X-Kpsdk-Ct", "a"), true, wayfind.VerdictBlocked},
		{503, header("Retry-After", "5", "X-Vercel-Mitigated", "challenge"), false, wayfind.VerdictBlocked},
		{403, header("X-Datadome", "protected"), true, wayfind.VerdictBlocked},
		{429, nil, false, wayfind.VerdictThrottled},
		{503, header("Retry-After", "5"), false, wayfind.VerdictThrottled},
		{503, nil, false, wayfind.VerdictUnreachable},
		{500, nil, true, wayfind.VerdictUnreachable},
		{599, nil, false, wayfind.VerdictUnreachable},
		{418, nil, false, wayfind.VerdictUnrecognised},
		{451, nil, false, wayfind.VerdictBlocked},
		{300, nil, false, wayfind.VerdictUnrecognised},
	}
	for _, r := range rows {
		if got, _ := verdict.OfStatus(r.status, r.header, r.html); got != r.want {
			t.Errorf("status %d, %v, html %v: %s, want %s", r.status, r.header, r.html, got, r.want)
		}
	}
}

func TestOfError(t *testing.T) {
	mine := func(kind error, code wayfind.Code) error {
		return fmt.Errorf("wrapped: %w", &wayfind.Error{Op: "x", Kind: kind, Code: code})
	}
	rows := []struct {
		err  error
		want wayfind.Verdict
	}{
		{mine(wayfind.ErrUnreachable, wayfind.CodeTimeout), wayfind.VerdictUnreachable},
		{mine(wayfind.ErrUnreachable, wayfind.CodeTruncated), wayfind.VerdictUnreachable},
		{mine(wayfind.ErrUnreachable, wayfind.CodeCanceled), wayfind.VerdictSkipped},
		{mine(wayfind.ErrInvalid, wayfind.CodeTooLarge), wayfind.VerdictTooLarge},
		{mine(wayfind.ErrUnreachable, wayfind.CodeEncoding), wayfind.VerdictMalformed},
		{mine(wayfind.ErrRefused, wayfind.CodeBlockedAddress), wayfind.VerdictRefused},
		{mine(wayfind.ErrRefused, wayfind.CodeStatus), wayfind.VerdictUnrecognised},
		{mine(wayfind.ErrThrottled, wayfind.CodeNotBefore), wayfind.VerdictThrottled},
		{mine(wayfind.ErrInternal, wayfind.CodePanic), wayfind.VerdictUnreachable},
		{&wayfind.Error{Op: "parse", Kind: wayfind.ErrInternal, Code: wayfind.CodePanic}, wayfind.VerdictMalformed},
		{context.DeadlineExceeded, wayfind.VerdictSkipped},
		{errors.New("anything"), wayfind.VerdictUnreachable},
	}
	for _, r := range rows {
		if got, _ := verdict.OfError(r.err); got != r.want {
			t.Errorf("%v: %s, want %s", r.err, got, r.want)
		}
	}
}

// Each row is a line in the table of verdicts in the design.
func TestKeep(t *testing.T) {
	day, hour := 24*time.Hour, time.Hour
	none, short, long := verdict.Freshness{}, verdict.Freshness{For: time.Minute, Explicit: true}, verdict.Freshness{For: 7 * day, Explicit: true}
	heuristic := verdict.Freshness{For: 3 * hour}
	rows := []struct {
		verdict          wayfind.Verdict
		response         verdict.Freshness
		format, negative time.Duration
		want             time.Duration
	}{
		{wayfind.VerdictFound, short, hour, 0, time.Minute},
		{wayfind.VerdictFound, none, hour, 0, hour},
		{wayfind.VerdictFound, heuristic, hour, 0, hour},
		{wayfind.VerdictFound, heuristic, 0, 0, 3 * hour},
		{wayfind.VerdictFound, verdict.Freshness{Explicit: true}, hour, 0, 0},
		{wayfind.VerdictAbsent, none, hour, 0, day},
		{wayfind.VerdictAbsent, heuristic, hour, 0, day},
		{wayfind.VerdictAbsent, short, hour, 0, 10 * time.Minute},
		{wayfind.VerdictAbsent, long, hour, 0, day},
		{wayfind.VerdictAbsent, short, hour, day, day},
		{wayfind.VerdictSoft404, none, hour, 0, 10 * time.Minute},
		{wayfind.VerdictUnrecognised, long, hour, 0, day},
		{wayfind.VerdictOtherFormat, heuristic, hour, 0, 3 * hour},
		{wayfind.VerdictMalformed, long, hour, 0, 10 * time.Minute},
		{wayfind.VerdictEndpointLike, long, hour, 0, hour},
		{wayfind.VerdictProtected, long, hour, 0, 10 * time.Minute},
		{wayfind.VerdictBlocked, none, hour, 0, 10 * time.Minute},
		{wayfind.VerdictRefused, none, hour, 0, 10 * time.Minute},
		{wayfind.VerdictSkipped, long, hour, 0, 0},
	}
	for _, r := range rows {
		if got := verdict.Keep(r.verdict, r.response, r.format, r.negative); got != r.want {
			t.Errorf("Keep(%s, %+v, %s, %s) = %s, want %s", r.verdict, r.response, r.format, r.negative, got, r.want)
		}
	}
}

// The table for people is complete.
func TestRows(t *testing.T) {
	rules := verdict.Rows()
	for i, v := range wayfind.Verdicts() {
		if i >= len(rules) || rules[i].Verdict != v {
			t.Fatalf("rule %d is not about %s", i, v)
		}
		r := rules[i]
		if (r.Means() != "unknown") != v.Answered() || r.When() == "" || r.Remembered() == "" {
			t.Errorf("row of %s", r.Verdict)
		}
	}
}

// A document beyond a limit is not malformed, for any code of its error.
func TestADocumentBeyondALimitIsTooLarge(t *testing.T) {
	limit := &wayfind.TooLarge{Of: "levels", Limit: 64}
	for _, code := range []wayfind.Code{wayfind.CodeTooLarge, wayfind.CodeLimit, wayfind.CodeJSONDepth} {
		v, reason := verdict.OfError(wayfind.NewError("parse", "", code, fmt.Errorf("it has %w", limit)))
		if v != wayfind.VerdictTooLarge || reason != string(code) {
			t.Errorf("%s: %s (%s)", code, v, reason)
		}
	}
	if v, _ := verdict.OfError(wayfind.NewError("parse", "", wayfind.CodeLimit, nil)); v != wayfind.VerdictMalformed {
		t.Errorf("another limit: %s", v)
	}
	var p wayfind.Probe
	verdict.Explain(&p, wayfind.NewError("parse", "", wayfind.CodeLimit, limit))
	if p.TooLarge != limit || p.Error == "" {
		t.Errorf("%+v", p)
	}
}
