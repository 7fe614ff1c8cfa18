package call

import (
	"net/http"

	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Event is one event of an answer that is a stream (text/event-stream), as it arrives.
// Its texts are the service's: cleaned, cut, without credentials of the call.
type Event struct {
	// Tool that is called.
	Tool string
	// Type, ID and Data of the event.
	Type, ID, Data string
}

// maxWord is how many characters of the type and the ID of an event are handed on.
const maxWord = 256

// handOn returns the function that gets the pieces of an answer while it is read; nil
// where its events are not wanted.
func (r *run) handOn(resp *http.Response) func(piece []byte) {
	tell := r.caller.opts.Event
	if tell == nil || r.protocolName() != protocolHTTP || resp.StatusCode < 200 || resp.StatusCode > 299 || !isEventStream(resp.Header) {
		return nil
	}
	var s reply.Stream
	clean := func(said string, lines bool, most int) string {
		said, _ = text.Clean(string(r.redact([]byte(said))), lines, most)
		return said
	}
	return func(piece []byte) {
		s.Feed(piece, func(e reply.Event) {
			r.handed = true
			tell(r.ctx, &Event{r.tool.Name, clean(e.Type, false, maxWord), clean(e.ID, false, maxWord), clean(e.Data, true, r.caller.opts.ModelBytes)})
		})
	}
}
