package call_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// savedRecording writes a recording, and looks for texts in its files that must not be there.
func savedRecording(t *testing.T, r *client.Recording, never ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rec")
	var files map[string][]byte
	for !maps.EqualFunc(files, r.Files(), bytes.Equal) { // the end of a stream may come after that of its call
		files = r.Files()
		if err := r.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		onDisk, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(onDisk) != string(content) {
			t.Errorf("%s: %v", name, err)
		}
		for _, text := range never {
			if strings.Contains(name+string(content), text) {
				t.Errorf("%q is in %s:\n%s", text, name, content)
			}
		}
	}
	return dir
}

// replayedBut replays a recording, and expects one error of the kit, which has the words: the test makes a
// call that the recording lacks.
func replayedBut(t *testing.T, dir, words string) *clienttest.Internet {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(func() {
		stop()
		if err := internet.Err(); err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), words) {
			t.Errorf("the kit says %v", err)
		}
	})
	if err := internet.Replay(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return internet
}

// Calls over HTTP are recorded with the body of the request, without secrets, and answered again:
// by their method and body, whatever credential they have.
func TestRecordedCallsAreAnsweredAgain(t *testing.T) {
	doc := document(`, "components": {"securitySchemes": {"k": {"type": "http", "scheme": "bearer"}}}, "security": [{"k": []}]`,
		operation("post", "/api/refund", "refund", jsonBody), operation("get", "/api/orders", "orders", ""))
	token := "t0ken-of-the-user"
	encoded := base64.StdEncoding.EncodeToString([]byte(token)) // services repeat a request in their own encodings
	var recording client.Recording
	n := 0
	s := newShop(t, doc, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "id=c00kie-value")
		n++
		_ = json.NewEncoder(w).Encode(map[string]any{"n": n, "body": string(body), "echo": r.Header.Get("Authorization"), "encoded": encoded, "password": "tr0ub4dor"})
	}, func(o *client.Options) { o.Lab.Record = recording.Add })
	credentials := func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		return call.Bearer(token, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
	}
	opts := &call.Options{Credentials: credentials, Confirm: (&yes{verdict: call.AllowOnce}).confirm}
	asks := []struct{ tool, args string }{
		{"refund", `{"reason": "broken", "amount": 2}`}, {"refund", `{"amount": 3, "reason": "late"}`}, {"orders", `{}`},
	}
	ask := func(c *client.Client, box *tools.Box, tool, args string) (string, error) {
		t.Helper()
		caller, err := call.New(c, opts)
		if err != nil {
			t.Fatal(err)
		}
		res, err := caller.Call(t.Context(), box, tool, []byte(args))
		var got struct {
			N    int
			Body string
		}
		_ = json.Unmarshal(res.Program.Body, &got) // of a call that failed there is none
		return fmt.Sprint(got), err
	}
	var want []string
	for _, a := range asks {
		got, err := ask(s.client, s.box, a.tool, a.args)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, got)
	}
	dir := savedRecording(t, &recording, "t0ken", encoded, "c00kie", "tr0ub4dor")
	again := replayedBut(t, dir, "not in the recording").Client()
	box, err := tools.Load(t.Context(), again, []string{"shop.example"}, nil)
	if err != nil || box.Len() != 2 {
		t.Fatalf("%v, %+v", err, box.Skipped())
	}
	token = "another-token"
	for i, a := range asks {
		got, err := ask(again, box, a.tool, a.args)
		if diff := cmp.Diff(want[i], got); err != nil || diff != "" {
			t.Errorf("%s %s: %v (-recorded +replayed):\n%s", a.tool, a.args, err, diff)
		}
	}
	if got, err := ask(again, box, "refund", `{"reason": "never asked"}`); err == nil {
		t.Errorf("a call that is not recorded has the answer %s", got)
	}
}

// A conversation with a server of the official SDK is recorded and answered again: to the client of
// this module, and to the client of the SDK, whose ids, name and order of members are its own.
func TestRecordedConversationsAreAnsweredAgain(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "buy", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"what": map[string]any{"type": "string"}, "n": map[string]any{"type": "integer"}}}},
		func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "bought " + string(q.Params.Arguments)}}}, nil
		})
	for name, o := range map[string]mcp.StreamableHTTPOptions{"stream": {}, "JSON": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			o.DisableLocalhostProtection = true
			internet := clienttest.New(t)
			internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": strings.ReplaceAll(serverCard, "/api/rpc", "/mcp")}).
				Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &o))
			var recording client.Recording
			buy := func(c *client.Client) string {
				t.Helper()
				box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
				if err != nil || box.Len() != 1 {
					t.Fatalf("%v, %+v\n%s", err, box.Skipped(), recording.Files()["index.txt"])
				}
				caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
				if err != nil {
					t.Fatal(err)
				}
				res, err := caller.Call(t.Context(), box, box.Tools()[0].Name, []byte(`{"what": "a lamp", "n": 2}`))
				if err != nil {
					t.Fatalf("%v\n%s", err, recording.Files()["index.txt"])
				}
				// The last exchanges of a conversation are recorded when it ends.
				if err := errors.Join(caller.Close(), c.Close()); err != nil {
					t.Fatal(err)
				}
				return string(res.Program.Body) + res.Model.Text
			}
			want := buy(internet.Client(live, func(o *client.Options) { o.Lab.Record = recording.Add }))
			replayed := replayedBut(t, savedRecording(t, &recording), "not in the recording")
			if diff := cmp.Diff(want, buy(replayed.Client(live))); diff != "" {
				t.Errorf("(-recorded +replayed):\n%s", diff)
			}

			transport := &mcp.StreamableClientTransport{Endpoint: "https://shop.example/mcp", HTTPClient: &http.Client{Transport: replayed.Transport()}}
			session, err := mcp.NewClient(&mcp.Implementation{Name: "another client", Version: "7"}, nil).Connect(t.Context(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "buy", Arguments: map[string]any{"n": 2, "what": "a lamp"}})
			if err != nil || len(res.Content) != 1 || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "a lamp") {
				t.Errorf("%+v, %v", res, err)
			}
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Error(err)
			}
			_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "buy", Arguments: map[string]any{"what": "another"}})
			if err == nil || !strings.Contains(err.Error(), "not in the recording") {
				t.Errorf("a call that is not recorded: %v", err)
			}
		})
	}
}
