package livemcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxPings is the maximum number of requests of a server that are answered on one stream of
// notices. Servers send pings to keep a stream open.
const maxPings = 64

// listenID is the id of the request that subscribes to notices.
const listenID = "listen"

// Listen calls changed whenever a server says that one of its lists has changed. It returns nil
// after the server has ended the stream of notices, which may be at once. The error is
// errors.ErrUnsupported if the server declares no such notices or offers no stream for them. The
// stream has the limits of a probe, and ends with the time limit of a request.
func (p *prober) Listen(ctx context.Context, req *client.LiveRequest, changed func()) error {
	m := newMeter(context.WithoutCancel(ctx), req, maxBytes) // the session is ended even if ctx has ended
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := p.open(ctx, m, false)
	if err != nil {
		return err
	}
	defer s.close()
	if wanted := s.wanted(); len(wanted) > 0 && s.greeting.transport == transportHTTP {
		return s.listen(ctx, wanted, changed)
	}
	return errors.ErrUnsupported
}

// wanted returns the notices that a server declares, as the params of a subscription name them.
func (s *session) wanted() (list []rawjson.Member) {
	able := s.greeting.result.Get("capabilities")
	for _, name := range [...]string{"tools", "resources", "prompts"} {
		if yes, _ := able.Get(name).Get("listChanged").Bool(); yes {
			list = append(list, rawjson.Member{Name: name + "ListChanged", Value: parse.Raw("true")})
		}
	}
	return list
}

// listen opens the stream of notices and reads it to its end: the answer to a GET, or to a request
// since [mcpera.Modern] ([mcpera.Legacy], Listening for Messages from the Server; later,
// subscriptions/listen).
func (s *session) listen(ctx context.Context, wanted []rawjson.Member, changed func()) error {
	const method = "subscriptions/listen"
	var body []byte
	if s.about != nil {
		body = jsonrpc.Request(listenID, method, rawjson.Obj(rawjson.Member{Name: "notifications", Value: rawjson.Obj(wanted...)}, rawjson.Member{Name: "_meta", Value: s.about}))
	}
	resp, err := s.send(ctx, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case media == "application/json" && body != nil:
		return s.unheard(resp.Body)
	case resp.StatusCode != http.StatusOK, media != "text/event-stream": // servers refuse with other statuses than 405 too
		return errors.ErrUnsupported
	}
	return s.hear(ctx, resp.Body, changed)
}

// unheard returns the error of an answer that is no stream.
func (s *session) unheard(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	m, ok := jsonrpc.Read(raw)
	switch {
	case ok && m.Error != nil && m.Error.Code == jsonrpc.MethodNotFound:
		return errors.ErrUnsupported
	case ok && m.Error != nil:
		return s.meter.invalid(wayfind.CodeProtocol, "%w", m.Error)
	}
	return nil // it has ended at once
}

// hear reads the stream of notices.
func (s *session) hear(ctx context.Context, body io.Reader, changed func()) (failed error) {
	var stream jsonrpc.Stream
	ended := false
	piece := make([]byte, 4<<10)
	for !ended && failed == nil {
		n, err := body.Read(piece)
		stream.Feed(piece[:n], func(m *jsonrpc.Message) {
			switch {
			case ended || failed != nil:
			case m.Answers(listenID):
				ended = true
			case m.Method != "" && m.ID != nil && s.about == nil:
				failed = s.pong(ctx, m)
			case m.ID == nil && strings.HasPrefix(m.Method, "notifications/") && strings.HasSuffix(m.Method, "/list_changed"):
				changed()
			}
		})
		if errors.Is(err, io.EOF) {
			return failed
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// pong answers a request of the server on the stream, as reply does.
func (s *session) pong(ctx context.Context, m *jsonrpc.Message) error {
	if s.replies++; s.replies > maxPings {
		return s.meter.invalid(wayfind.CodeLimit, "the server asks more than %d times", maxPings)
	}
	body := jsonrpc.Failure(m.ID, jsonrpc.MethodNotFound, "method not found")
	if m.Method == "ping" {
		body = jsonrpc.Result(m.ID, rawjson.Obj())
	}
	resp, err := s.send(ctx, body)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// send sends a message of the session outside the transport of the SDK, whose streams end with
// their answers. Without a message it sends a GET.
func (s *session) send(ctx context.Context, body []byte) (*http.Response, error) {
	method, accept := http.MethodPost, "application/json, text/event-stream"
	if body == nil {
		method, accept = http.MethodGet, "text/event-stream"
	}
	req, err := http.NewRequestWithContext(ctx, method, s.meter.endpoint, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.about != nil {
		req.Header.Set("Mcp-Method", "subscriptions/listen")
		req.Header.Set("Mcp-Protocol-Version", mcpera.Modern)
	}
	if id := s.conn.SessionID(); id != "" {
		req.Header.Set("Mcp-Session-Id", id)
	}
	resp, err := s.meter.client().Do(req)
	if err != nil {
		return nil, s.meter.explain(ctx, "listen", err)
	}
	return resp, nil
}
