package a2a_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	a2a03 "github.com/a2aproject/a2a-go/a2a"
	srv03 "github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	a2a10 "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	srv10 "github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// work is the duration of a task.
const work = 300 * time.Millisecond

// agent10 does what the message requests, with version 1.0 of the protocol.
type agent10 struct{}

func (agent10) Execute(_ context.Context, in *srv10.ExecutorContext) iter.Seq2[a2a10.Event, error] {
	return func(yield func(a2a10.Event, error) bool) {
		says := func(text string) *a2a10.Message {
			return a2a10.NewMessage(a2a10.MessageRoleAgent, a2a10.NewTextPart(text))
		}
		said := in.Message.Parts[0].Text()
		switch said {
		case "task", "fail", "ask":
			if !yield(a2a10.NewSubmittedTask(in, in.Message), nil) || !yield(a2a10.NewStatusUpdateEvent(in, a2a10.TaskStateWorking, nil), nil) {
				return
			}
			time.Sleep(work)
			switch said {
			case "fail":
				yield(a2a10.NewStatusUpdateEvent(in, a2a10.TaskStateFailed, says("no room")), nil)
			case "ask":
				yield(a2a10.NewStatusUpdateEvent(in, a2a10.TaskStateInputRequired, says("which room?")), nil)
			default:
				if yield(a2a10.NewArtifactEvent(in, a2a10.NewTextPart("made")), nil) {
					yield(a2a10.NewStatusUpdateEvent(in, a2a10.TaskStateCompleted, nil), nil)
				}
			}
		case "refuse":
			yield(nil, a2a10.ErrUnsupportedOperation)
		default:
			yield(says("echo "+said), nil)
		}
	}
}

func (agent10) Cancel(_ context.Context, in *srv10.ExecutorContext) iter.Seq2[a2a10.Event, error] {
	return func(yield func(a2a10.Event, error) bool) {
		yield(a2a10.NewStatusUpdateEvent(in, a2a10.TaskStateCanceled, nil), nil)
	}
}

// agent03 does the same with version 0.3.
type agent03 struct{}

func (agent03) Execute(ctx context.Context, in *srv03.RequestContext, q eventqueue.Queue) error {
	says := func(text string) *a2a03.Message {
		return a2a03.NewMessage(a2a03.MessageRoleAgent, a2a03.TextPart{Text: text})
	}
	state := func(s a2a03.TaskState, m *a2a03.Message) a2a03.Event {
		e := a2a03.NewStatusUpdateEvent(in, s, m)
		e.Final = s.Terminal() || s == a2a03.TaskStateInputRequired
		return e
	}
	write := func(list ...a2a03.Event) (err error) {
		for _, e := range list {
			err = errors.Join(err, q.Write(ctx, e))
		}
		return err
	}
	said := in.Message.Parts[0].(a2a03.TextPart).Text
	switch said {
	case "task", "fail", "ask":
		if err := write(a2a03.NewSubmittedTask(in, in.Message), state(a2a03.TaskStateWorking, nil)); err != nil {
			return err
		}
		time.Sleep(work)
		switch said {
		case "fail":
			return write(state(a2a03.TaskStateFailed, says("no room")))
		case "ask":
			return write(state(a2a03.TaskStateInputRequired, says("which room?")))
		}
		return write(a2a03.NewArtifactEvent(in, a2a03.TextPart{Text: "made"}), state(a2a03.TaskStateCompleted, nil))
	case "refuse":
		return a2a03.ErrUnsupportedOperation
	}
	return write(says("echo " + said))
}

func (agent03) Cancel(ctx context.Context, in *srv03.RequestContext, q eventqueue.Queue) error {
	return q.Write(ctx, a2a03.NewStatusUpdateEvent(in, a2a03.TaskStateCanceled, nil))
}

const at = "https://example.com/agent"

// servers returns servers of the protocol's Go library with their cards.
func servers() map[string]func(mux *http.ServeMux) {
	card10 := func(binding a2a10.TransportProtocol, tenant string) *a2a10.AgentCard {
		face := a2a10.NewAgentInterface(at, binding)
		face.Tenant = tenant
		return &a2a10.AgentCard{Name: "Rooms", Description: "Books rooms.", Version: "1", SupportedInterfaces: []*a2a10.AgentInterface{face},
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a10.AgentSkill{{ID: "r", Name: "Rooms", Description: "Rooms.", Tags: []string{"r"}}}}
	}
	in10 := func(card *a2a10.AgentCard, h http.Handler) func(mux *http.ServeMux) {
		return func(mux *http.ServeMux) {
			mux.Handle("/.well-known/agent-card.json", srv10.NewStaticAgentCardHandler(card))
			mux.Handle("/agent", http.StripPrefix("/agent", h))
			mux.Handle("/agent/", http.StripPrefix("/agent", h))
		}
	}
	handler := func() srv10.RequestHandler { return srv10.NewHandler(agent10{}) }
	card03 := &a2a03.AgentCard{Name: "Rooms", Description: "Books rooms.", Version: "1", URL: at, PreferredTransport: a2a03.TransportProtocolJSONRPC, ProtocolVersion: "0.3.0",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a03.AgentSkill{{ID: "r", Name: "Rooms", Description: "Rooms.", Tags: []string{"r"}}}}
	in03 := func(h http.Handler) func(mux *http.ServeMux) {
		return func(mux *http.ServeMux) {
			mux.Handle("/.well-known/agent-card.json", srv03.NewStaticAgentCardHandler(card03))
			mux.Handle("/agent", h)
		}
	}
	return map[string]func(mux *http.ServeMux){
		"1.0 JSON-RPC":                in10(card10(a2a10.TransportProtocolJSONRPC, ""), srv10.NewJSONRPCHandler(handler())),
		"1.0 HTTP+JSON":               in10(card10(a2a10.TransportProtocolHTTPJSON, ""), srv10.NewRESTHandler(handler())),
		"1.0 HTTP+JSON with a tenant": in10(card10(a2a10.TransportProtocolHTTPJSON, "acme"), srv10.NewTenantRESTHandler("/{*}", handler())),
		"0.3 JSON-RPC":                in03(srv03.NewJSONRPCHandler(srv03.NewHandler(agent03{}))),
		"0.3 JSON-RPC of 1.0":         in03(a2av0.NewJSONRPCHandler(handler())),
	}
}

// TestCalls sends messages to the servers of the protocol's library, and waits for
// their tasks.
func TestCalls(t *testing.T) {
	for name, serve := range servers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			serve(mux)
			srv := httptest.NewTLSServer(mux)
			t.Cleanup(srv.Close)
			c, err := client.New(clienttest.FromServer(t, srv))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close(); srv.CloseClientConnections() })
			box, err := tools.Load(t.Context(), c, []string{"example.com"}, nil)
			if err != nil || box.Len() != 1 {
				t.Fatal(err, box.Skipped())
			}
			caller, err := call.New(c, &call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
				return call.Answer{Verdict: call.AllowOnce}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				message, want string
				code          call.Code
				waits         bool
			}{
				{"hello", "echo hello", call.Code{}, false},
				{"task", "made", call.Code{}, true},
				{"fail", "no room", call.UpstreamError, true},
				{"ask", "which room?", call.Code{}, true},
				{"refuse", "", call.UpstreamError, false},
			} {
				res, err := caller.Call(t.Context(), box, box.Tools()[0].Name, []byte(`{"message":"`+tt.message+`"}`))
				if res.Model.Pending != tt.waits {
					t.Errorf("%s: %+v, %v", tt.message, res.Model, err)
				}
				if res.Model.Pending {
					res, err = caller.Wait(t.Context(), res.Program.Handle)
				}
				if res.Model.Code != tt.code || !strings.Contains(res.Model.Text, tt.want) {
					t.Errorf("%s: %+v, %v", tt.message, res.Model, err)
				}
			}
		})
	}
}
