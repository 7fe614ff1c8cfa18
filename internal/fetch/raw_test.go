package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
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

// TestP040_RawResponses covers P038 to P042 as well.
func TestP040_RawResponses(t *testing.T) {
	var file struct{ Cases []rawCase }
	read(t, golden.Vectors(t, "http", "own_raw_responses.json"), &file)
	wants, ran := rawWants(), 0
	for _, c := range file.Cases {
		want, known := wants[c.Name]
		if !known {
			continue // gzip: in TestP048_Gzip, made there
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			w := newWorld(t)
			w.raw("shop.example.com", ip1, says(expand(c.Raw)))
			sameAnswer(t, want, get(t, t.Context(), w.stack(nil), site))
		})
	}
	if ran != len(wants) {
		t.Errorf("%d of %d cases are in the file", ran, len(wants))
	}
}

// TestP042_ControlsInTheHead: what a server puts into its reason phrase, names
// and values of fields is in no error, or escaped; of the status there is the
// number.
func TestP042_ControlsInTheHead(t *testing.T) {
	hostile := golden.NewHostile(t)
	controls := []string{"\x1b[2J", "\u009b2J", "\x9b2J", "\x00", "\x7f", "\b\b", "\rX: y", "\r\nX: y", "\u202e", "\U000e0041", "\xff\xfe"}
	for range 49 {
		controls = append(controls, hostile.Text())
	}
	errs := 0
	for _, c := range controls {
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
			w.raw("shop.example.com", ip1, says(raw))
			_, err := getErr(t, t.Context(), w.stack(nil), site)
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
	if t.Logf("%d errors", errs); errs < 200 {
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

func TestP038_HeaderLimit(t *testing.T) {
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "X-%d: y\r\n", i)
	}
	for name, header := range map[string]string{
		"endless lines": strings.Repeat("X: y\r\n", 50_000), "one of 1 MiB": "X: " + strings.Repeat("y", 1<<20), "100,000": many.String(),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.raw("shop.example.com", ip1, says("HTTP/1.1 200 OK\r\n"+header+"\r\n\r\n"))
			sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), get(t, t.Context(), w.stack(nil), site))
		})
	}
	// With HTTP/2, net/http tells what is a little too large from what ends
	// the connection.
	for kilobytes, code := range map[int]wayfind.Code{70: wayfind.CodeHeadersTooLarge, 1000: wayfind.CodeProtocol} {
		t.Run(fmt.Sprint("h2 ", kilobytes), func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
				for i := range kilobytes {
					rw.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 1000))
				}
			}, "h2")
			sameAnswer(t, failed("headers", code), get(t, t.Context(), w.stack(nil), site))
		})
	}
}

// TestP039_EarlyHints is about HTTP/2; the flood of HTTP/1.1 is a vector.
func TestP039_EarlyHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				rw.Header().Set("Link", "</x>")
				rw.WriteHeader(http.StatusEarlyHints)
			}
		}, "h2")
		sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), get(t, t.Context(), w.stack(nil), site))
	})
}

// TestP044_NoCloseNotify: the end of the connection without the end of TLS.
func TestP044_NoCloseNotify(t *testing.T) {
	w := newWorld(t)
	w.raw("shop.example.com", ip1, func(c *tls.Conn) {
		says("HTTP/1.1 200 OK\r\n\r\n# Agents")(c)
		_ = c.NetConn().Close()
	})
	sameAnswer(t, brokenBody(wayfind.CodeTruncated), get(t, t.Context(), w.stack(nil), site))
}

// compress returns one gzip member.
func compress(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sends serves one body over HTTP/1.1: with a length, or in chunks.
func (w *world) sends(encoding string, body []byte, chunked bool) {
	w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
		if encoding != "" {
			rw.Header().Set("Content-Encoding", encoding)
		}
		rw.Header().Set("Content-Type", "application/json")
		if chunked {
			rw.(http.Flusher).Flush()
		} else {
			rw.Header().Set("Content-Length", fmt.Sprint(len(body)))
		}
		_, _ = rw.Write(body)
	}, "http/1.1")
}

func TestP045_Cap(t *testing.T) {
	for _, size := range []int{DefaultMaxBytes, DefaultMaxBytes + 1} {
		for _, level := range []int{-5, gzip.NoCompression, gzip.BestCompression} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprint(size, level, chunked), func(t *testing.T) {
					w := newWorld(t)
					plain := bytes.Repeat([]byte("x"), size)
					body, encoding := plain, ""
					if level != -5 {
						body, encoding = compress(t, plain, level), "gzip"
					}
					w.sends(encoding, body, chunked)
					want := ok(string(plain))
					if size > DefaultMaxBytes {
						want = badBody(wayfind.CodeTooLarge)
						if encoding == "" && !chunked {
							want.Status = 0 // by the length, before reading
						}
					}
					sameAnswer(t, want, get(t, t.Context(), w.stack(nil), site))
				})
			}
		}
	}
}

func TestLimitOfTheCaller(t *testing.T) {
	w := newWorld(t)
	w.sends("", []byte("12345"), true)
	rt := w.stack(nil)
	sameAnswer(t, ok("12345"), get(t, WithLimits(t.Context(), 5), rt, site))
	sameAnswer(t, badBody(wayfind.CodeTooLarge), get(t, WithLimits(t.Context(), 4), rt, site))
	sameAnswer(t, ok("12345"), get(t, WithLimits(t.Context(), 0), rt, site))
}

// TestP046_Bomb counts what is given out; what is allocated follows.
func TestP046_Bomb(t *testing.T) {
	w := newWorld(t)
	w.sends("gzip", compress(t, make([]byte, 8<<20), gzip.BestSpeed), false)
	resp, err := w.stack(nil).RoundTrip(request(t, t.Context(), site))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	sameAnswer(t, badBody(wayfind.CodeTooLarge), answerOf(t, 200, "", err))
	if n != DefaultMaxBytes {
		t.Errorf("%d bytes were given out", n)
	}
}

func TestP047_Codings(t *testing.T) {
	body := compress(t, []byte("{}"), gzip.BestSpeed)
	for _, encoding := range []string{"br", "zstd", "deflate", "x-gzip", "gzip, gzip", "gzip,", "identity, gzip", "gzip;q=1"} {
		t.Run(encoding, func(t *testing.T) {
			w := newWorld(t)
			w.sends(encoding, body, false)
			sameAnswer(t, bad("body", wayfind.CodeEncoding), get(t, t.Context(), w.stack(nil), site))
		})
	}
	for encoding, body := range map[string][]byte{"GZIP": body, "identity": []byte("{}"), "": []byte("{}")} {
		w := newWorld(t)
		w.sends(encoding, body, false)
		sameAnswer(t, ok("{}"), get(t, t.Context(), w.stack(nil), site))
	}
}

func TestP048_Gzip(t *testing.T) {
	whole := compress(t, []byte(`{"a": 1}`), gzip.BestSpeed)
	badSum, badSize := slices.Clone(whole), slices.Clone(whole)
	badSum[len(whole)-8] ^= 1
	badSize[len(whole)-4] ^= 1
	tests := map[string]struct {
		body []byte
		code wayfind.Code
	}{
		"garbage tail": {append(slices.Clone(whole), "XXXX"...), wayfind.CodeEncoding},
		"bad sum":      {badSum, wayfind.CodeEncoding},
		"bad size":     {badSize, wayfind.CodeEncoding},
		"two members":  {append(slices.Clone(whole), whole...), wayfind.CodeEncoding},
		"plain":        {[]byte(`{"a": 1}`), wayfind.CodeEncoding},
		"empty":        {nil, wayfind.CodeEncoding},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.sends("gzip", tt.body, false)
			sameAnswer(t, badBody(tt.code), get(t, t.Context(), w.stack(nil), site))
		})
	}
	for n := range len(whole) { // R08
		got := get(t, t.Context(), NewBody(canned{encoding: "gzip", body: whole[:n]}), site)
		if got.Code != wayfind.CodeEncoding && got.Code != wayfind.CodeTruncated {
			t.Errorf("cut at %d: %+v", n, got)
		}
	}
	sameAnswer(t, ok(`{"a": 1}`), get(t, t.Context(), NewBody(canned{encoding: "gzip", body: whole}), site))
}

// canned answers without a network.
type canned struct {
	status   int
	encoding string
	body     []byte
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := &http.Response{
		StatusCode: max(c.status, 200), Header: http.Header{}, Request: req,
		Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)),
	}
	if c.encoding != "" {
		resp.Header.Set("Content-Encoding", c.encoding)
	}
	return resp, nil
}

// TestErrorPages: they are no documents, so nothing in them is an error.
func TestErrorPages(t *testing.T) {
	long := bytes.Repeat([]byte("x"), maxErrorBody+1)
	for _, tt := range []struct {
		name string
		rt   canned
		want string
	}{
		{"long", canned{404, "", long}, string(long[:maxErrorBody])},
		{"long gzip", canned{404, "gzip", compress(t, long, gzip.BestSpeed)}, string(long[:maxErrorBody])},
		{"gzip", canned{404, "gzip", compress(t, []byte("no"), gzip.BestSpeed)}, "no"},
		{"no gzip", canned{404, "gzip", []byte("plain")}, ""},
		{"other coding", canned{404, "br", []byte("plain")}, ""},
		{"redirect", canned{302, "", []byte("moved")}, "moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sameAnswer(t, answer{Status: tt.rt.status, Body: tt.want}, get(t, t.Context(), NewBody(tt.rt), site))
		})
	}
}
