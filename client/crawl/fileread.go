package crawl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// record is the content of a line about a target. Results are read by FileOptions.Head.
type record struct {
	Op      string `json:"op"` // the first member: see isRecord
	Target  string `json:"target"`
	Attempt int    `json:"attempt,omitempty"`
	cause   string // only for a result
}

// Values of record.Op.
const (
	opOffer  = "offer"
	opTried  = "tried"
	opResult = "result" // never written
)

const (
	// fileBegin is the first line of a file with offers.
	fileBegin = `{"schema":"wayfind/crawl-file/1"}` + "\n"
	// isRecord is the beginning of each line that is not a result.
	isRecord = `{"op":"`
)

// maxAttempt is the maximum number of attempts in a line. It can be incremented without
// overflow.
const maxAttempt = math.MaxInt32 - 1

// errNoResult is the error for a line that does not belong to a queue.
var errNoResult = errors.New("it does not belong to a queue")

// parse parses a line.
func (q *File) parse(line []byte) (r record, err error) {
	if string(line) == fileBegin {
		return r, nil
	}
	if bytes.HasPrefix(line, []byte(isRecord)) {
		if json.Unmarshal(line, &r) != nil || r.Target == "" || r.Op != opOffer && (r.Op != opTried || r.Attempt < 1 || r.Attempt > maxAttempt) {
			return r, errNoResult
		}
		return r, nil
	}
	r.Op = opResult
	r.Target, r.cause, err = q.opts.Head(headOf(bytes.TrimSuffix(line, []byte("\n"))))
	return r, err
}

// headOf returns the beginning of a line without its Site. The separator cannot occur inside a
// string, because its quotes would be escaped.
func headOf(line []byte) []byte {
	if head, _, ok := bytes.Cut(line, []byte(`,"site":`)); ok {
		return append(bytes.Clone(head), '}')
	}
	return line
}

// readHead is the default of FileOptions.Head.
func readHead(data []byte) (target, cause string, err error) {
	var head struct{ Target, Cause string }
	if json.Unmarshal(data, &head) == nil && head.Target != "" && head.Cause != "" {
		return head.Target, head.Cause, nil
	}
	if bytes.HasPrefix(data, []byte(`{"target":"`)) {
		return "", "", io.ErrUnexpectedEOF
	}
	return "", "", errNoResult
}

// maxHead is the maximum length of the part of a line that is parsed, in bytes.
const maxHead = 64 << 10

// lineReader reads the lines of a file one after another.
type lineReader struct {
	in *bufio.Reader
	at int64 // the beginning of the next line
}

// newLineReader reads the lines from an offset on, including lines that are written later.
func newLineReader(f io.ReaderAt, at int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(f, at, 1<<62), maxHead), at: at}
}

// next returns at most maxHead bytes of the next line, and its offset. The bytes are valid
// until the next call. The error is io.EOF for an incomplete line.
func (l *lineReader) next() (line []byte, at int64, err error) {
	at = l.at
	line, err = l.in.ReadSlice('\n')
	if len(line) == 0 {
		line, err = l.in.ReadSlice('\n') // the file may have grown since the reader met its end
	}
	size := int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			more, err = l.in.ReadSlice('\n')
			size += int64(len(more))
		}
	}
	if err == nil {
		l.at += size
	}
	return line, at, err
}

// load reads the lines that an earlier process has written.
func (q *File) load() error {
	lines := newLineReader(q.f, 0)
	for number := 1; ; number++ {
		line, _, err := lines.next()
		if errors.Is(err, io.EOF) {
			q.size = lines.at
			return q.complete(line)
		}
		if err != nil {
			return err
		}
		r, err := q.parse(line)
		if err == nil {
			err = q.replay(r, lines.at)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w; the file was left as it is", number, err)
		}
	}
}

// complete removes an incomplete last line, and writes the first line of an empty file.
func (q *File) complete(rest []byte) error {
	if q.size == 0 && len(rest) > 0 && !strings.HasPrefix(fileBegin, string(rest)) {
		if _, err := q.parse(rest); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("line 1: %w; the file was left as it is", err)
		}
	}
	info, err := q.f.Stat()
	if err != nil {
		return err
	}
	if q.cut = info.Size() - q.size; q.cut > 0 {
		if err := q.f.Truncate(q.size); err != nil {
			return err
		}
	}
	if q.size > 0 || q.opts.ResultsOnly {
		return nil
	}
	return q.write([]byte(strings.TrimSpace(fileBegin)))
}

// replay applies a line that ends at an offset.
func (q *File) replay(r record, end int64) error {
	switch {
	case r.Op == opOffer:
		q.setOpen(r.Target)
		q.offered = end
	case r.Op == opTried && q.known[digestOf(r.Target)]&isOpen != 0:
		q.tried[r.Target] = r.Attempt
	case r.Op == opTried:
		return errNoResult
	case r.Op == opResult && r.Target != "":
		q.setFinished(r.Target, isOld)
	}
	return nil
}
