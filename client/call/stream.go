package call

import (
	"context"
	"net/http"

	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Event is one event of an answer that is a stream (text/event-stream). It is passed on when
// it arrives. Its texts come from the service: cleaned, cut, without credentials of the call.
type Event struct {
	// Tool is the name of the tool that is called.
	Tool string
	// Type, ID and Data are the fields of the event.
	Type, ID, Data string
}

// maxWord is the maximum number of characters in the type and the ID of an event that is
// passed on.
const maxWord = 256

// handOn returns a listener that passes the events of an answer over plain HTTP to
// Options.Event.
func handOn(ctx context.Context) func(*sent, *http.Response) *listener {
	return func(s *sent, resp *http.Response) *listener {
		tell := s.caller.opts.Event
		if tell == nil || s.protocol.name != callable.HTTP || resp.StatusCode < 200 || resp.StatusCode > 299 || !isEventStream(resp.Header) {
			return nil
		}
		clean := func(said string, lines bool, most int) string {
			purpose := secret.Line
			if lines {
				purpose = secret.Lines
			}
			return s.equipment.secrets.show(said, purpose, most)
		}
		l, stream := &listener{}, &callresult.Stream{}
		l.feed = func(piece []byte) bool {
			stream.Feed(piece, func(e callresult.Event) {
				if l.heard = true; l.failed == nil {
					own := &Event{s.tool.Name, clean(e.Type, false, maxWord), clean(e.ID, false, maxWord), clean(e.Data, true, s.caller.opts.ModelBytes)}
					l.failed = tellHook("Event", func() { tell(ctx, own) })
				}
			})
			return l.failed != nil
		}
		return l
	}
}
