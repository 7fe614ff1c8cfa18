// Package jsonrpc writes and reads messages of JSON-RPC 2.0: requests with their ids,
// results and errors, in a body or in a stream of events.
package jsonrpc

import (
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// MethodNotFound is the code of the error for a method that a server does not have (§5.1).
const MethodNotFound = -32601

// Request writes a request (§4). Without an id it is a notification.
func Request(id, method string, params parse.Raw) []byte {
	var own parse.Raw
	if id != "" {
		own = rawjson.Quote(id)
	}
	return message(own, rawjson.Member{Name: "method", Value: rawjson.Quote(method)}, rawjson.Member{Name: "params", Value: params})
}

// Result answers a request with a result (§5). The id is JSON.
func Result(id, result parse.Raw) []byte {
	return message(id, rawjson.Member{Name: "result", Value: result})
}

// Failure answers a request with an error (§5.1). The id is JSON.
func Failure(id parse.Raw, code int64, text string) []byte {
	return message(id, rawjson.Member{Name: "error", Value: rawjson.Obj(
		rawjson.Member{Name: "code", Value: rawjson.QuoteInt(code)}, rawjson.Member{Name: "message", Value: rawjson.Quote(text)})})
}

func message(id parse.Raw, members ...rawjson.Member) []byte {
	head := []rawjson.Member{{Name: "jsonrpc", Value: rawjson.Quote("2.0")}, {Name: "id", Value: id}}
	return rawjson.Obj(append(head, members...)...)
}

// Error is an error that a server answers with (§5.1).
type Error struct {
	Code int64
	// Message and Data are the server's own.
	Message string
	Data    parse.Node
}

// Error names the code alone: the message is foreign text.
func (e *Error) Error() string { return fmt.Sprintf("the service refuses with code %d", e.Code) }

// Message is what a server sends: an answer with a Result or an Error, or a request of its
// own with a Method.
type Message struct {
	// ID as it is written, nil for none.
	ID     parse.Raw
	Method string
	Params parse.Node
	Result parse.Node
	Error  *Error

	name string // the ID, without its quotation marks
}

// Read reads a message leniently: a body that is not an object with a method, a result or
// an error is not one.
func Read(body []byte) (*Message, bool) {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return nil, false
	}
	m := &Message{Params: root.Get("params"), Result: root.Get("result")}
	if id := root.Get("id"); id.Exists() {
		m.ID, m.name = parse.Raw(id.Raw()), string(id.Raw())
		if text, ok := id.Str(); ok {
			m.name = text
		}
	}
	m.Method, _ = root.Get("method").Str()
	if no := root.Get("error"); no.Kind() == parse.Object {
		m.Error = &Error{Data: no.Get("data")}
		m.Error.Code, _ = no.Get("code").Int()
		m.Error.Message, _ = no.Get("message").Str()
	}
	return m, m.Method != "" || m.Result.Exists() || m.Error != nil
}

// Answers reports whether a message is the answer to the request with an id. Servers may
// write the id as a number.
func (m *Message) Answers(id string) bool {
	return (m.Error != nil || m.Result.Exists()) && m.name == id
}

// Find returns the answer to the request with an id from a body, which may be a stream of
// events.
func Find(body []byte, stream bool, id string) (*Message, bool) {
	if !stream {
		m, ok := Read(body)
		return m, ok && m.Answers(id)
	}
	var found *Message
	var s Stream
	s.Feed(body, func(m *Message) {
		if found == nil && m.Answers(id) {
			found = m
		}
	})
	return found, found != nil
}

// Stream reads the messages in a stream of events piece by piece, as it arrives.
type Stream struct{ events callresult.Stream }

// Last returns the ID of the last event, and the time after which the server wants a client to connect again.
func (s *Stream) Last() (id string, retry time.Duration) { return s.events.Last() }

// Feed reads a piece, and hands on the messages that end in it.
func (s *Stream) Feed(piece []byte, each func(*Message)) {
	s.events.Feed(piece, func(e callresult.Event) {
		if m, ok := Read([]byte(e.Data)); ok {
			each(m)
		}
	})
}
