package inspect

import (
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

func TestWordsOfParts(t *testing.T) {
	for from, want := range map[string]string{"network": "network", "validated": "304", "memory": "memory", "disk": "disk", "redis": "redis", "stale": "stale", "": "", "other": "other"} {
		if got := originText(from, ""); got != want {
			t.Errorf("from %q is %q, want %q", from, got, want)
		}
	}
	if got := originText("stale", "error"); got != "stale (error)" {
		t.Errorf("a stale answer is %q", got)
	}
	for status, want := range map[int]string{0: "", 200: "200 OK", 304: "304 Not Modified", 799: "799 (no standard status)"} {
		if got := statusText(status); got != want {
			t.Errorf("the status %d is %q, want %q", status, got, want)
		}
	}
	if got := verdictText(wayfind.VerdictSoft404); got != "soft 404" {
		t.Errorf("a verdict is %q", got)
	}
	got := stagesOf(client.Stages{Queue: time.Millisecond, DNS: 300, Connect: 2 * time.Millisecond, TLS: 3 * time.Millisecond, Wait: 4 * time.Millisecond, Read: 1500 * time.Microsecond})
	want := []Stage{{"queue", 1}, {"connect", 2}, {"tls", 3}, {"wait", 4}, {"read", 1.5}}
	if !slices.Equal(got, want) {
		t.Errorf("the stages are %v, want %v", got, want)
	}
}

// A full Watch reports that, and a page that has seen some changes gets the later ones, each part
// once.
func TestWatch(t *testing.T) {
	w := NewWatch()
	within, end := w.Observe(t.Context(), client.Event{Kind: client.EventResolve, Target: "https://shop.example"})
	_, endRequest := w.Observe(within, client.Event{Kind: client.EventRequest, Target: "https://shop.example/a", RedirectedFrom: "https://shop.example/b"})
	_, seen, next := w.Since(0)
	endRequest(client.Event{Status: 200, From: "disk", Bytes: 5})
	end(client.Event{Error: "unreachable"})
	select {
	case <-next:
	default:
		t.Error("the change was not told")
	}
	parts, now, _ := w.Since(seen)
	if len(parts) != 2 || parts[0].ID != 2 || parts[0].Within != 1 || parts[0].From != "disk" || parts[0].EndMs == nil || parts[1].Error != "unreachable" || now != 4 {
		t.Errorf("the changes are %+v", parts)
	}
	if all, _, _ := w.Since(0); len(all) != 2 || all[0].ID != 1 {
		t.Errorf("all parts are %+v", all)
	}
	if some, _, _ := w.Since(now + 100); len(some) != 0 {
		t.Errorf("after the end there are %+v", some)
	}
	for range maxParts + 10 {
		if _, end := w.Observe(within, client.Event{Kind: client.EventRequest}); end != nil {
			end(client.Event{})
		}
	}
	all, _, _ := w.Since(0)
	if last := all[len(all)-1]; len(all) != maxParts || last.Kind != kindFull || last.EndMs == nil {
		t.Errorf("%d parts, the last %+v", len(all), last)
	}
}
