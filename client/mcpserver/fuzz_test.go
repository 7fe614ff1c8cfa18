package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// FuzzLines: however the bytes are split, the SDK gets only whole messages that it can read, in the
// order of the lines. Every other line that is not blank gets one error.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"a","result":{}}`))
	f.Add([]byte("\n \r\n{\n" + `{"jsonrpc":"2.0","id":1.5,"method":"x"}` + "\r\n" + `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"method":"x"}` + "\n[1]\nnull\n" + `{"jsonrpc":"2.0","id":null,"method":"x"}` + "\n\xff\x00\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"id":2,"method":"x","METHOD":"y"}` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}` + "\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		handed, refused := readLines(t, bytes.NewReader(sent))
		if again, said := readLines(t, iotest.OneByteReader(bytes.NewReader(sent))); again != handed || said != refused {
			t.Fatalf("byte by byte: %q and %q, at once: %q and %q", again, said, handed, refused)
		}
		lines := 0
		for line := range bytes.Lines(sent) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		if got := strings.Count(handed, "\n") + strings.Count(refused, "\n"); got != lines {
			t.Errorf("%d lines, of which %d were handed on or answered", lines, got)
		}
		lawfulLines(t, sent, handed, refused)
	})
}

// readLines returns the lines that a transport passes on, and its own answers.
func readLines(t *testing.T, in io.Reader) (handed, refused string) {
	t.Helper()
	var out strings.Builder
	transport, ok := mcpserver.Lines(in, &out).(*mcp.IOTransport)
	if !ok {
		t.Fatal("another transport")
	}
	raw, err := io.ReadAll(transport.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), out.String()
}

// lawfulLines: each line that is handed on is one that was sent, and a message; each
// answer is an error of JSON-RPC.
func lawfulLines(t *testing.T, sent []byte, handed, refused string) {
	t.Helper()
	rest := string(sent)
	for line := range strings.Lines(handed) {
		_, after, found := strings.Cut(rest, strings.TrimSuffix(line, "\n"))
		if rest = after; !found {
			t.Fatalf("%q was not sent, or not in this place", line)
		}
		if _, err := jsonrpc.DecodeMessage([]byte(line)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	for line := range strings.Lines(refused) {
		var answer struct {
			JSONRPC string
			ID      any
			Error   struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.JSONRPC != "2.0" || answer.Error.Code != -32700 && answer.Error.Code != -32600 {
			t.Fatalf("answered %q: %v", line, err)
		}
	}
}

// A line is as long as a message may be, and not a byte longer; nothing of a longer one
// is handed on, and the next is read as if it had not been there.
func TestLongestLine(t *testing.T) {
	const begin, other, end = `{"jsonrpc":"2.0","id":1,"method":"`, `{"jsonrpc":"2.0","id":2,"method":"`, `"}` + "\n"
	for _, row := range []struct{ over, handed, refused int }{{-1, 2, 0}, {0, 2, 0}, {1, 1, 1}, {1 << 20, 1, 1}} {
		long := begin + strings.Repeat("x", mcpserver.MaxMessage-len(begin)-len(end)+row.over) + end
		for _, in := range []io.Reader{strings.NewReader(long + other + end), iotest.HalfReader(bufio.NewReader(strings.NewReader(long + other + end)))} {
			handed, refused := readLines(t, in)
			if got := fmt.Sprint(strings.Count(handed, "\n"), strings.Count(refused, "the message is too long")); got != fmt.Sprint(row.handed, row.refused) {
				t.Errorf("%d bytes more than the limit: %s handed on and refused, want %d and %d", row.over, got, row.handed, row.refused)
			}
			if !strings.HasSuffix(handed, other+end) {
				t.Errorf("%d bytes more than the limit: the next line is gone", row.over)
			}
		}
	}
}
