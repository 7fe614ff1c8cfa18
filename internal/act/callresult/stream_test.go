package callresult_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/act/callresult"
)

// FuzzStream: the events of a stream do not depend on the pieces in which it arrives, each
// field of an event fits on one line of the stream, and a stream that is written from the
// events has the same events.
func FuzzStream(f *testing.F) {
	f.Add("data: a\n\n", 3)
	f.Add("\ufeffevent: e\r\nid: 1\r\ndata:  a\r\ndata\r\n\r\n:comment\rdata: b\r\r", 1)
	f.Add("id: 1\x00\ndata: {\"a\":1}\n\nid\ndata: [DONE]\n\n\n", 7)
	f.Add("event: x\n\ndata\n\ndata: no end", 2)
	f.Add("\xef\xbb", 1)
	f.Add(" data: a\ndata:\tb\nDATA: c\n\n\xff\n\n", 5)
	f.Fuzz(func(t *testing.T, sent string, size int) {
		events, cut := eventsOf([]byte(sent), len(sent)+1)
		for _, size := range []int{1, max(size, 1)} {
			if again, also := eventsOf([]byte(sent), size); !slices.Equal(again, events) || also != cut {
				t.Fatalf("in pieces of %d: %q, at once: %q", size, again, events)
			}
		}
		var written strings.Builder
		for _, e := range events {
			if strings.ContainsAny(e.Type+e.ID, "\r\n") || strings.Contains(e.ID, "\x00") || strings.Contains(e.Data, "\r") {
				t.Fatalf("no line says this: %q", e)
			}
			written.WriteString("event: " + e.Type + "\nid: " + e.ID + "\ndata: " + strings.ReplaceAll(e.Data, "\n", "\ndata: ") + "\n\n")
		}
		if again, _ := eventsOf([]byte(written.String()), 4096); !slices.Equal(again, events) {
			t.Fatalf("written and read again: %q, before: %q", again, events)
		}
	})
}

// eventsOf reads a stream that arrives in pieces of a size.
func eventsOf(stream []byte, size int) (events []callresult.Event, cut bool) {
	var s callresult.Stream
	for piece := range slices.Chunk(stream, size) {
		s.Feed(piece, func(e callresult.Event) { events = append(events, e) })
	}
	return events, s.Cut()
}

// An event may have at most a MiB of data. The end of a larger event is missing, and the
// stream reports that. The next event is complete.
func TestStreamBoundsAnEvent(t *testing.T) {
	const most = 1 << 20
	for _, row := range []struct {
		name, stream string
		cut          bool
	}{
		{"just right", "data: " + strings.Repeat("a", most-10) + "\n\n", false},
		{"one line too long", "data: " + strings.Repeat("a", most) + "\n\n", true},
		{"far too long", "data: " + strings.Repeat("a", 4*most) + "\n\n", true},
		{"many lines", strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 2000) + "\n", true},
		{"no end", "data: " + strings.Repeat("a", 2*most), true},
	} {
		for _, size := range []int{1000, 32 << 10, 8 * most} {
			events, cut := eventsOf([]byte(row.stream), size)
			if row.name == "no end" && size > most {
				continue // in one piece it is as large as its caller allows
			}
			if cut != row.cut {
				t.Errorf("%s in pieces of %d: cut %t, want %t", row.name, size, cut, row.cut)
			}
			for _, e := range events {
				if len(e.Data) > most {
					t.Errorf("%s in pieces of %d: an event of %d bytes", row.name, size, len(e.Data))
				}
			}
			if row.name == "no end" {
				continue
			}
			if after, _ := eventsOf([]byte(row.stream+"data: b\n\n"), size); len(after) == 0 || after[len(after)-1].Data != "b" {
				t.Errorf("%s in pieces of %d: the event after it is gone", row.name, size)
			}
		}
	}
}
