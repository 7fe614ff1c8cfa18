package call

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// maxRounds is the maximum number of times that a tool may ask for more input.
const maxRounds = 3

// prepareMCP writes a request to an MCP server over streamable HTTP that calls a tool, reads a
// resource or gets a prompt. For older versions, a handshake that changes nothing is sent
// first. A call is sent once, whatever its answer. A further round with input for the server
// is not a repetition.
func prepareMCP(t *target) (d draft, err error) {
	m, err := newMessage(http.MethodPost, t.at.URL, jsonHeader("application/json, text/event-stream"))
	if err != nil {
		return d, err
	}
	op, unplaced, err := mcpOperationOf(t)
	if err != nil {
		return d, err
	}
	m.body = jsonrpc.Request("", op.method, op.with())
	us := mcp.Client{Name: "wayfind", Version: "0"}
	if t.caller.inputHook() != nil {
		us.Able = rawjson.Obj(rawjson.Member{Name: "elicitation", Value: rawjson.Obj()})
	}
	begin := func() nextFunc { return (&mcpSession{op: op, us: us, token: rand.Text()}).next }
	return draft{target: t, message: m, begin: begin, unplaced: unplaced}, nil
}

// listenFor returns a listener that reads a stream of events until the answer to a request has
// arrived. It passes requests of the server to ask, with their number, and notices to the hook
// of the Caller. place, if it is not nil, is where the stream is when it ends; without a place, the stream
// is not resumed.
func listenFor(id, token string, ask func(s *sent, m *jsonrpc.Message, number int), place *streamPlace) func(*sent, *http.Response) *listener {
	return func(s *sent, resp *http.Response) *listener {
		if !isEventStream(resp.Header) {
			return nil
		}
		var stream jsonrpc.Stream
		done, at := false, place
		if at == nil {
			at = &streamPlace{}
		}
		l := &listener{}
		l.feed = func(piece []byte) bool {
			stream.Feed(piece, func(m *jsonrpc.Message) {
				switch done = done || m.Answers(id); {
				case done || m.Method == "":
				case m.ID == nil:
					if at.heard++; at.heard <= maxNotices {
						s.hear(m, token)
					}
				case ask != nil:
					at.asked++
					ask(s, m, at.asked)
				}
			})
			if place != nil && resp.StatusCode == http.StatusOK {
				place.reach(stream.Last())
				l.heard = place.id != "" // it is resumed instead
			}
			return done
		}
		return l
	}
}

// maxInteger is the largest integer that all programs read in the same way: 2^53 - 1.
const maxInteger = 1<<53 - 1

// paramFields adds the arguments that a schema demands in the header (since [mcpera.Modern]), at any
// depth. An argument that is absent has no field.
func paramFields(h http.Header, schema, args parse.Node) error {
	for name, property := range schema.Get("properties").Members() {
		value := args.Get(name)
		if value.Kind() == parse.Object {
			if err := paramFields(h, property, value); err != nil {
				return err
			}
		}
		field, ok := property.Get("x-mcp-header").Str()
		if !ok || fieldname.CheckField("Mcp-Param-"+field) != nil || !value.Exists() || value.Kind() == parse.Null {
			continue
		}
		said, isText := value.Str()
		if !isText {
			said = string(value.Raw())
		}
		if n, whole := value.Int(); value.Kind() == parse.Number && (!whole || n > maxInteger || n < -maxInteger) {
			return fail(InvalidArguments, nil, fmt.Sprintf("%.100q is sent in a header field, which takes integers of at most 2^53 - 1", name))
		}
		h[http.CanonicalHeaderKey("Mcp-Param-"+field)] = []string{fieldForm(said)}
	}
	return nil
}

// fieldForm returns a value in the encoding of MCP header fields.
func fieldForm(s string) string {
	if text.IsFieldValue(s) && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// Limits of the resumption of a stream.
const (
	// maxResumes is the maximum number of times that a stream is resumed without a new event.
	maxResumes = 8
	// maxResumed is the maximum number of times that the streams of one call are resumed.
	maxResumed = 500
	// firstResume is the pause before a stream is resumed if the server names none.
	firstResume = time.Second
	// maxEventID is the maximum length of the ID of an event that is sent back.
	maxEventID = 1024
)

// streamPlace is the place that a stream of events has reached ([mcpera.Legacy], Resumability and
// Redelivery). The zero value is that of a stream that cannot be resumed.
type streamPlace struct {
	id    string
	retry time.Duration
	tries int // since the last event

	// The following members count for the whole call, however often its stream is resumed: resumptions, and
	// the questions and the notices of the server.
	resumed, asked, heard int
}

// anew prepares the place for another stream of the same call.
func (p *streamPlace) anew() {
	*p = streamPlace{resumed: p.resumed, asked: p.asked, heard: p.heard}
}

func (p *streamPlace) reach(id string, retry time.Duration) {
	if retry > 0 {
		p.retry = retry
	}
	if id != p.id && len(id) <= maxEventID && text.IsFieldValue(id) {
		p.id, p.tries = id, 0
	}
}

// again returns the pause before the stream is resumed. ok is false if it cannot be. A server is not asked
// earlier than it wants, so a stream whose pause outlasts the call is not resumed.
func (p *streamPlace) again(ctx context.Context) (pause time.Duration, ok bool) {
	p.tries++
	p.resumed++
	pause = cmp.Or(p.retry, firstResume)
	ends, ok := ctx.Deadline()
	inTime := ok && time.Until(ends) > pause
	return pause, inTime && p.id != "" && p.tries <= maxResumes && p.resumed <= maxResumed
}
