package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// confirmID is the ID of the only question in a request.
const confirmID = "confirm"

// stateless is the first version of the protocol in which a server asks through its
// answer.
const stateless = "2026-07-28"

// agreeSchema is the form that a person fills in. It never asks for a secret.
const agreeSchema = `{"type":"object","properties":{"agree":{"type":"boolean","title":"Send this request","description":"Tick to agree to this one request.","default":false}},"required":["agree"]}`

// form is a question to a person.
func form(message string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: rawJSON(agreeSchema)}
}

// ask asks a person through the host whether something may be done, and does it. In
// the stateless era the answer is a question, and state comes back with the reply.
// Before that, the host is asked while the call waits. allow is the flag that makes
// the question unnecessary.
func (s *surface) ask(ctx context.Context, req *mcp.CallToolRequest, message, state, allow string, do func(context.Context) *mcp.CallToolResult) *mcp.CallToolResult {
	if !elicits(req.ClientCapabilities()) {
		return unconfirmed("the host cannot ask one", allow)
	}
	if isStateless(req) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{confirmID: form(message)}, RequestState: state}
	}
	waiting, cancel := context.WithTimeout(ctx, s.opts.AskTime)
	defer cancel()
	answer, err := req.Session.Elicit(waiting, form(message))
	switch {
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		return unconfirmed("no one has answered in time", allow)
	case err != nil:
		return unconfirmed("the host has not asked one", allow)
	case !agrees(answer):
		return refusal("A person has refused this; do not try again.")
	}
	return do(ctx)
}

// isStateless reports whether a request is of the stateless era. It says so itself: a
// host may begin a session with the number of any version.
func isStateless(req *mcp.CallToolRequest) bool {
	version, _ := req.Params.Meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= stateless
}

// elicits reports whether a host can show a person a form.
func elicits(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// agrees reports whether a person's answer is a yes.
func agrees(answer any) bool {
	r, ok := answer.(*mcp.ElicitResult)
	return ok && r != nil && r.Action == "accept" && r.Content["agree"] == true
}

// unconfirmed says that a person must agree first, and which flag agrees for good.
func unconfirmed(why, allow string) *mcp.CallToolResult {
	return refusal("A person must agree to this first, and " + why + ". Do not try again; tell the user that wayfind can be started with " + allow + ".")
}
