package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
)

// confirmID is the ID of the only question in a request.
const confirmID = "confirm"

// Forms that a person fills in. They never ask for a secret. sessionForm is for questions that may
// be answered for the session, and openForm is for a further domain.
const (
	openForm    = `{"type":"object","properties":{"agree":{"type":"boolean","title":"Open this domain","description":"Tick to agree until wayfind ends.","default":false}},"required":["agree"]}`
	agreeForm   = `{"type":"object","properties":{"agree":{"type":"boolean","title":"Send this request","description":"Tick to agree to this one request.","default":false}},"required":["agree"]}`
	sessionForm = `{"type":"object","properties":{"agree":{"type":"boolean","title":"Send this request","description":"Tick to agree to this one request.","default":false},` +
		`"session":{"type":"boolean","title":"Do not ask again for this tool","description":"Tick to agree to its other requests too, until this host leaves or the tool becomes riskier.","default":false}},"required":["agree"]}`
)

// asked is a question to a person.
type asked struct {
	message string
	session bool   // the answer may be for the session
	opens   bool   // the question is about a further domain
	state   string // in the stateless era, comes back with the answer
	allow   string // the flag that makes the question unnecessary
}

// form returns the question in the form for a host.
func (q *asked) form() *mcp.ElicitParams {
	schema := agreeForm
	switch {
	case q.opens:
		schema = openForm
	case q.session:
		schema = sessionForm
	}
	return &mcp.ElicitParams{Mode: "form", Message: q.message, RequestedSchema: rawJSON(schema)}
}

// ask asks a person through the host whether something may be done, and does it. In the stateless
// era the result is the question, and its state comes back with the reply. Before that, the host is
// asked while the call waits.
func (s *surface) ask(ctx context.Context, req *mcp.CallToolRequest, q asked, do func(ctx context.Context, session bool) *mcp.CallToolResult) *mcp.CallToolResult {
	if isStateless(versionOf(req)) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{confirmID: q.form()}, RequestState: q.state}
	}
	answer, err := s.elicit(ctx, req, nil, "", q.form())
	agreed, session := agrees(answer)
	switch {
	case errors.Is(err, errUnanswered):
		return unconfirmed(err.Error(), q.allow)
	case err != nil:
		return unconfirmed("the host has not asked one", q.allow)
	case !agreed:
		return refusal("A person has refused this; do not try again.")
	}
	return do(ctx, session)
}

// elicit asks a person through the host, for at most AskTime: while a request of the host waits, or in the
// stateless era as the result of the request. id is the ID of the question at its server, or "".
func (s *surface) elicit(ctx context.Context, req mcp.Request, h *roundTrip, id string, form *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.AskTime, errUnanswered)
	defer cancel()
	if h != nil {
		return h.ask(ctx, serverQuestion{id, form})
	}
	session, _ := req.GetSession().(*mcp.ServerSession)
	if session == nil {
		return nil, errNotAsked
	}
	answer, err := session.Elicit(ctx, form)
	if cause := context.Cause(ctx); errors.Is(cause, errUnanswered) {
		return nil, cause
	}
	return answer, err
}

// errUnanswered is the error for a question that no one has answered in time.
var errUnanswered = errors.New("no one has answered in time")

// errSecret is the error for a question of a server that asks for a secret. No person sees it.
var errSecret = errors.New("it asks for a secret")

// asking returns the Caller for a request of a host whose calls pass the questions of servers on to a
// person. A host without elicitation cannot be asked, nor can a stateless host whose request has no round
// trips.
func (s *surface) asking(caller *call.Caller, req mcp.Request, h *roundTrip) *call.Caller {
	if isStateless(versionOf(req)) && h == nil || !elicits(capabilitiesOf(req)) {
		return caller
	}
	if h == nil {
		caller = caller.InSession() // the tools of a server of both eras ask as this host can be asked
	}
	return caller.Answering(func(ctx context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
		if q.Secret {
			return nil, errSecret
		}
		answer, err := s.elicit(ctx, req, h, q.ID, &mcp.ElicitParams{
			Mode: "form", RequestedSchema: q.Schema,
			Message: q.Domain + " asks during the call of " + q.Tool + ". The answer is sent there; never enter a secret.\n" + q.Message,
		})
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(answer.Content)
		return &call.InputAnswer{Action: answer.Action, Content: content}, err
	})
}

// isStateless reports whether a request with a version is of the stateless era.
func isStateless(version string) bool {
	era, _ := mcpera.Of(version)
	return era.AsksInAnswer
}

// versionOf returns the version in a request, or "". The version of the session is not used, because a
// host may begin a session with the number of any version.
func versionOf(req mcp.Request) string {
	params, _ := req.GetParams().(mcp.RequestParams)
	if params == nil {
		return ""
	}
	version, _ := params.GetMeta()[mcp.MetaKeyProtocolVersion].(string)
	return version
}

// capabilitiesOf returns the capabilities of the host of a request, or nil.
func capabilitiesOf(req mcp.Request) *mcp.ClientCapabilities {
	if host, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	}); ok {
		return host.ClientCapabilities()
	}
	return nil
}

// elicits reports whether a host can show a person a form.
func elicits(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// agrees reports whether a person has agreed, and whether the answer is for the session.
func agrees(answer any) (agreed, session bool) {
	r, ok := answer.(*mcp.ElicitResult)
	agreed = ok && r != nil && r.Action == "accept" && r.Content["agree"] == true
	return agreed, agreed && r.Content["session"] == true
}

// unconfirmed returns the refusal of a call to which a person must agree first. It names the flag
// that allows the call, if there is one, and the reasons why a person must agree.
func unconfirmed(why, allow string, reasons ...call.Reason) *mcp.CallToolResult {
	var because strings.Builder
	for _, r := range reasons {
		because.WriteString(", because " + r.Text())
	}
	text := "A person must agree to this first" + because.String() + ", and " + why + ". Do not try again; tell the user"
	if allow != "" {
		text += " that wayfind can be started with " + allow
	}
	return refusal(text + ".")
}
