package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines is a transport over standard input and output, or similar streams, with one message on each
// line. A line that is not a message is answered with an error, and the session goes on. A request
// with the ID of another one that is under way is answered in the same way. A line longer than
// 1 MiB is, too, and it is not kept in memory. A request that the host cancels gets no answer.
// The transport ends when in ends.
func Lines(in io.Reader, out io.Writer) mcp.Transport {
	w, u := &oneWriter{out: out}, &underway{ids: make(map[string]bool)}
	return &mcp.IOTransport{Reader: &lineReader{in: bufio.NewReader(in), bad: w, underway: u}, Writer: answers{w, u}, MaxLineLength: maxMessage + 1}
}

// oneWriter writes whole messages.
type oneWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (w *oneWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close implements io.Closer. It leaves standard output open for its owner.
func (*oneWriter) Close() error { return nil }

// lineReader passes on the lines that are messages.
type lineReader struct {
	in   *bufio.Reader
	bad  io.Writer
	line []byte // the rest of the line that is being read
	*underway
}

// Close implements io.Closer. It leaves standard input open for its owner.
func (*lineReader) Close() error { return nil }

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.line) == 0 {
		line, long, err := r.next()
		switch {
		case long:
			r.refuse(-32600, noID, "the message is too long")
		case len(bytes.TrimSpace(line)) == 0:
		default:
			r.take(line)
		}
		if err != nil && len(r.line) == 0 {
			return 0, err
		}
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

// next reads one line. It drops the text of a line that is too long.
func (r *lineReader) next() (line []byte, long bool, err error) {
	for {
		piece, err := r.in.ReadSlice('\n')
		if len(line)+len(piece) > maxMessage {
			line, long = nil, true
		}
		if !long {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}

// noID is the ID of an error about a line whose ID is not known.
const noID = "null"

// take passes a line on if the transport of the SDK can read it. A line that it cannot read would
// end the session.
func (r *lineReader) take(line []byte) {
	if !json.Valid(line) {
		r.refuse(-32700, noID, "the line is not JSON")
		return
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	id, err := noID, json.Unmarshal(line, &m)
	own := string(m.ID)
	if m.Method != nil && isID(own) {
		id = own // the ID of a request; that of an answer is one of ours
	}
	_, unread := jsonrpc.DecodeMessage(line)
	if err != nil || m.Version != "2.0" || unread != nil || !isID(own) && (m.Method == nil || m.ID != nil && own != noID) {
		r.refuse(-32600, id, "the line is not a message of JSON-RPC 2.0, or is nested too deep")
		return
	}
	switch {
	case m.Method != nil && isID(own) && !r.begin(key(m.ID)):
		r.refuse(-32600, own, "a request with this id is under way")
		return
	case m.Method != nil && *m.Method == "notifications/cancelled":
		if other, ok := cancelled(m.Params); !ok || !r.cancel(key(other)) {
			return // the SDK would cancel a later request with the ID
		}
	}
	r.line = append(line, '\n')
}

// isID reports whether a JSON value is the ID of a request: a string, or an integer that a float64
// represents exactly, because the SDK reads it as one.
func isID(raw string) bool {
	n, err := strconv.ParseInt(raw, 10, 64)
	return strings.HasPrefix(raw, `"`) || err == nil && n > -1<<53 && n < 1<<53
}

// refuse answers a line that is not a message.
func (r *lineReader) refuse(code int, id, why string) {
	_, _ = r.bad.Write(append(failure(code, id, why), '\n')) // the host may have left
}

// failure returns an answer with an error. id is JSON.
func failure(code int, id, why string) []byte {
	type said struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	raw, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   said            `json:"error"`
	}{"2.0", json.RawMessage(id), said{code, why}})
	if err != nil {
		return nil // there is no error, because each ID was read as JSON
	}
	return raw
}
