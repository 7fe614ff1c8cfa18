package inspect

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

// maxMessages is the maximum size of all messages that a Watch keeps, in bytes. The oldest are
// dropped.
const maxMessages = 8 << 20

// messages contains the messages of exchanges by the ID of the part.
type messages struct {
	told    map[int]*capture.Message
	order   []int // the IDs, the oldest first
	size    int
	dropped map[int]bool
}

// keep stores the message of an exchange.
func (w *Watch) keep(id int, m *capture.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told, w.dropped = map[int]*capture.Message{}, map[int]bool{}
	}
	if w.told[id] != nil {
		return // a part is relayed at each of its changes
	}
	w.told[id] = m
	w.order = append(w.order, id)
	w.size += m.Size()
	for w.size > maxMessages && len(w.order) > 1 {
		oldest := w.order[0]
		w.size -= w.told[oldest].Size()
		delete(w.told, oldest)
		w.order, w.dropped[oldest] = w.order[1:], true
	}
}

// message returns the message of an exchange, and the exchange. The message is nil if there is
// none; dropped is true if it was dropped.
func (w *Watch) message(id int) (m *capture.Message, p Part, dropped bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id < 1 || id > len(w.parts) {
		return nil, Part{}, false
	}
	return w.told[id], w.parts[id-1], w.dropped[id]
}

// Message is a request and its answer, for the details of a bar.
type Message struct {
	// Note is a sentence about a part that is missing, with the reason.
	Note    string       `json:"note,omitempty"`
	Request *RequestView `json:"request,omitempty"`
	// Proto is the version of HTTP, and Remote the address that was asked.
	Proto  string `json:"proto,omitempty"`
	Remote string `json:"remote,omitempty"`
	// Status is empty if there is no answer.
	Status string  `json:"status,omitempty"`
	Header []Field `json:"header,omitempty"`
	Body   *Text   `json:"body,omitempty"`
	// Curl is the request as a shell command, without credentials. CurlNote names the parts that are missing in it.
	Curl     string `json:"curl,omitempty"`
	CurlNote string `json:"curlNote,omitempty"`
}

// messageOf returns the request and the answer of an exchange, or else the stored answer of a URL.
func (i *Inspector) messageOf(r *http.Request) (*Message, error) {
	id, err := strconv.Atoi(r.FormValue("part"))
	if err != nil {
		return nil, fmt.Errorf("%w: the part is no number", errInput)
	}
	return i.Message(id, r.FormValue("url")), nil
}

// Message returns the request and the answer of an exchange. If there was no exchange (id is 0), it
// returns the stored answer of a URL.
func (i *Inspector) Message(id int, url string) *Message {
	m, p, dropped := i.Watch.message(id)
	switch {
	case m != nil:
		return shownMessage(m)
	case dropped:
		return &Message{Note: fmt.Sprintf("The header and the bodies of this request are not kept any longer: the page keeps the newest %d MiB.", maxMessages>>20)}
	case id > 0 && p.EndMs == nil:
		return &Message{Note: "The answer is not there yet."}
	case id > 0:
		return &Message{Note: "No request was written: it ended before."}
	}
	if i.Documents != nil {
		if x := i.Documents.lookup(url); x != nil && x.Failure == nil {
			return storedMessage(x)
		}
	}
	return &Message{Note: "No request was sent, and no stored answer was read."}
}

func shownMessage(m *capture.Message) *Message {
	out := &Message{
		Request: &RequestView{Method: m.Method, URL: m.URL, Header: fields(m.Request.Header), Body: beginningOf(&m.Request)},
		Proto:   m.Proto, Remote: m.Remote, Status: statusText(m.Status), Header: fields(m.Answer.Header), Body: beginningOf(&m.Answer),
	}
	if m.Request.Header == nil {
		out.Note = "The request was not written: there was no connection for it."
	} else if m.Status == 0 {
		out.Note = "No answer came."
	}
	out.Curl, out.CurlNote = curlOf(m)
	return out
}

// storedMessage returns an answer that no request was needed for.
func storedMessage(x *client.Exchange) *Message {
	side := storedSide(x)
	return &Message{
		Note:   "No request was needed. The stored answer has the fields that decide about its treatment.",
		Status: statusText(x.Status), Header: fields(side.Header), Body: beginningOf(&side),
	}
}

func storedSide(x *client.Exchange) capture.Side {
	side := capture.Side{Header: x.Header}
	searched := x.Body[:min(len(x.Body), capture.Searched)]
	side.SetBody(secret.Message{}.Body(x.Header.Get("Content-Type"), string(searched)), len(searched) < len(x.Body))
	return side
}

// beginningOf returns the beginning of a body for display.
func beginningOf(s *capture.Side) *Text {
	if len(s.Body) == 0 {
		return nil
	}
	t := &Text{Bytes: len(s.Body), Cut: s.Cut, Binary: !utf8.Valid(s.Body)}
	if t.Binary {
		t.Text = hex.Dump(s.Body)
	} else {
		t.Text = textOf(s.Body, len(s.Body)).Text
	}
	return t
}

// curlOf returns a request as a shell command. A credential is a mark in it.
func curlOf(m *capture.Message) (command, note string) {
	header := m.Request.Header.Clone()
	for _, own := range []string{"Host", "Content-Length", "Connection", "Transfer-Encoding", "Accept-Encoding"} {
		header.Del(own) // curl writes them itself, or they make its output unreadable
	}
	r := call.Request{Method: m.Method, URL: m.URL, Header: header, Body: m.Request.Body}
	if m.Request.Cut {
		r.Body = []byte{0} // written as @BODY
		note = "Only the beginning of its body is known: write the body to the file BODY."
	}
	command = r.Curl()
	if strings.Contains(command, secret.RecordedMark) || secret.IsRedacted(command) {
		note = strings.TrimSpace(note + " Put your own value in the place of each mark.")
	}
	return command, note
}
