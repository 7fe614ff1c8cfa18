package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A server that completes arguments is asked under its own names, and its words are data.
func TestArgumentsAreCompletedByTheirServer(t *testing.T) {
	own := &mcp.ServerOptions{CompletionHandler: func(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		p := req.Params
		said := p.Ref.Type + " " + p.Ref.Name + p.Ref.URI + " " + p.Argument.Name + "=" + p.Argument.Value
		if p.Context != nil {
			said += fmt.Sprint(" ", p.Context.Arguments)
		}
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: append(slices.Repeat([]string{"x"}, 120), said+"\u202e")[120-len(p.Argument.Value)*60:], Total: 7}}, nil
	}}
	eras(t, func(t *testing.T, legacy bool) {
		inMuseumWith(t, own, &mcpserver.Options{Domains: []string{"museum.example"}}, func(w *world) {
			s := w.connect(legacy, nil)
			if s.InitializeResult().Capabilities.Completions == nil {
				w.Error("completion is not declared")
			}
			ask := func(ref *mcp.CompleteReference, name, value string, given map[string]string) (*mcp.CompleteResult, error) {
				p := &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}}
				if given != nil {
					p.Context = &mcp.CompleteContext{Arguments: given}
				}
				return s.Complete(w.Context(), p)
			}
			tour := &mcp.CompleteReference{Type: "ref/prompt", Name: "tour"}
			work := &mcp.CompleteReference{Type: "ref/resource", URI: "wayfind://museum.example/art://rooms/{room}/works/{work}"}
			if res, err := ask(&mcp.CompleteReference{Type: "ref/resource", URI: "art://rooms/{room}/works/{work}"}, "work", "", nil); err != nil || len(res.Completion.Values) != 1 {
				w.Errorf("the URI at the only server: %+v, %v", res, err)
			}
			for want, got := range map[string]func() (*mcp.CompleteResult, error){
				"ref/prompt tour artist=": func() (*mcp.CompleteResult, error) { return ask(tour, "artist", "", nil) },
				"ref/resource art://rooms/{room}/works/{work} work= map[room:1]": func() (*mcp.CompleteResult, error) {
					return ask(work, "work", "", map[string]string{"room": "1"})
				},
			} {
				res, err := got()
				if err != nil {
					w.Errorf("%s: %v", want, err)
					continue
				}
				if diff := cmp.Diff(mcp.CompletionResultDetails{Values: []string{want}, Total: 7}, res.Completion); diff != "" {
					w.Errorf("%s (-want +got):\n%s", want, diff)
				}
			}
			if res, err := ask(tour, "artist", "Kl", nil); err != nil || len(res.Completion.Values) != 100 || !res.Completion.HasMore {
				w.Errorf("121 values: %+v, %v", res, err)
			}
			for _, ref := range []*mcp.CompleteReference{{Type: "ref/prompt", Name: "look"}, {Type: "ref/prompt", Name: "none"}, {Type: "ref/resource", URI: "art://rooms/{work}"}} {
				if _, err := ask(ref, "artist", "", nil); !isInvalid(err) {
					w.Errorf("%+v: %v", ref, err)
				}
			}
		})
	})
}

// isInvalid reports whether an error has the code for invalid params.
func isInvalid(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeInvalidParams
}
