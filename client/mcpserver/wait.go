package mcpserver

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// metaWait is the tool that waits for work that goes on at a service.
const metaWait = "wayfind_wait"

const waitInput = `{"type":"object","properties":{"handle":{"type":"string","description":"The handle that the answer of a call named, unchanged."}},"required":["handle"],"additionalProperties":false}`

const (
	// waitPause is the pause between two notices of progress while a call waits for work.
	waitPause = 5 * time.Second
	// maxHandle is the largest handle, in bytes.
	maxHandle = 64 << 10
)

// waitTool returns wayfind_wait. It is listed if a tool may leave work behind, or has done so.
func (s *surface) waitTool() offered {
	return offered{tool: &mcp.Tool{
		Name: metaWait, InputSchema: rawJSON(waitInput),
		Description: "Waits for work that goes on at a service after a call, and gives its outcome. Use it with the handle in the answer of that call. It does nothing twice.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}, handler: s.wait}
}

// mayPend reports whether a tool of a Box declares that its work may go on after a call.
func mayPend(box *tools.Box) bool {
	for _, t := range box.Tools() {
		if t.Agent || t.Capability != nil && t.Capability.Effects != nil && t.Capability.Effects.Async != nil {
			return true
		}
	}
	return false
}

// waited waits for the work of a result, if it goes on, until the host's patience ends. The result of work
// that still goes on is pending. Its note ends with the failure of the last look, if that has failed.
func waited(ctx context.Context, patience time.Duration, heard *notices, caller *call.Caller, res *call.Result) *call.Result {
	if !res.Model.Pending || res.Program.Handle == nil {
		return res
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer heard.tick(within)()
	note := res.Model.Note
	for {
		last, err := caller.Wait(within, res.Program.Handle)
		switch {
		case ctx.Err() == nil && within.Err() != nil && err != nil:
			if h := last.Program.Handle; h != nil && h != res.Program.Handle { // a look has succeeded
				res.Model.Note = note
			}
		case mayPass(last, err):
			res.Model.Note = strings.TrimSpace(note + " " + last.Model.Text)
		default:
			return last
		}
		res.Program.Handle = cmp.Or(last.Program.Handle, res.Program.Handle)
		select {
		case <-time.After(waitPause):
		case <-within.Done():
			return res // the work goes on
		}
	}
}

// mayPass reports whether a look at work may succeed later. A look changes nothing.
func mayPass(res *call.Result, err error) bool {
	e, _ := errors.AsType[*call.Error](err)
	return e != nil && (e.Code.Again() || res.Program.Status >= http.StatusInternalServerError)
}

// tick tells the host, if it has asked for progress, that a call waits. The progress goes on from that of
// the service, because it must increase. Call stop once.
func (h *notices) tick(ctx context.Context) (stop func()) {
	if h == nil || h.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(waitPause)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				h.goesOn(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (h *notices) goesOn(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done += waitPause.Seconds()
	h.hasRoom()
	_ = h.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // the call goes on without it
		ProgressToken: h.token, Progress: h.done, Message: "The work at " + h.domain + " goes on.",
	})
}

// pending returns the text that tells a model how to ask for the outcome of work.
func (s *surface) pending(h *call.Handle) string {
	const goesOn = "The work goes on at the service; it has not ended."
	if h == nil {
		return goesOn
	}
	saved, err := h.Save()
	if err != nil {
		return goesOn
	}
	s.pends()
	return goesOn + " Do not call the tool again. To get its outcome, call " + metaWait + " with this handle: " + base64.RawURLEncoding.EncodeToString(saved)
}

// foreignHandle tells a model that a handle cannot be used.
const foreignHandle = "The handle is not one of this server for this user, or has expired. Look at the service before you call the tool again."

// wait answers wayfind_wait.
func (s *surface) wait(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var asked struct {
		Handle string `json:"handle"`
	}
	if err := strict(req.Params.Arguments, &asked); err != nil {
		return refusal("The arguments are not those of the tool: it takes a handle."), nil
	}
	saved, err := base64.RawURLEncoding.DecodeString(asked.Handle)
	var label struct{ Domain, Key string }
	if err != nil || len(saved) > maxHandle || json.Unmarshal(saved, &label) != nil {
		return refusal(foreignHandle), nil
	}
	box, _ := s.box(ctx, "")
	t := toolOf(box, label.Domain, label.Key)
	if t == nil {
		return refusal(call.NotFoundTool.Sentence()), nil
	}
	caller, heard := s.hearing(ctx, req, t.Domain)
	handle, err := caller.Open(ctx, box, saved)
	if err != nil || handle.Tool != "" { // the handle of a page is not given to a host
		return refusal(foreignHandle), nil
	}
	res := &call.Result{Model: call.ModelResult{Pending: true}, Program: call.ProgramResult{Handle: handle}}
	return s.result(box, t, waited(ctx, s.opts.Patience, heard, caller, res)), nil
}

// toolOf returns the tool of a Box with a key, or nil.
func toolOf(box *tools.Box, domain, key string) *tools.Tool {
	for _, light := range box.Tools() {
		if light.Domain == domain && light.Key == key {
			if t, err := box.Tool(light.Name); err == nil {
				return t
			}
		}
	}
	return nil
}
