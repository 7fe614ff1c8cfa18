package actors

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readFrames reads a stream to its end.
func readFrames(r io.Reader) ([]frame, error) {
	in := newFrames(r)
	var list []frame
	for {
		f, err := in.next()
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
}

var allow = cmp.AllowUnexported(frame{})

// The examples of WHATWG HTML §9.2.6, and its other rules.
func TestFrames(t *testing.T) {
	message := func(data string) frame { return frame{kind: "message", data: data} }
	rows := []struct {
		name, in string
		want     []frame
	}{
		{"three lines", "data: YHOO\ndata: +2\ndata: 10\n\n", []frame{message("YHOO\n+2\n10")}},
		{"identifiers", ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
			[]frame{{kind: "message", data: "first event", id: "1"}, message("second event"), message(" third event")}},
		{"empty data", "data\n\ndata\ndata\n\ndata:", []frame{message(""), message("\n")}},
		{"one blank", "data:test\n\ndata: test\n\n", []frame{message("test"), message("test")}},
		{"types", "event: add\ndata: 1\n\nevent: add\n\ndata: 2\n\n", []frame{{kind: "add", data: "1"}, message("2")}},
		{"ends of lines", "data: 1\r\n\r\ndata: 2\r\rdata: 3\n\r\ndata: 4\r\n\ndata: 5\n\n", []frame{message("1"), message("2"), message("3"), message("4"), message("5")}},
		{"a byte order mark", "\ufeffdata: 1\n\n\ufeffdata: 2\n\n", []frame{message("1")}},
		{"unknown fields", "DATA: 1\n data: 2\nfoo\n\n", nil},
		{"an identifier with NUL", "id: a\x00b\ndata: 1\n\n", []frame{message("1")}},
		{"an identifier stays", "id: 1\n\ndata: 1\n\ndata: 2\n\n", []frame{{kind: "message", data: "1", id: "1"}, {kind: "message", data: "2", id: "1"}}},
		{"retry", "retry: 10\nretry: x\nretry: -1\nretry\ndata: 1\n\nretry: 99999999999999999999\ndata: 2\n\n",
			[]frame{{kind: "message", data: "1", retry: 10 * time.Millisecond}, {kind: "message", data: "2", retry: maxRetry}}},
		{"no UTF-8", "data: a\xffb\n\n", []frame{message("a\ufffdb")}},
		{"not ended", "data: 1\n", nil},
		{"nothing", "", nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			for way, in := range map[string]io.Reader{"at once": strings.NewReader(r.in), "byte by byte": iotest.OneByteReader(strings.NewReader(r.in))} {
				got, err := readFrames(in)
				if d := cmp.Diff(r.want, got, allow); err != io.EOF || d != "" {
					t.Errorf("%s: %v (-want +got):\n%s", way, err, d)
				}
			}
		})
	}
}

// An event is returned as soon as its empty line has arrived, even if the line ends in a CR
// that a LF may follow.
func TestFramesDoNotReadAhead(t *testing.T) {
	later := errors.New("later")
	for _, end := range []string{"\n", "\r", "\r\n"} {
		in := newFrames(io.MultiReader(strings.NewReader("data: 1"+end+end), iotest.ErrReader(later)))
		if f, err := in.next(); err != nil || f.data != "1" {
			t.Errorf("%q: %v, %+v", end, err, f)
		}
		if _, err := in.next(); !errors.Is(err, later) {
			t.Errorf("%q: %v", end, err)
		}
	}
}

// The limits are exact to the byte.
func TestFrameLimits(t *testing.T) {
	line := strings.Repeat("x", maxLine-len("data:"))
	if got, err := readFrames(strings.NewReader("data:" + line + "\n\n")); err != io.EOF || len(got) != 1 || len(got[0].data) != len(line) {
		t.Errorf("the longest line: %v, %d", err, len(got))
	}
	rows := map[string]*limitError{
		"data:" + line + "x\n\n":                        {"line", maxLine},
		strings.Repeat("data:x\n", maxEvent/2) + "\n":   nil,
		strings.Repeat("data:x\n", maxEvent/2+1) + "\n": {"event", maxEvent},
	}
	for in, want := range rows {
		_, err := readFrames(strings.NewReader(in))
		var got *limitError
		errors.As(err, &got)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(limitError{})); d != "" {
			t.Errorf("%.20q (-want +got):\n%s", in, d)
		}
	}
}

// write writes events as a stream.
func write(list []frame) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "event: %s\nid: %s\nretry: %d\n", f.kind, f.id, f.retry.Milliseconds())
		for line := range strings.SplitSeq(f.data, "\n") {
			fmt.Fprintf(&b, "data: %s\n", line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The events of a stream do not depend on the pieces in which it arrives or on its kind of
// line ends, and do not change when they are written and read again.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"data: 1\n\n", "\ufeffevent: a\r\nid: 1\rdata: x\n\r\n", ":\n\nretry: 5\ndata\ndata\n\n", "id: \x00\ndata:\xff\n\n", "\r\r\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		first, err := readFrames(strings.NewReader(in))
		if err != io.EOF {
			if _, ok := errors.AsType[*limitError](err); !ok {
				t.Fatalf("%v", err)
			}
			return
		}
		unified := strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
		for name, again := range map[string]io.Reader{
			"byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"LF":           strings.NewReader(unified),
			"CR":           strings.NewReader(strings.ReplaceAll(unified, "\n", "\r")),
			"CR LF":        iotest.HalfReader(strings.NewReader(strings.ReplaceAll(unified, "\n", "\r\n"))),
			"written":      strings.NewReader(write(first)),
		} {
			got, err := readFrames(again)
			if d := cmp.Diff(first, got, allow); err != io.EOF || d != "" {
				t.Errorf("%s: %v (-first +again):\n%s", name, err, d)
			}
		}
	})
}
