package client

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security"
)

// Recording holds the requests and answers of a Client, as files that a person can
// read and a test can replay (clienttest.Replay). Save writes them. The zero value is empty; its
// method Add is for Options.Lab.Record. It is safe for concurrent use.
//
// Its index lists all URLs, sorted. Requests are made at once, so there is no repeatable order of
// requests.
//
//	wayfind recording 2
//	https://shop.example/.well-known/agent shop.example/well-known_agent.http
//	https://shop.example/agents.md failed body truncated
//	https://shop.example/llms.txt failed held not_before wait=2m0s
//	https://www.shop.example/ failed tls tls certificate expired
//
// The first line is that of version 1 in a recording without calls, which earlier programs read. The line
// of a call begins with its method, and names a file with the body of the request, or "-":
//
//	POST https://shop.example/orders shop.example/post-orders~1f3a….request shop.example/post-orders~1f3a….http
//
// A request can be edited: a call is found by its method, its URL and the content of this file.
//
// Any other file is an HTTP message: status line, header fields and an empty line with Unix line ends, then
// the body. Names consist of lower-case letters, digits, ".", "-" and "_" (for a slash). A name
// that does not represent all of its URL contains "~" and a hash. Exchange describes the content of
// the files. Two recordings of a site that has not changed are the same.
type Recording struct {
	mu    sync.Mutex
	byKey map[exchangeKey]*Exchange
	rpc   map[string]bool // URLs of conversations in JSON-RPC
}

// recordingIndex is the name of the file that lists all others.
const recordingIndex = "index.txt"

// The first line of the index. Only version 2 has lines with a method. A recording without calls is
// written as version 1, which earlier programs read.
const (
	recordingMark      = "wayfind recording 1"
	recordingMarkCalls = "wayfind recording 2"
)

// Bounds on reading, because the recording may come from a stranger.
const (
	// maxIndex has room for thousands of URLs of the greatest length.
	maxIndex = 16 << 20
	// maxRecorded is the size of the largest answer that the cache keeps, plus its header.
	maxRecorded = cache.DefaultMaxBody + 64<<10
)

// Add adds an Exchange. If there are several for one document, the first answer is kept; if there is
// no answer, the first failure. If there are several for one request of a call, the last answer is
// kept: it follows a demand for a credential, and answers that ask the client to wait.
func (r *Recording) Add(x *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey, r.rpc = map[exchangeKey]*Exchange{}, map[string]bool{}
	}
	known := r.byKey[x.key()]
	if known == nil || known.Failure != nil && x.Failure == nil || x.Method != "" && (known.Failure == nil) == (x.Failure == nil) {
		r.byKey[x.key()] = x
	}
	if x.Method == http.MethodPost && recordedRequest(x.Request).rpc {
		r.rpc[x.URL] = true
	}
}

// Exchanges returns all exchanges, sorted by URL, method and body.
func (r *Recording) Exchanges() []*Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*Exchange
	for _, x := range r.byKey {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *Exchange) int { return a.key().compare(b.key()) })
	return list
}

// Lookup returns the result for the URL of a document, or nil if it is not recorded. The URL may
// hold the secrets that were redacted.
func (r *Recording) Lookup(u string) *Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byKey[exchangeKey{url: secret.Message{}.URL(u)}]
}

// Save writes Files to a directory, which it makes. It replaces a recording that is there, file by
// file, and refuses a directory with anything else. It writes nothing outside the directory,
// whatever names and links are in it, and the index last: a write that was interrupted leaves no
// recording.
func (r *Recording) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		old, err := ReadRecording(root.FS())
		if err != nil {
			return fmt.Errorf("%s has files that are no recording: %w", dir, err)
		}
		if err := removeRecording(root, old); err != nil {
			return err
		}
	}
	files := r.Files()
	index := files[recordingIndex]
	delete(files, recordingIndex)
	for name, content := range files {
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := privatefile.WriteIn(root, name, content); err != nil {
			return err
		}
	}
	return privatefile.WriteIn(root, recordingIndex, index)
}

// removeRecording removes the files of a recording, and no others.
func removeRecording(root *os.Root, old *Recording) error {
	if err := root.Remove(recordingIndex); err != nil {
		return err
	}
	for name := range old.Files() {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = root.Remove(path.Dir(name)) // fails while something is in it
	}
	return nil
}

// Files returns the recording as files: slash-separated names and contents.
func (r *Recording) Files() map[string][]byte {
	files := map[string][]byte{}
	var index strings.Builder
	mark := recordingMark
	for _, x := range r.Exchanges() {
		head, name := x.URL, recordedName(x.URL)
		if x.Method != "" {
			mark = recordingMarkCalls
			var request string
			if request, name = x.callNames(); request != "" {
				files[request] = x.Request
			}
			head = x.Method + " " + x.URL + " " + cmp.Or(request, noRequest)
		}
		if x.Failure != nil {
			fmt.Fprintln(&index, head, x.Failure)
			continue
		}
		fmt.Fprintln(&index, head, name)
		files[name] = x.message()
	}
	files[recordingIndex] = []byte(mark + "\n" + index.String())
	return files
}

// ReadRecording reads the result of Files. The directory may come from a stranger: only regular
// files in it are read, and no link is followed, even if fsys would follow it (os.DirFS does). The
// error is of kind wayfind.ErrInvalid with code wayfind.CodeStored, and describes the fault of the
// index or of a file. It wraps fs.ErrNotExist if there is no index.txt. A recording of another
// version is not read.
func ReadRecording(fsys fs.FS) (*Recording, error) {
	r, err := readRecording(fsys)
	if err != nil {
		return nil, wayfind.NewError("recording", "", wayfind.CodeStored, err)
	}
	return r, nil
}

func readRecording(fsys fs.FS) (*Recording, error) {
	index, err := readAtMost(fsys, recordingIndex, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the directory contains no %s, so it is no recording (%w)", recordingIndex, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	r := &Recording{}
	number, calls := 0, false
	for line := range strings.Lines(string(index)) {
		line = strings.TrimRight(line, "\r\n")
		switch number++; {
		case number == 1 && line == recordingMarkCalls:
			calls = true
			continue
		case number == 1 && line != recordingMark:
			return nil, fmt.Errorf("%s does not begin with %q but with %+.40q: read it with the program that wrote it", recordingIndex, recordingMark, line)
		case number == 1:
			continue
		}
		x, err := readExchange(fsys, line, calls)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", recordingIndex, number, err)
		}
		r.Add(x)
	}
	if number == 0 {
		return nil, fmt.Errorf("%s is empty", recordingIndex)
	}
	return r, nil
}

// readExchange reads the exchange of a line of the index. With calls, the line may begin with a
// method, and then names the file of the request behind the URL.
func readExchange(fsys fs.FS, line string, calls bool) (*Exchange, error) {
	method, rest, _ := strings.Cut(line, " ")
	if calls = calls && isMethod(method); !calls {
		method, rest = "", line
	}
	text, what, _ := strings.Cut(rest, " ")
	u, err := security.ReadURL(text)
	if err != nil || u.String() != text {
		return nil, fmt.Errorf("%q is not a URL in canonical form", text)
	}
	x := &Exchange{URL: secret.Message{}.URL(text), Method: method}
	if calls {
		var request string
		request, what, _ = strings.Cut(what, " ")
		if request != noRequest {
			body, err := readAtMost(fsys, request, maxRecorded)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", request, err)
			}
			x.Request = recordedRequest(body).text
		}
	}
	if failure, ok := strings.CutPrefix(what, failedWord+" "); ok {
		x.Failure, err = parseFailure(failure)
		return x, err
	}
	content, err := readAtMost(fsys, what, maxRecorded)
	if err == nil {
		err = x.parse(content)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return x, nil
}

func readAtMost(fsys fs.FS, name string, limit int64) ([]byte, error) {
	if err := checkOwnFile(fsys, name); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err = b.ReadFrom(&atMost{f, limit}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// checkOwnFile refuses all but regular files below the directory of a
// recording: opening a pipe would block, and a link may lead anywhere.
func checkOwnFile(fsys fs.FS, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(fsys, name[:i])
		switch {
		case err != nil:
			return err
		case i < len(name) && !info.IsDir(), i == len(name) && !info.Mode().IsRegular():
			return &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a link or no regular file")}
		}
	}
	return nil
}

// atMost returns an error at the byte beyond its bound.
type atMost struct {
	fs.File
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.File.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return 0, errors.New("the file is too large")
	}
	return n, err
}

// noRequest is written in place of a file if a request has no body.
const noRequest = "-"

// isMethod reports whether a word is a method and not a URL.
func isMethod(word string) bool {
	return word != "" && len(word) <= 32 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}

// failedWord begins a failure in the index, at the position of a file name.
const failedWord = "failed"

// String returns the failure in words: "failed tls tls certificate expired".
func (f *Failure) String() string {
	text := failedWord + " " + f.Stage + " " + string(f.Code)
	if f.Wait > 0 {
		text += " wait=" + f.Wait.String()
	}
	if f.Reason != "" {
		text += " " + f.Reason
	}
	return text
}

func parseFailure(text string) (*Failure, error) {
	stage, rest, _ := strings.Cut(text, " ")
	code, rest, _ := strings.Cut(rest, " ")
	f := &Failure{Stage: stage, Code: wayfind.Code(code), Reason: rest}
	if wait, ok := strings.CutPrefix(rest, "wait="); ok {
		wait, f.Reason, _ = strings.Cut(wait, " ")
		var err error
		if f.Wait, err = time.ParseDuration(wait); err != nil || f.Wait < 0 {
			return nil, fmt.Errorf("the wait %q is not a time", wait)
		}
	}
	if stage == "" || code == "" {
		return nil, fmt.Errorf("%q names no stage and code", text)
	}
	return f, nil
}
