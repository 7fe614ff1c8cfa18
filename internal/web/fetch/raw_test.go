package fetch

import (
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

func ok(body string) answer { return answer{Status: 200, Body: body} }

func bad(op string, code wayfind.Code) answer {
	return answer{Op: op, Code: code, Kind: wayfind.ErrInvalid}
}

func badBody(code wayfind.Code) answer {
	return answer{Status: 200, Op: "body", Code: code, Kind: wayfind.ErrInvalid}
}

func brokenBody(code wayfind.Code) answer {
	return answer{Status: 200, Op: "body", Code: code, Kind: wayfind.ErrUnreachable}
}

// rawCase is one answer as bytes on the wire.
type rawCase struct {
	Name, Raw string
}

// rawWants is the verdict on each case of the vectors that has bytes.
func rawWants() map[string]answer {
	protocol, status := failed("headers", wayfind.CodeProtocol), bad("headers", wayfind.CodeStatus)
	return map[string]answer{
		"CL+TE":                 ok("abc"),
		"dup CL differing":      protocol,
		"negative CL":           protocol,
		"plus CL":               protocol,
		"overflow CL":           protocol,
		"CL over cap":           bad("body", wayfind.CodeTooLarge),
		"huge CL":               bad("body", wayfind.CodeTooLarge),
		"short body":            brokenBody(wayfind.CodeTruncated),
		"long body":             ok("abc"),
		"close-delimited":       ok("abc"),
		"chunk truncated":       brokenBody(wayfind.CodeTruncated),
		"no final chunk":        brokenBody(wayfind.CodeTruncated),
		"10 KB chunk extension": brokenBody(wayfind.CodeProtocol),
		"HTTP/0.9":              protocol,
		"HTTP/2.0 status line":  protocol,
		"status 000":            status,
		"status 999":            status,
		"101":                   status,
		"204 with body":         {Status: 204},
		"206":                   status,
		"NUL in header":         protocol,
		"ESC in header":         protocol,
		"ESC in reason":         {Status: 404},
		"obs-fold":              ok("abc"),
		"space before colon":    ok("abc"),
		"bare LF":               ok("abc"),
		"dup Content-Type":      ok("abc"),
		"2 MB reason":           failed("headers", wayfind.CodeHeadersTooLarge),
		"103 flood":             failed("headers", wayfind.CodeHeadersTooLarge),

		"gzip garbage tail":              badBody(wayfind.CodeEncoding),
		"gzip bad crc":                   badBody(wayfind.CodeEncoding),
		"gzip truncated":                 brokenBody(wayfind.CodeTruncated),
		"gzip multi-member":              badBody(wayfind.CodeEncoding),
		"gzip bomb 256 MiB from 255 KiB": badBody(wayfind.CodeTooLarge),
		"x-gzip / br / deflate / 'gzip, gzip' / 'gzip,'": bad("body", wayfind.CodeEncoding),
		"CE gzip on plain body":                          badBody(wayfind.CodeEncoding),
	}
}

// packed makes the bytes of the cases that the vectors only describe.
func packed(t testing.TB) map[string]string {
	whole := string(compress(t, []byte(`{"a": 1}`), gzip.BestSpeed))
	badSum := []byte(whole)
	badSum[len(whole)-8] ^= 1
	as := func(coding, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, len(body), body)
	}
	return map[string]string{
		"gzip garbage tail":              as("gzip", whole+"XXXX"),
		"gzip bad crc":                   as("gzip", string(badSum)),
		"gzip truncated":                 as("gzip", whole[:len(whole)-9]),
		"gzip multi-member":              as("gzip", whole+whole),
		"gzip bomb 256 MiB from 255 KiB": as("gzip", string(bomb(t, 256))),
		"x-gzip / br / deflate / 'gzip, gzip' / 'gzip,'": as("gzip, gzip", whole), // the rest: TestOtherCodingsThanGzipAreRefused
		"CE gzip on plain body":                          as("gzip", `{"a": 1}`),
	}
}

// expand spells out the repetitions that the vectors abbreviate.
func expand(raw string) string {
	raw = strings.Replace(raw, "{10000*y}", strings.Repeat("y", 10000), 1)
	raw = strings.Replace(raw, "{2000000*A}", strings.Repeat("A", 2000000), 1)
	if strings.HasPrefix(raw, "{353676 x HTTP/1.1 103}") {
		raw = strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20000)
	}
	return raw
}

// TestRawResponsesAreReadAsTheirVectorsSay runs all vectors of raw responses.
func TestRawResponsesAreReadAsTheirVectorsSay(t *testing.T) {
	quiet(t)
	var file struct{ Cases []rawCase }
	read(t, golden.Vectors(t, "http", "own_raw_responses.json"), &file)
	wants, made := rawWants(), packed(t)
	if len(file.Cases) != len(wants) && golden.Published(t, golden.EnvVectors) {
		t.Errorf("%d of %d cases are in the file", len(file.Cases), len(wants))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			want, known := wants[c.Name]
			if !known {
				t.Fatal("a case without a verdict")
			}
			if bytes, described := made[c.Name]; described {
				c.Raw = bytes
			}
			w := newWorld(t)
			s := w.wire("http/1.1", says(expand(c.Raw)))
			got, _, _ := w.attempt(t, t.Context(), nil)
			sameAnswer(t, want, got)
			if s.requests.Load() != 1 {
				t.Errorf("asked %d times", s.requests.Load())
			}
		})
	}
}

// A connection with more or fewer bytes than the answer is closed, so that the rest is not read as
// another answer.
func TestAConnectionWithMoreOrLessThanItsAnswerIsNotReused(t *testing.T) {
	quiet(t) // net/http logs what comes unasked
	const next = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for _, first := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc" + next,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + next,
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + next,
		"HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\n" + next,
		"HTTP/1.1 204 No\r\n\r\nevil",
		"HTTP/1.1 304 No\r\nContent-Length: 4\r\n\r\n" + next,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + next,
		"HTTP/1.1 206 Partial\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 999 X\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 200 OK\r\nContent-Length: 262145\r\n\r\nevil",
		"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 600 X\r\nContent-Length: 4\r\n\r\nevil",
	} {
		synctest.Test(t, func(t *testing.T) {

			w := newWorld(t)
			var open atomic.Int32
			s := w.wire("http/1.1", nil)
			s.talk = func(c *tls.Conn) {
				if s.requests.Load() > 1 {
					says(helloH1)(c)
					return
				}
				says(first)(c)
				open.Add(1)
				stall(c)
				open.Add(-1)
			}
			rt := w.stack(nil)
			_ = get(t, t.Context(), rt, site)
			synctest.Wait()
			if open.Load() != 0 {
				t.Errorf("%q: the connection is still open", first)
			}
			sameAnswer(t, ok("hello"), get(t, t.Context(), rt, site))
		})
	}
}

// TestStatusesOfHTTP2AreJudged: the same applies to HTTP/2, where the connection goes on.
func TestStatusesOfHTTP2AreJudged(t *testing.T) {
	status := bad("headers", wayfind.CodeStatus)
	for text, want := range map[string]answer{
		"000": status, "099": status, "204": {Status: 204}, "206": status, "600": status, "999": status, "2000": status, "+20": status,
		"-1": status, "2x": failed("headers", wayfind.CodeProtocol),
	} {
		t.Run(text, func(t *testing.T) {
			h2Fault{"", fields(":status", text), want, 1}.run(t)
		})
	}
}

// TestControlCharactersOfAHeadAreEscaped: the server's reason phrase, and names and values of
// fields, are not in errors, or are escaped. Of the status only the number is.
func TestControlCharactersOfAHeadAreEscaped(t *testing.T) {
	hostile := golden.NewHostile(t)
	controls := []string{"\x1b[2J", "\u009b2J", "\x9b2J", "\x00", "\x7f", "\b\b", "\rX: y", "\r\nX: y", "\u202e", "\U000e0041", "\xff\xfe"}
	for range 49 {
		controls = append(controls, hostile.Text())
	}
	errs := 0
	for i := 0; i < len(controls); i += testkit.Stride() {
		c := controls[i]
		for place, raw := range map[string]string{
			"reason":        "HTTP/1.1 200 " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"reason of 404": "HTTP/1.1 404 " + c + "\r\nContent-Length: 0\r\n\r\n",
			"reason of 999": "HTTP/1.1 999 " + c + "\r\nContent-Length: 0\r\n\r\n",
			"status":        "HTTP/1.1 " + c + " x\r\n\r\n",
			"version":       c + " 200 OK\r\n\r\n",
			"name":          "HTTP/1.1 200 OK\r\n" + c + "Y: y\r\nContent-Length: 3\r\n\r\nabc",
			"value":         "HTTP/1.1 200 OK\r\nY: " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"length":        "HTTP/1.1 200 OK\r\nContent-Length: " + c + "\r\n\r\nabc",
			"encoding":      "HTTP/1.1 200 OK\r\nContent-Encoding: " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"transfer":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + c + "\r\n\r\nabc",
			"trailer":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n" + c + ": " + c + "\r\n\r\n",
		} {
			w := newWorld(t)
			w.wire("http/1.1", says(raw))
			_, _, err := w.attempt(t, t.Context(), nil)
			if err == nil {
				continue
			}
			errs++
			text := err.Error()
			if len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%s %+q: %+q", place, c, text)
			}
			if status, ok := errors.AsType[*StatusError](err); ok && (status.Status != 999 || !strings.Contains(text, "status 999 is no answer")) {
				t.Errorf("%s %+q: %+q for status %d", place, c, text, status.Status)
			}
		}
	}
	if t.Logf("%d errors", errs); errs < 200/testkit.Stride() {
		t.Errorf("only %d errors", errs)
	}
}

func read(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
