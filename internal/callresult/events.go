package callresult

import (
	"bytes"
	"strings"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Event is one of a stream of events.
type Event struct {
	Type, ID, Data string
}

// Stream reads a stream of events (WHATWG HTML §9.2.6) piece by piece, as it arrives.
// The zero Stream is at its beginning.
type Stream struct {
	rest   []byte
	seen   int // bytes of rest that have no end of a line
	event  Event
	data   []string
	size   int
	begun  bool
	cut    bool
	skipLF bool
}

// maxEvent is the most that is kept of one event, in bytes.
const maxEvent = 1 << 20

// Cut reports that an event was too large, and that its end is missing.
func (s *Stream) Cut() bool { return s.cut }

// Feed reads a piece, and hands on the events that end in it.
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
	case "data":
		if s.size += len(value) + 1; s.size > maxEvent {
			s.cut = true
			return
		}
		s.data = append(s.data, value)
	}
}

// collect makes one JSON list, or else one text, of a stream that was read in full.
// The mark that some services end with is left out.
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

// lines makes a JSON list of a text with a value on each line, nil where it is none.
func lines(body []byte) []byte {
	var values []string
	for line := range bytes.Lines(body) {
		if line = bytes.Trim(line, " \t\r\n\x1e"); len(line) > 0 {
			values = append(values, string(line))
		}
	}
	return listOf(values)
}

// listOf joins texts that are all JSON, nil where one is not.
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
