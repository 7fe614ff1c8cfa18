package client_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

func filesOf(r *client.Recording) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, content := range r.Files() {
		fsys[name] = &fstest.MapFile{Data: content}
	}
	return fsys
}

// hostileURLs are URLs whose file names would leave the directory, denote a device, are hidden, or
// are equal if case is ignored.
func hostileURLs() []string {
	paths := []string{
		"/", "/index", "/index.html", "/.well-known/agent", "/well-known/agent", "/.WELL-KNOWN/agent", "/A", "/a", "/a/", "/a_", "/_a",
		"/a/b", "/a_b", "/a-b", "/a%2Fb", "/%2e%2e/%2e%2e/x", "/..%2f..%2fetc", "/.git/config", "/aux", "/AUX.json", "/nul.txt", "/com1", "/lpt9.md",
		"/a:b", "/a%5Cb", "/a%00b", "/a?x=1", "/a?x=2", "/a?", "/a~b", "/a.", "/a...", "/%20a", "/%E2%82%AC", "/" + strings.Repeat("x", 300), "/" + strings.Repeat("x", 301),
		"/a//b@c", "/x-aux",
	}
	urls := []string{"https://con.example/", "https://" + strings.Repeat("a.", 100) + "example/", "https://xn--bcher-kva.example/"}
	for _, p := range paths {
		urls = append(urls, "https://shop.example"+p)
	}
	return urls
}

// Every file has a name of its own that any file system takes, below the
// directory; nothing of it is hidden.
func TestRecording_Names(t *testing.T) {
	var r client.Recording
	for _, u := range hostileURLs() {
		r.Add(&client.Exchange{URL: u, Status: 200})
	}
	part := regexp.MustCompile(`^[a-z0-9][a-z0-9.~_-]*[a-z0-9_-]$`)
	device := regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	files := r.Files()
	for name := range files {
		if !fs.ValidPath(name) || len(name) > 180 || name != client.RecordingIndex && strings.Count(name, "/") != 1 {
			t.Errorf("%q is no place for a file", name)
		}
		for p := range strings.SplitSeq(name, "/") {
			if !part.MatchString(p) || device.MatchString(p) {
				t.Errorf("%q in %q is not a name for every system", p, name)
			}
		}
	}
	if len(files) != len(r.Exchanges())+1 {
		t.Errorf("%d files for %d answers:\n%s", len(files), len(r.Exchanges()), files[client.RecordingIndex])
	}
	for u, want := range map[string]string{
		"https://shop.example/":                       "shop.example/index.http",
		"https://shop.example/.well-known/agent.json": "shop.example/well-known_agent.json.http",
		"https://shop.example/agents/v1":              "shop.example/agents_v1.http",
	} {
		var one client.Recording
		one.Add(&client.Exchange{URL: u, Status: 200})
		if one.Files()[want] == nil {
			t.Errorf("%s is not in %s:\n%s", u, want, one.Files()[client.RecordingIndex])
		}
	}
}

// ReadRecording returns the recording that was written.
func TestRecording_RoundTrip(t *testing.T) {
	var r client.Recording
	for i, u := range hostileURLs() {
		if canonical, err := security.ParseURL(u, nil); err != nil || canonical.String() != u {
			continue // no client sends such a request
		}
		r.Add(&client.Exchange{URL: u, Status: 200 + i, Header: http.Header{"Etag": {fmt.Sprint(i)}, "Link": {"<a>", "<b>"}}, Body: []byte("\n\r\n\x00{}" + u)})
	}
	for i, body := range []string{"", `{"a":1,"b":[2,"x"]}`, `{"jsonrpc":"2.0","method":"tools/list"}`, "a=1&b=2", "\x00\xff"} {
		r.Add(&client.Exchange{URL: "https://shop.example/a", Method: "POST", Request: []byte(body), Status: 200, Header: http.Header{"Etag": {fmt.Sprint(i)}}, Body: []byte("{}")})
		r.Add(&client.Exchange{URL: "https://shop.example/f", Method: "DELETE", Request: []byte(body), Failure: &client.Failure{Stage: "body", Code: wayfind.CodeTruncated}})
	}
	r.Add(&client.Exchange{URL: "https://shop.example/bare", Status: 404, Header: http.Header{}})
	for i, f := range []client.Failure{
		{Stage: "dns", Code: wayfind.CodeDNSNotFound},
		{Stage: "tls", Code: wayfind.CodeTLS, Reason: "certificate of an unknown authority"},
		{Stage: client.StageHeld, Code: wayfind.CodeNotBefore, Wait: 90 * time.Second},
	} {
		r.Add(&client.Exchange{URL: fmt.Sprintf("https://f%d.example/", i), Failure: &f})
	}
	again, err := client.ReadRecording(filesOf(&r))
	if err != nil {
		t.Fatal(err)
	}
	want := r.Exchanges()
	if len(want) < 30 {
		t.Fatalf("%d exchanges are left to look at", len(want))
	}
	if diff := cmp.Diff(want, again.Exchanges(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if diff := cmp.Diff(r.Files(), again.Files()); diff != "" {
		t.Errorf("files, written again:\n%s", diff)
	}
}

// The first answer is recorded, or a failure if there is no answer.
func TestRecording_OneForEachURL(t *testing.T) {
	const u = "https://shop.example/"
	failure := func(c wayfind.Code) *client.Exchange {
		return &client.Exchange{URL: u, Failure: &client.Failure{Stage: "body", Code: c}}
	}
	var r client.Recording
	for i, x := range []*client.Exchange{failure(wayfind.CodeTimeout), failure(wayfind.CodeTruncated), {URL: u, Status: 200}, {URL: u, Status: 404}, failure(wayfind.CodeNetwork)} {
		r.Add(x)
		want := "200 "
		if i < 2 {
			want = "0 timeout"
		}
		got := r.Lookup(u)
		text := fmt.Sprint(got.Status, " ")
		if got.Failure != nil {
			text += string(got.Failure.Code)
		}
		if text != want {
			t.Errorf("after %d: %q, want %q", i+1, text, want)
		}
	}
}

// A recording that cannot be read is an error that names the place.
func TestReadRecording_Errors(t *testing.T) {
	const good = "https://shop.example/a shop.example/a.http\n"
	for name, row := range map[string]struct{ index, file, want string }{
		"empty":            {"", "", "is empty"},
		"something else":   {"hello\n", "", "does not begin with"},
		"another version":  {"wayfind recording 3\n", "", "does not begin with"},
		"newer":            {"wayfind recording 3\n" + good, "HTTP/1.1 200 OK\n\n", `but with "wayfind recording 3"`},
		"a call too early": {"wayfind recording 1\nPOST https://shop.example/a - shop.example/a.http\n", "HTTP/1.1 200 OK\n\n", "canonical"},
		"no request":       {"wayfind recording 2\nPOST https://shop.example/a b.request shop.example/a.http\n", "HTTP/1.1 200 OK\n\n", "b.request"},
		"request outside":  {"wayfind recording 2\nPOST https://shop.example/a ../b shop.example/a.http\n", "HTTP/1.1 200 OK\n\n", "../b"},
		"no answer":        {"wayfind recording 2\nPOST https://shop.example/a -\n", "", "index.txt:2"},
		"older":            {"wayfind recording 0\n" + good, "HTTP/1.1 200 OK\n\n", `but with "wayfind recording 0"`},
		"no number":        {"wayfind recording\n" + good, "HTTP/1.1 200 OK\n\n", "does not begin with"},
		"garbage":          {"\x00\xff\n" + good, "HTTP/1.1 200 OK\n\n", "does not begin with"},
		"no URL":           {"wayfind recording 1\nhello there\n", "", "index.txt:2"},
		"plain http":       {"wayfind recording 1\n" + good + "http://shop.example/ a\n", "HTTP/1.1 200 OK\n\n", "index.txt:3"},
		"not canonical":    {"wayfind recording 1\nhttps://SHOP.example/ shop.example/a.http\n", "HTTP/1.1 200 OK\n\n", "canonical"},
		"no file":          {"wayfind recording 1\nhttps://shop.example/\n", "", "index.txt:2"},
		"outside":          {"wayfind recording 1\nhttps://shop.example/ ../a.http\n", "", "index.txt:2"},
		"missing":          {"wayfind recording 1\nhttps://shop.example/ shop.example/b.http\n", "", "b.http"},
		"no status":        {"wayfind recording 1\n" + good, "HTTP/1.1 2x0 OK\n\n", "not a status"},
		"no message":       {"wayfind recording 1\n" + good, "hello", "a.http"},
		"odd field":        {"wayfind recording 1\n" + good, "HTTP/1.1 200 OK\nE tag: x\n\n", "E tag"},
		"no empty line":    {"wayfind recording 1\n" + good, "HTTP/1.1 200 OK\nEtag: x", "empty line"},
		"too large":        {"wayfind recording 1\n" + good, "HTTP/1.1 200 OK\n\n" + strings.Repeat("x", 9<<20), "too large"},
		"half a failure":   {"wayfind recording 1\nhttps://shop.example/ failed dns\n", "", "no stage and code"},
		"odd wait":         {"wayfind recording 1\nhttps://shop.example/ failed held not_before wait=-1s\n", "", "not a time"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{client.RecordingIndex: {Data: []byte(row.index)}, "shop.example/a.http": {Data: []byte(row.file)}}
			_, err := client.ReadRecording(fsys)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want one with %q", err, row.want)
			}
			if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != wayfind.CodeStored || !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("%v is not of a stored file", err)
			}
		})
	}
	if _, err := client.ReadRecording(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no index: %v", err)
	}
}

// Version control may change the line ends of a head.
func TestReadRecording_LineEnds(t *testing.T) {
	fsys := fstest.MapFS{
		client.RecordingIndex: {Data: []byte("wayfind recording 1\r\nhttps://shop.example/a a.http\r\n")},
		"a.http":              {Data: []byte("HTTP/1.1 200 OK\r\nEtag: x\r\n\r\n{}\r\n")},
	}
	r, err := client.ReadRecording(fsys)
	if err != nil {
		t.Fatal(err)
	}
	want := &client.Exchange{URL: "https://shop.example/a", Status: 200, Header: http.Header{"Etag": {"x"}}, Body: []byte("{}\r\n")}
	if diff := cmp.Diff(want, r.Lookup("https://shop.example/a")); diff != "" {
		t.Errorf("(-want +read):\n%s", diff)
	}
}

// The last answer of a call is recorded: it follows the demand for a credential, and ends a wait.
func TestRecording_LastAnswerOfACall(t *testing.T) {
	x := func(status int, body string) *client.Exchange {
		return &client.Exchange{URL: "https://shop.example/", Method: "POST", Request: []byte(body), Status: status}
	}
	var r client.Recording
	for _, add := range []*client.Exchange{x(401, "{}"), x(200, "{}"), x(201, `{"a":1}`), {URL: "https://shop.example/", Method: "POST", Request: []byte("{}"), Failure: &client.Failure{Stage: "body", Code: wayfind.CodeTimeout}}} {
		r.Add(add)
	}
	for body, want := range map[string]int{"": 0, " { } ": 200, `{"a": 1}`: 201, `{"a":1,"messageId":"6f2c"}`: 201, `{"a":2}`: 0} {
		got := 0
		if x := r.Answer("POST", "https://shop.example/", []byte(body)); x != nil {
			got = x.Status
		}
		if got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	if r.Answer("GET", "https://shop.example/", nil) != nil || r.Answer("PUT", "https://shop.example/", []byte("{}")) != nil {
		t.Error("another method has the answer")
	}
}

// Bodies of calls contain no secret, in any media type. The name of the scheme of a credential
// stays.
func TestRecording_BodiesWithoutSecrets(t *testing.T) {
	for body, want := range map[string]string{
		`{"password": "x", "pin": 1234, "nested": {"api_key": ["a"]}}`:                                                      `{"nested":{"api_key":["REDACTED"]},"password":"REDACTED","pin":0}`,
		`{"properties": {"password": {"type": "string"}}}`:                                                                  `{"properties":{"password":{"type":"string"}}}`,
		`{"url": "https://a.example/?token=abc&x=1"}`:                                                                       `{"url":"https://a.example/?token=REDACTED&x=1"}`,
		`grant=code&client_secret=abc&x=1`:                                                                                  `grant=code&client_secret=REDACTED&x=1`,
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"clientInfo":{"name":"a"}}}`:                               `{"jsonrpc":"2.0","method":"initialize"}`,
		`{"id":"b","jsonrpc":"2.0","method":"tools/call","params":{"name":"x","_meta":{"progressToken":1},"arguments":{}}}`: `{"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{},"name":"x"}}`,
		"--7f\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--7f--\r\n":                                         "--boundary\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--boundary--",
	} {
		got := string(client.RecordedRequest([]byte(body)))
		if got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", body, got, want)
		}
		if again := string(client.RecordedRequest([]byte(got))); again != got {
			t.Errorf("%s became %s", got, again)
		}
	}
}

// A recording that was read and written again is read as the same.
func FuzzReadRecording(f *testing.F) {
	f.Add("https://shop.example/a", "shop.example/a.http", "HTTP/1.1 200 OK\nEtag: x\n\nbody")
	f.Add("https://shop.example/a?token=x", "failed tls tls certificate expired", "")
	f.Add("https://shop.example/AUX", "failed held not_before wait=1m0s", "HTTP/1.1 099\nA:\n\n")
	f.Fuzz(func(t *testing.T, u, what, file string) {
		fsys := fstest.MapFS{client.RecordingIndex: {Data: []byte("wayfind recording 1\n" + u + " " + what + "\n")}}
		if fs.ValidPath(what) && what != "." && path.Clean(what) != client.RecordingIndex {
			fsys[what] = &fstest.MapFile{Data: []byte(file)}
		}
		r, err := client.ReadRecording(fsys)
		if err != nil {
			return
		}
		again, err := client.ReadRecording(filesOf(r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Exchanges(), again.Exchanges(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-read +read again):\n%s", diff)
		}
	})
}
