package callresult

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Event is one event of a stream.
type Event struct {
	Type, ID, Data string
}

// Stream reads a stream of events (WHATWG HTML §9.2.6) piece by piece, as it arrives. The zero
// Stream is ready to use.
type Stream struct {
	rest   []byte
	seen   int // number of bytes of rest without the end of a line
	event  Event
	data   []string
	size   int
	begun  bool
	cut    bool
	skipLF bool
	last   string // the last event ID
	retry  time.Duration
}

// maxEvent is the maximum number of bytes that are kept of one event.
const maxEvent = 1 << 20

// Cut reports whether an event was too large, so that a part of it is missing.
func (s *Stream) Cut() bool { return s.cut }

// Last returns the ID of the last event that is complete, and the time after which the server wants a client
// to connect again, 0 if it does not say.
func (s *Stream) Last() (id string, retry time.Duration) { return s.last, s.retry }

// Feed reads a piece, and calls each for the events that end in it.
func (s *Stream) Feed(piece []byte, each func(Event)) {
	s.rest = append(s.rest, piece...)
	if mark := []byte("\ufeff"); !s.begun {
		if bytes.HasPrefix(mark, s.rest) && len(s.rest) < len(mark) {
			return
		}
		s.rest, s.begun = bytes.TrimPrefix(s.rest, mark), true
	}
	for {
		if s.skipLF && len(s.rest) > 0 {
			s.rest, s.skipLF = bytes.TrimPrefix(s.rest, []byte("\n")), false
		}
		end := bytes.IndexAny(s.rest[s.seen:], "\r\n")
		if end < 0 {
			if len(s.rest) > maxEvent {
				s.rest, s.cut = s.rest[:maxEvent], true
			}
			s.seen = len(s.rest)
			return
		}
		end += s.seen
		line := string(s.rest[:end])
		s.seen = 0
		s.skipLF = s.rest[end] == '\r'
		s.rest = s.rest[end+1:]
		s.line(line, each)
	}
}

func (s *Stream) line(line string, each func(Event)) {
	if line == "" {
		if s.data != nil {
			s.event.Data = strings.Join(s.data, "\n")
			each(s.event)
		}
		s.last = s.event.ID
		s.event, s.data, s.size = Event{ID: s.event.ID}, nil, 0
		return
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		s.event.Type = value
	case "id":
		if !strings.Contains(value, "\x00") {
			s.event.ID = value
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
			s.retry = time.Duration(ms) * time.Millisecond
		}
	case "data":
		if s.size += len(value) + 1; s.size > maxEvent {
			s.cut = true
			return
		}
		s.data = append(s.data, value)
	}
}

// collect returns the events of a whole stream as one JSON list if they are all JSON, and as
// one text. The mark with which some services end the stream is left out.
func collect(body []byte) (list []byte, plain string) {
	var events []string
	var s Stream
	s.Feed(append(bytes.Clone(body), '\n', '\n'), func(e Event) {
		if e.Data != "[DONE]" {
			events = append(events, e.Data)
		}
	})
	return listOf(events), strings.Join(events, "\n")
}

// lines returns a JSON list of the values in a text with one value per line; nil if a line is
// not JSON.
func lines(body []byte) []byte {
	var values []string
	for line := range bytes.Lines(body) {
		if line = bytes.Trim(line, " \t\r\n\x1e"); len(line) > 0 {
			values = append(values, string(line))
		}
	}
	return listOf(values)
}

// listOf returns a JSON list of texts that are all JSON; nil if one of them is not, or if
// there is no text.
func listOf(values []string) []byte {
	if len(values) == 0 {
		return nil
	}
	out := []byte{'['}
	for i, v := range values {
		if _, err := jsonscan.Scan([]byte(v)); err != nil {
			return nil
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
