package main

import (
	"strings"
	"testing"
)

const rules = `{"Rules": {"Pause": 1, "Rest": 5, "Cut": 0.5, "Slack": 0.05, "Lease": 3}}` + "\n"

// The program finds each fault that the test adds, and no fault in a correct trace.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		trace string
		want  []string
	}{
		"polite": {`
{"Host": "a.s.example", "Path": "/robots.txt", "At": 0, "Done": 0.1, "CrawlDelay": 1}
{"Host": "a.s.example", "Path": "/x", "At": 0.2, "Done": 0.3}
{"Host": "b.s.example", "Path": "/x", "At": 2.4, "Done": 2.5}
{"Host": "b.t.example", "Path": "/x", "At": 2.4, "Done": 2.5}`, nil},
		"two at once": {`
{"Host": "a.s.example", "Path": "/x", "At": 0, "Done": 0.1}
{"Host": "b.s.example", "Path": "/x", "At": 0.2, "Done": 0.3}`, []string{"s.example: b.s.example 0.100 s after 1 requests to a.s.example, want 1.000"}},
		"one within the other": {`
{"Host": "a.s.example", "Path": "/x", "At": 0, "Done": 3}
{"Host": "b.s.example", "Path": "/x", "At": 2, "Done": 2.1}`, []string{"s.example: b.s.example -1.000 s after 1 requests to a.s.example, want 1.000"}},
		"Crawl-delay": {`
{"Host": "a.s.example", "Path": "/robots.txt", "At": 0, "Done": 0.1, "CrawlDelay": 2}
{"Host": "a.s.example", "Path": "/x", "At": 0.2, "Done": 0.3}
{"Host": "b.s.example", "Path": "/x", "At": 3.3, "Done": 3.5}`, []string{"s.example: b.s.example 3.000 s after 2 requests to a.s.example, want 4.000"}},
		"again too soon": {`
{"Host": "a.s.example", "Path": "/x", "At": 0, "Done": 0.1}
{"Host": "a.s.example", "Path": "/x", "At": 0.9, "Done": 1}`, []string{"s.example: a.s.example 0.800 s after 1 requests to a.s.example, want 1.000"}},
		"Retry-After": {`
{"Host": "a.s.example", "Path": "/x", "At": 0, "Done": 0.1, "RetryAfter": 4}
{"Host": "a.s.example", "Path": "/x", "At": 2.1, "Done": 2.2}`, []string{"a.s.example/x: asked 2.000 s after an answer that said Retry-After: 4"}},
		"within a lease": {`
{"Host": "a.s.example", "Path": "/x", "Worker": "w1", "At": 0, "Done": 0.1}
{"Host": "a.s.example", "Path": "/y", "Worker": "w1", "At": 0.3, "Done": 0.4}
{"Host": "a.s.example", "Path": "/x", "Worker": "w2", "At": 2.5, "Done": 2.6}`, []string{"a.s.example: w2 comes 2.500 s after w1, within its lease"}},
		"after a lease": {`
{"Host": "a.s.example", "Path": "/x", "Worker": "w1", "At": 0, "Done": 0.1}
{"Host": "a.s.example", "Path": "/x", "Worker": "w2", "At": 3.5, "Done": 3.6}`, nil},
		"given back": {`
{"Host": "a.s.example", "Path": "/x", "Worker": "w1", "At": 0, "Done": 0.1, "RetryAfter": 1}
{"Host": "a.s.example", "Path": "/x", "Worker": "w2", "At": 1.5, "Done": 1.6}`, nil},
		"robots.txt": {`{"Host": "a.s.example", "Path": "/no", "At": 0, "Forbidden": true}`, []string{"a.s.example/no: robots.txt forbids it"}},
	} {
		t.Run(name, func(t *testing.T) {
			faults, _, err := check(strings.NewReader(rules + strings.TrimSpace(c.trace)))
			if err != nil || strings.Join(faults, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("%v, %q, want %q", err, faults, c.want)
			}
		})
	}
}
