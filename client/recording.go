package client

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/security"
)

// Recording holds the requests and answers of a Client, as files that a person can
// read and a test can replay (clienttest.Replay). The zero value is empty; its
// method Add is for Options.Lab.Record. It is safe for concurrent use.
//
// Its index lists all URLs, sorted. Requests are made at once, so there is no repeatable order of
// requests.
//
//	wayfind recording 1
//	https://shop.example/.well-known/agent shop.example/well-known_agent.http
//	https://shop.example/agents.md failed body truncated
//	https://shop.example/llms.txt failed held not_before wait=2m0s
//	https://www.shop.example/ failed tls tls certificate expired
//
// A file is an HTTP message: status line, header fields and an empty line with Unix line ends, then
// the body. Names consist of lower-case letters, digits, ".", "-" and "_" (for a slash). A name
// that does not represent all of its URL contains "~" and a hash. Exchange describes the content of
// the files. Two recordings of a site that has not changed are the same.
type Recording struct {
	mu    sync.Mutex
	byURL map[string]*Exchange
}

// recordingIndex is the name of the file that lists all others.
const recordingIndex = "index.txt"

// recordingMark is the first line of the index: the rest is version 1.
const recordingMark = "wayfind recording 1"

// Bounds on reading, because the recording may come from a stranger.
const (
	// maxIndex has room for thousands of URLs of the greatest length.
	maxIndex = 16 << 20
	// maxRecorded is the size of the largest answer that the cache keeps, plus its header.
	maxRecorded = cache.DefaultMaxBody + 64<<10
)

// Add adds an Exchange. If there are several for one URL, the first answer is kept; if there is no
// answer, the first failure.
func (r *Recording) Add(x *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byURL == nil {
		r.byURL = map[string]*Exchange{}
	}
	if known := r.byURL[x.URL]; known == nil || known.Failure != nil && x.Failure == nil {
		r.byURL[x.URL] = x
	}
}

// Exchanges returns all exchanges, sorted by URL.
func (r *Recording) Exchanges() []*Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*Exchange
	for _, x := range r.byURL {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *Exchange) int { return strings.Compare(a.URL, b.URL) })
	return list
}

// Lookup returns the result for a URL, or nil if it is not recorded. The URL may hold the secrets
// that were redacted.
func (r *Recording) Lookup(u string) *Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byURL[secret.Recorded(u)]
}

// Files returns the recording as files: slash-separated names and contents.
func (r *Recording) Files() map[string][]byte {
	files := map[string][]byte{}
	var index strings.Builder
	fmt.Fprintln(&index, recordingMark)
	for _, x := range r.Exchanges() {
		if x.Failure != nil {
			fmt.Fprintln(&index, x.URL, x.Failure)
			continue
		}
		name := recordedName(x.URL)
		fmt.Fprintln(&index, x.URL, name)
		files[name] = x.message()
	}
	files[recordingIndex] = []byte(index.String())
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
	if err != nil {
		return nil, err
	}
	r := &Recording{byURL: map[string]*Exchange{}}
	number := 0
	for line := range strings.Lines(string(index)) {
		line = strings.TrimRight(line, "\r\n")
		switch number++; {
		case number == 1 && line != recordingMark:
			return nil, fmt.Errorf("%s does not begin with %q but with %+.40q: read it with the program that wrote it", recordingIndex, recordingMark, line)
		case number == 1:
			continue
		}
		x, err := readExchange(fsys, line)
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

// readExchange reads the exchange of a line of the index.
func readExchange(fsys fs.FS, line string) (*Exchange, error) {
	text, what, _ := strings.Cut(line, " ")
	u, err := security.ReadURL(text)
	if err != nil || u.String() != text {
		return nil, fmt.Errorf("%q is not a URL in canonical form", text)
	}
	x := &Exchange{URL: secret.Recorded(text)}
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
