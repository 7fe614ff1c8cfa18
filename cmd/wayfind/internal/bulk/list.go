package bulk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
)

// maxListLine is the largest length of a line of a list, in bytes. No domain is as long. The
// beginning of a longer line is kept for the error report.
const maxListLine = 4 << 10

// listLine is a line of a list that may name a domain.
type listLine struct {
	number int // from 1
	text   string
	err    error // the error of reading, set on the last line
}

// lines yields the lines of a list that are not blank, without comments. It ends when ctx ends,
// even while a read from r blocks.
func lines(ctx context.Context, r io.Reader) iter.Seq[listLine] {
	return func(yield func(listLine) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		read := make(chan listLine)
		go readLines(ctx, r, read)
		for {
			select {
			case <-ctx.Done():
				return
			case l, ok := <-read:
				if !ok || !yield(l) {
					return
				}
			}
		}
	}
}

// readLines reads to the end of r. If ctx ends before, it stops after the next line.
func readLines(ctx context.Context, r io.Reader, to chan<- listLine) {
	defer close(to)
	in := bufio.NewReaderSize(r, maxListLine)
	for number := 1; ; number++ {
		text, err := readLine(in)
		if number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		l := listLine{number: number, text: uncommented(text)}
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
		if l.text != "" || l.err != nil {
			select {
			case to <- l:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads one line of any length; the part beyond maxListLine is lost.
func readLine(in *bufio.Reader) (string, error) {
	head, err := in.ReadSlice('\n')
	text := string(head)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return text, err
}

// uncommented returns a line without its comment and the blanks around it. A "#" inside a word is
// part of the word, which may be a URL.
func uncommented(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "#") {
		return ""
	}
	for _, mark := range []string{" #", "\t#"} {
		if i := strings.Index(s, mark); i >= 0 {
			s = strings.TrimSpace(s[:i])
		}
	}
	return s
}

// countLines returns the number of lines of a list that may name a domain, or -1 if the list cannot
// be read twice.
func countLines(r io.Reader) int64 {
	f, ok := r.(io.ReadSeeker)
	if !ok {
		return -1
	}
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1 // a pipe with a name, whose lines can be read once
	}
	var n int64
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !errors.Is(err, bufio.ErrBufferFull) {
			n++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return -1
	}
	return n
}
