package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind"
)

// result is one line of batch's output, beside its schema and its failure.
// The Site comes last: a later run needs only the members before it.
type result struct {
	// Target is the canonical spelling of a domain, or a line that names none.
	Target string `json:"target"`
	// Line of the list.
	Line int `json:"line,omitempty"`
	// Site holds the offers of the domain, as "wayfind resolve" prints them.
	Site *wayfind.Site `json:"site,omitempty"`
}

// storedResult is a line that is read again.
type storedResult struct {
	Schema string   `json:"schema"`
	Error  *failure `json:"error"`
	result
}

// digest stands for the key of a target: of each the batch remembers no more.
type digest [16]byte

func digestOf(key string) (d digest) {
	sum := sha256.Sum256([]byte(key))
	copy(d[:], sum[:])
	return d
}

// results is the output of a batch, written one whole line at a time, and a
// record of the targets in it.
type results struct {
	w io.Writer
	f *os.File // w, when it is a file of ours

	mu      sync.Mutex
	before  map[digest]bool // in the file since an earlier run
	taken   map[digest]bool // in this one
	numbers map[string]int  // lines of the targets under way
	retry   []string        // codes and kinds of errors after which a target is asked again
	failed  error           // the first one
}

func newResults(w io.Writer) *results {
	return &results{w: w, before: map[digest]bool{}, taken: map[digest]bool{}, numbers: map[string]int{}}
}

// appendResults opens a file of results, made if need be, to be written on.
// dropped is the number of bytes at its end that were no whole line and were
// cut off. A file of anything else stays as it is: the error names the line.
func appendResults(name string, retry []string) (r *results, dropped int64, err error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, 0, err
	}
	r = newResults(f)
	r.f, r.retry = f, retry
	whole, err := r.remember(f)
	if err != nil {
		err = wayfind.NewError("batch", name, wayfind.CodeStored, err)
	}
	if err == nil {
		dropped, err = cutTo(f, whole)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return r, dropped, nil
}

// openRegular opens a regular file to be appended to, made for its owner alone
// if need be. A link could lead anywhere, and a pipe or a device could hold the
// command for ever.
func openRegular(name string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND
	refused := &fs.PathError{Op: "open", Path: name, Err: errors.New("it is no regular file")}
	there, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return os.OpenFile(name, flags|os.O_CREATE|os.O_EXCL, 0o600) // which follows no link
	}
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, refused
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(there, opened) {
		return nil, errors.Join(refused, f.Close())
	}
	return f, nil
}

// cutTo shortens a file and returns by how much.
func cutTo(f *os.File, size int64) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == size {
		return 0, err
	}
	return info.Size() - size, f.Truncate(size)
}

// maxResultHead bounds the part of a line before the Site.
const maxResultHead = 64 << 10

// remember reads what an earlier run has written, and returns where its last
// whole line ends.
func (r *results) remember(f io.Reader) (whole int64, err error) {
	in := bufio.NewReaderSize(f, maxResultHead)
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		head, size := bytes.Clone(resultHead(line)), int64(len(line))
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = in.ReadSlice('\n')
			size += int64(len(line))
		}
		if errors.Is(err, io.EOF) {
			if number == 1 && size > 0 && !bytes.HasPrefix(head, []byte(`{"schema":"`+schemaResult+`",`)) {
				return 0, fmt.Errorf("line 1: %w; the file was left as it is", errNoResult)
			}
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		have, err := readResult(head)
		if err != nil {
			return 0, fmt.Errorf("line %d: %w; the file was left as it is", number, err)
		}
		if have.finished(r.retry) {
			r.before[digestOf(have.Target)] = true
		}
		whole += size
	}
}

// errNoResult: a line of something else.
var errNoResult = errors.New("it is no result of a batch")

// readResult reads the members before the Site of a line. It rejects lines of
// another version, which must not be mixed with those of this one.
func readResult(head []byte) (*storedResult, error) {
	var have storedResult
	if err := json.Unmarshal(head, &have); err != nil {
		return nil, errNoResult
	}
	if err := checkSchema(have.Schema, schemaResult, errNoResult); err != nil {
		return nil, err
	}
	if have.Target == "" {
		return nil, errNoResult
	}
	return &have, nil
}

// resultHead is a line without its Site. No string holds the mark: its quotes
// would be escaped.
func resultHead(line []byte) []byte {
	if head, _, ok := bytes.Cut(line, []byte(`,"site":`)); ok {
		return append(bytes.Clone(head), '}')
	}
	return line
}

// finished reports whether the target need not be asked again. One whose site
// wanted to be asked later is asked, and so is one that failed for a cause in retry.
func (r *storedResult) finished(retry []string) bool {
	return r.Error == nil || r.Error.Kind != kindThrottled && !slices.Contains(retry, r.Error.Kind) && !slices.Contains(retry, r.Error.Code)
}

// take reports whether a target has not been taken before, and if it has,
// whether that was an earlier run.
func (r *results) take(key string, line int) (fresh, before bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := digestOf(key)
	before, fresh = r.before[d], !r.taken[d]
	r.taken[d] = true
	if fresh && !before {
		r.numbers[key] = line
	}
	return fresh && !before, fresh && before
}

// fail remembers the first error.
func (r *results) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = cmp.Or(r.failed, err)
}

func (r *results) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// write writes one result at once, so that a file has whole lines whenever the
// process ends. It reports false when it could not, and after that for ever.
func (r *results) write(key string, site *wayfind.Site, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = r.writeLine(key, site, err)
	}
	return r.failed == nil
}

func (r *results) writeLine(key string, site *wayfind.Site, err error) error {
	line, err := encodeJSON(result{key, r.numbers[key], site}, newFailure(key, err), false)
	delete(r.numbers, key)
	if err == nil {
		_, err = r.w.Write(line)
	}
	return err
}

// Close closes a file of ours.
func (r *results) Close() error {
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}
