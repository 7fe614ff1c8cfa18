package cache_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// The fields that are stored, and the fields of a stored response when it is sent.
func TestFields(t *testing.T) {
	const fresh = "Cache-Control: max-age=60"
	runLaws(t, []law{
		rule("RFC 9111 §3.1 ¶1", "unknown fields are stored, all lines in order",
			turn{say: "200 x | " + fresh + " | X-Unknown: b | X-Unknown: a"},
			turn{show: "X-Unknown", want: sawHit("x", 0).with("b | a")}),
		rule("RFC 9111 §3.1 ¶2.1", "what Connection names is not",
			turn{say: "200 x | " + fresh + " | Connection: close, X-Hop | X-Hop: 1"},
			turn{show: "X-Hop", want: sawHit("x", 0)},
			turn{show: "Connection", want: sawHit("x", 0)}),
		rule("RFC 9111 §3.1 ¶2.2", "nor what is for one connection",
			turn{say: "200 x | " + fresh + " | Keep-Alive: 1"},
			turn{show: "Keep-Alive", want: sawHit("x", 0)}),
		rule("RFC 9111 §3.1 ¶2.3", "nor what is for the client of a proxy",
			turn{say: "200 x | " + fresh + " | Proxy-Authenticate: a | Proxy-Authentication-Info: b"},
			turn{show: "Proxy-Authenticate", want: sawHit("x", 0)},
			turn{show: "Proxy-Authentication-Info", want: sawHit("x", 0)}),
		rule("RFC 9111 §7.3 ¶2", "Set-Cookie is for whoever asked, never replayed",
			turn{say: "200 x | " + fresh + " | Set-Cookie: a=b", show: "Set-Cookie", want: sawFetch("x").with("a=b")},
			turn{show: "Set-Cookie", want: sawHit("x", 0)}),
		rule("RFC 9111 §4 ¶4", "Age is set, in place of the one received",
			turn{say: "200 x | " + fresh + " | Age: 10", want: sawFetch("x").aged("10")},
			turn{wait: 5500 * time.Millisecond, want: sawHit("x", 15)}),
		rule("RFC 9111 §4 ¶5", "an unsafe method is written through",
			turn{say: "200 x | " + fresh},
			turn{method: "POST", say: "400 no", want: sawPassed(400, "no")},
			turn{want: sawHit("x", 0)}),
		rule("RFC 9111 §5.5", "Warning is never made",
			turn{say: "200 x | Cache-Control: max-age=1"},
			turn{wait: 2 * time.Second, ask: "Cache-Control: max-stale", show: "Warning", want: sawStale("x", cache.StaleAccepted, 2)}),
		rule("RFC 9110 §6.6.1 ¶7", "a missing Date is that of the arrival",
			turn{say: "200 x | " + fresh},
			turn{wait: 5 * time.Second, show: "Date", want: sawHit("x", 5).with("{-5s}")}),
	})
}

// The effects of a 304 on a stored response.
func TestUpdate(t *testing.T) {
	const first = `200 one | Cache-Control: no-cache | Etag: "1"`
	const asked = `If-None-Match: "1"`
	// update is a law about one field: its value in the 200, its value in the 304, and the value
	// that the caller gets then.
	update := func(section, name, field, before, after, want string) law {
		also := func(value string) string {
			if value == "" {
				return ""
			}
			return " | " + field + ": " + value
		}
		return rule(section, name,
			turn{say: first + also(before)},
			turn{say: `304 | Etag: "1"` + also(after), show: field, want: sawValidated("one", asked).with(want)},
			turn{say: `304 | Etag: "1"`, show: field, want: sawValidated("one", asked).with(want)},
		)
	}
	runLaws(t, []law{
		update("RFC 9111 §3.2 ¶2", "a field is replaced", "X-Both", "old", "new", "new"),
		update("RFC 9111 §3.2 ¶2", "a field is added", "X-New", "", "new", "new"),
		update("RFC 9111 §3.2 ¶2", "a field stays", "X-Old", "old", "", "old"),
		update("RFC 9111 §3.2 ¶3.1", "fields that are not stored are not updated", "Keep-Alive", "", "1", ""),
		rule("RFC 9111 §3.2 ¶3.1", "nor is Set-Cookie",
			turn{say: first},
			turn{say: "304 | Set-Cookie: a=b", show: "Set-Cookie", want: sawValidated("one", asked).with("a=b")},
			turn{say: "304", show: "Set-Cookie", want: sawValidated("one", asked)}),
		update("RFC 9111 §3.2 ¶3.2", "nor what the stored content was read by: Content-Type", "Content-Type", "text/plain", "text/html", "text/plain").under(cache.Options{}),
		update("RFC 9111 §3.2 ¶2", "where nothing was made of the content, Content-Type is replaced", "Content-Type", "text/plain", "text/html", "text/html"),
		update("RFC 9111 §3.2 ¶3.2", "where something was, it stays", "Content-Type", "text/plain", "text/html", "text/plain").by(
			&cache.TestRules{Reads: func(e *cache.Entry) any { return len(e.Body) }}),
		update("RFC 9111 §3.2 ¶3.2", "Content-Encoding", "Content-Encoding", "", "gzip", ""),
		update("RFC 9111 §3.2 ¶3.2", "Content-Range", "Content-Range", "", "bytes 0-1/3", ""),
		update("RFC 9111 §3.2 ¶3.4", "Content-Length", "Content-Length", "3", "0", "3"),
		rule("RFC 9111 §3.2 ¶2", "the lifetime is that of the 304",
			turn{say: first},
			turn{say: "304 | Cache-Control: max-age=60", want: sawValidated("one", asked)},
			turn{wait: 59 * time.Second, want: sawHit("one", 59)},
			turn{wait: time.Second, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §3.2 ¶2", "or what was stored, counted again",
			turn{say: `200 one | Cache-Control: max-age=60 | Etag: "1"`},
			turn{wait: time.Minute, say: "304", want: sawValidated("one", asked)},
			turn{wait: 59 * time.Second, want: sawHit("one", 59)}),
		rule("RFC 9111 §3.2 ¶2", "a new Expires counts from the 304",
			turn{say: `200 one | Expires: {+60s} | Date: {+0s} | Etag: "1"`},
			turn{wait: time.Minute, say: `304 | Expires: {+60s}`, want: sawValidated("one", asked)},
			turn{wait: 59 * time.Second, want: sawHit("one", 59)}),
		rule("RFC 9111 §3.2 ¶2", "the stored Expires is over all the same",
			turn{say: `200 one | Expires: {+60s} | Date: {+0s} | Etag: "1"`},
			turn{wait: time.Minute, say: "304", want: sawValidated("one", asked)},
			turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §3.2 ¶2", "the stored Age was about the old answer",
			turn{say: first + " | Age: 100", want: sawFetch("one").aged("100")},
			turn{say: "304 | Cache-Control: max-age=60", want: sawValidated("one", asked)},
			turn{wait: time.Second, want: sawHit("one", 1)}),
		rule("RFC 9111 §3.2 ¶2", "the Age of the 304 counts",
			turn{say: first},
			turn{say: "304 | Cache-Control: max-age=60 | Age: 10", want: sawValidated("one", asked).aged("10")},
			turn{wait: time.Second, want: sawHit("one", 11)}),
		rule("RFC 9111 §3.2 ¶2", "so does its Date",
			turn{say: first + " | Date: {-1h}"},
			turn{say: "304 | Cache-Control: max-age=60 | Date: {-20s}", want: sawValidated("one", asked).aged("20")}),
		rule("RFC 9111 §5.2.2.5 ¶1", "no-store in a 304 ends the storing",
			turn{say: first},
			turn{say: "304 | Cache-Control: no-store", want: sawValidated("one", asked)},
			turn{say: "200 two"}),
		rule("RFC 9111 §4.1 ¶5", "Vary: * in a 304 too",
			turn{say: first},
			turn{say: "304 | Vary: *", want: sawValidated("one", asked)},
			turn{say: "200 two"}),
		rule("RFC 9111 §4.1 ¶1", "a 304 may begin to vary",
			turn{say: first, ask: "Accept: a"},
			turn{say: "304 | Vary: Accept | Cache-Control: max-age=60", ask: "Accept: a", want: sawValidated("one", asked)},
			turn{ask: "Accept: a", want: sawHit("one", 0)},
			turn{say: "200 two", ask: "Accept: b"}),
		rule("RFC 9111 §4.3.4 ¶3.2", "the validators of the 304 are the next to be sent",
			turn{say: `200 one | Cache-Control: no-cache | Etag: W/"1"`},
			turn{say: `304 | Etag: W/"1" | Last-Modified: {-1h}`, want: sawValidated("one", `If-None-Match: W/"1"`)},
			turn{say: "304", want: sawValidated("one", `If-None-Match: W/"1"`, "If-Modified-Since: {-1h}")}),
	})
}

// Which of the stored responses answers.
func TestVary(t *testing.T) {
	varies := func(names, body string) string {
		return "200 " + body + " | Cache-Control: max-age=60 | Vary: " + names
	}
	match := func(section, name, vary, stored, asked string) law {
		return rule(section, name, turn{ask: stored, say: varies(vary, "x")}, turn{ask: asked, want: sawHit("x", 0)})
	}
	differ := func(section, name, vary, stored, asked string) law {
		return rule(section, name, turn{ask: stored, say: varies(vary, "x")}, turn{ask: asked, say: "200 y"})
	}
	laws := []law{
		match("RFC 9111 §4.1 ¶1", "the same", "Accept", "Accept: a", "Accept: a"),
		differ("RFC 9111 §4.1 ¶1", "another", "Accept", "Accept: a", "Accept: b"),
		match("RFC 9111 §4.1 ¶1", "fields that are not named", "Accept", "X-Y: a", "X-Y: b"),
		match("RFC 9111 §4.1 ¶1", "names have no case", "aCCept", "Accept: a", "Accept: a"),
		differ("RFC 9111 §4.1 ¶1", "one of two differs", "Accept, X-Y", "Accept: a | X-Y: a", "Accept: a | X-Y: b"),
		differ("RFC 9111 §4.1 ¶1", "the second line counts", "Accept | Vary: X-Y", "Accept: a | X-Y: a", "Accept: a | X-Y: b"),
		match("RFC 9111 §4.1 ¶1", "an empty Vary", "", "X-Y: a", "X-Y: b"),
		match("RFC 9111 §4.1 ¶3.1", "whitespace around members", "X-Y", "X-Y: a,  b", "X-Y: a ,b"),
		differ("RFC 9111 §4.1 ¶3.1", "whitespace in quotes is text", "X-Y", `X-Y: "a,  b"`, `X-Y: "a, b"`),
		match("RFC 9111 §4.1 ¶3.2", "two lines are one", "X-Y", "X-Y: a | X-Y: b", "X-Y: a, b"),
		differ("RFC 9111 §4.1 ¶3.2", "order is kept", "X-Y", "X-Y: a | X-Y: b", "X-Y: b, a"),
		match("RFC 9111 §4.1 ¶3.3", "case where the field has none", "Accept-Encoding", "Accept-Encoding: GZIP", "Accept-Encoding: gzip"),
		differ("RFC 9111 §4.1 ¶3.3", "case otherwise", "X-Y", "X-Y: A", "X-Y: a"),
		match("RFC 9111 §4.1 ¶4", "absent in both", "X-Y", "", ""),
		differ("RFC 9111 §4.1 ¶4", "absent is not empty", "X-Y", "", "X-Y: "),
		differ("RFC 9111 §4.1 ¶4", "empty is not absent", "X-Y", "X-Y: ", ""),
		differ("RFC 9111 §4.1 ¶5", "*", "*", "", ""),
		differ("RFC 9111 §4.1 ¶5", "* among others", "Accept, *", "", ""),
		differ("RFC 9111 §4.1 ¶5", "* on another line", "Accept | Vary: *", "", ""),
		rule("RFC 9111 §4.1 ¶6", "of several that match, the newest",
			turn{ask: "Accept: a | X-Y: 1", say: varies("Accept", "one")},
			turn{wait: time.Second, ask: "Accept: b | X-Y: 1", say: varies("X-Y", "two")},
			turn{ask: "Accept: a | X-Y: 1", want: sawHit("two", 0)},
			turn{ask: "Accept: a | X-Y: 2", want: sawHit("one", 1)}),
		rule("RFC 9111 §4.1 ¶7", "an answer without Vary is not preferred",
			turn{ask: "Accept: a", say: varies("Accept", "one")},
			turn{say: "200 default | Cache-Control: max-age=60"},
			turn{ask: "Accept: a", want: sawHit("one", 0)},
			turn{ask: "Accept: b", want: sawHit("default", 0)}),
		rule("RFC 9111 §4.1 ¶8", "the validators of another variant are not sent",
			turn{ask: "Accept: a", say: varies("Accept", "one") + ` | Etag: "1"`},
			turn{ask: "Accept: b", say: varies("Accept", "two") + ` | Etag: "2"`},
			turn{wait: time.Minute, ask: "Accept: a", say: "304", want: sawValidated("one", `If-None-Match: "1"`)},
			turn{ask: "Accept: b", say: "304", want: sawValidated("two", `If-None-Match: "2"`)}),
	}
	eight := rule("RFC 9111 §4.1 ¶1", "eight variants of one URL")
	ask := func(i int) string { return fmt.Sprint("Accept: type/", i) }
	for i := range cache.MaxVariants + 1 {
		eight.talk = append(eight.talk, turn{ask: ask(i), say: varies("Accept", fmt.Sprint(i))})
	}
	for i := range cache.MaxVariants {
		eight.talk = append(eight.talk, turn{ask: ask(i + 1), want: sawHit(fmt.Sprint(i+1), 0)})
	}
	eight.talk = append(eight.talk, turn{ask: ask(0), say: "200 again"})
	runLaws(t, append(laws, eight))
}
