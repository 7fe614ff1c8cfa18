package livemcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// bodyFilter filters the body of an answer. The transports of the SDK see only bytes that it has
// read: it validates JSON-RPC messages as a whole and rewrites events, so that the limits and
// the content of a message are judged in one place.
type bodyFilter struct {
	io.ReadCloser
	meter *meter
	// events is the reader of a body that is an event stream; nil if the body is one message.
	events *bufio.Reader
	// lenient is true if the status is an error already. A body that is not a message is then
	// ignored.
	lenient bool

	line  []byte       // the current line of the event
	data  bytes.Buffer // the data of the event
	ready bytes.Buffer // bytes for the next Read
	err   error        // returned after ready is empty
}

// newBodyFilter returns the filter for an answer. The bytes come from body.
func newBodyFilter(m *meter, resp *http.Response, body io.ReadCloser) *bodyFilter {
	d := &bodyFilter{ReadCloser: body, meter: m, lenient: resp.StatusCode < 200 || resp.StatusCode > 299}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/event-stream" && !d.lenient {
		d.events = bufio.NewReader(body)
	}
	return d
}

// Read implements io.Reader.
func (d *bodyFilter) Read(p []byte) (int, error) {
	for d.ready.Len() == 0 && d.err == nil {
		if d.events == nil {
			d.message()
		} else {
			d.event()
		}
	}
	if d.ready.Len() > 0 {
		return d.ready.Read(p)
	}
	return 0, d.err
}

// message reads a body that is one message.
func (d *bodyFilter) message() {
	body, err := io.ReadAll(d.ReadCloser)
	if err != nil {
		d.err = err
		return
	}
	d.err = io.EOF
	switch err := envelope(body); {
	case err == nil:
		d.ready.Write(body)
	case !d.lenient:
		d.err = d.meter.wrong(err)
	}
}

// event reads one event of a stream and rewrites it. Its data is a message, or the address for
// messages in 2024-11-05. Other events are ignored (HTML Living Standard, Interpreting an
// event stream).
func (d *bodyFilter) event() {
	var name, id, retry string
	d.data.Reset()
	for lines := 0; ; {
		line, ok := d.nextLine()
		if !ok {
			break
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		switch value = bytes.TrimSpace(value); string(field) {
		case "event":
			name = string(value)
		case "id":
			id = string(value)
		case "retry":
			retry = string(value)
		case "data":
			if lines++; lines > 1 {
				d.data.WriteByte('\n')
			}
			d.data.Write(value)
		}
	}
	if d.err == nil || errors.Is(d.err, io.EOF) {
		d.write(name, id, retry, d.data.Bytes())
	}
}

// nextLine reads one line of an event. The line is valid until the next call. ok is false for
// the empty line at the end of the event, and at the end of the stream.
func (d *bodyFilter) nextLine() (line []byte, ok bool) {
	d.line = d.line[:0]
	for {
		piece, err := d.events.ReadSlice('\n')
		d.line = append(d.line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		d.err = err
		break
	}
	line = bytes.TrimRight(d.line, "\r\n")
	return line, len(line) > 0 && (d.err == nil || errors.Is(d.err, io.EOF))
}

// write writes an event to ready.
func (d *bodyFilter) write(name, id, retry string, data []byte) {
	switch {
	case name == "endpoint" && bytes.IndexByte(data, '\n') < 0:
		d.ready.WriteString("event: endpoint\n")
	case name != "" && name != "message":
		return
	case len(data) > 0:
		if err := envelope(data); err != nil {
			_ = d.meter.wrong(err)
			// Not a field: the transport takes the stream for broken, and does not
			// try to resume it.
			d.err = io.EOF
			d.ready.WriteString("broken\n\n")
			return
		}
	}
	if isToken(id) { // the id is sent back later
		fmt.Fprintf(&d.ready, "id: %s\n", id)
	}
	if retry != "" && strings.Trim(retry, "0123456789") == "" {
		fmt.Fprintf(&d.ready, "retry: %s\n", retry)
	}
	if len(data) > 0 {
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			d.ready.WriteString("data: ")
			d.ready.Write(line)
			d.ready.WriteByte('\n')
		}
	}
	if d.ready.Len() > 0 {
		d.ready.WriteByte('\n')
	}
}

// envelope returns the reason why a text is not a message of JSON-RPC 2.0 (§4, §5): an object
// without duplicate members, with an id that has only one spelling.
func envelope(text []byte) error {
	root, err := (&parse.Input{Body: text}).JSONObject()
	if err != nil {
		return err
	}
	if version, _ := root.Get("jsonrpc").Str(); version != "2.0" {
		return errors.New("the member jsonrpc is not \"2.0\"")
	}
	for member := range root.Members() {
		for _, known := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if member != known && strings.EqualFold(member, known) {
				return fmt.Errorf("the member %.20q is another way to write %q", member, known)
			}
		}
	}
	id, method, result, failure := root.Get("id"), root.Get("method"), root.Get("result"), root.Get("error")
	switch {
	case id.Exists() && !isID(id):
		return errors.New("the id is neither an integer nor a text")
	case method.Exists() && (method.Kind() != parse.String || result.Exists() || failure.Exists()):
		return errors.New("it is a request and a response at once")
	case method.Exists():
		return nil
	case !id.Exists():
		return errors.New("it has neither a method nor an id")
	case result.Exists() == failure.Exists():
		return errors.New("it has not one of result and error")
	case failure.Exists():
		return failed(failure)
	}
	return nil
}

// failed returns the reason why a value is not an error of JSON-RPC 2.0 (§5.1).
func failed(failure parse.Node) error {
	_, number := failure.Get("code").Int()
	if !number || failure.Get("message").Kind() != parse.String {
		return errors.New("the error has no code and message")
	}
	return nil
}

// maxID is the maximum number of digits of an id. All readers agree on the value of such a
// number.
const maxID = 15

// isID reports whether an id is a text, or an integer with only one spelling.
func isID(id parse.Node) bool {
	digits := strings.TrimPrefix(string(id.Raw()), "-")
	return id.Kind() == parse.String ||
		id.Kind() == parse.Number && len(digits) <= maxID && strings.Trim(digits, "0123456789") == ""
}

// maxToken is the maximum length of a text of a server that is sent back to it in a header
// field.
const maxToken = 256

// isToken reports whether a text is visible ASCII and short enough to be sent back (MCP
// 2025-11-25, Session Management).
func isToken(text string) bool {
	return text != "" && len(text) <= maxToken && !strings.ContainsFunc(text, func(c rune) bool { return c < 0x21 || c > 0x7e })
}
