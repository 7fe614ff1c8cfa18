package call

import (
	"encoding/base64"
	"encoding/json"

	"github.com/wayfindhq/wayfind/parse"
)

// thread is a conversation with an agent of A2A, and the task in it that waits for an answer (A2A 0.3 §7.1,
// 1.0 §3.4). A model has it as a sealed text, which only the same principal can use, with the same agent.
type thread struct {
	Principal string `json:"p,omitempty"`
	Tool      string `json:"t"` // see toolID
	Context   string `json:"c,omitempty"`
	Task      string `json:"k,omitempty"`
}

// The states of a task that waits for its user.
const (
	inputRequired = "input-required"
	authRequired  = "auth-required"
)

const (
	// threadSeal is what sealed threads are bound to, so that no other sealed text is one.
	threadSeal = "wayfind/conversation/1"
	// maxThreadID is the maximum length of an identifier of an agent.
	maxThreadID = 256
)

// threadOf returns the conversation that the arguments name; a zero one if the message begins a new one.
func (t *target) threadOf() (in thread, err error) {
	if !t.tool.Agent {
		return in, nil
	}
	root, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return in, fail(InvalidArguments, err, "")
	}
	sealed, _ := root.Get("conversation").Str()
	if sealed == "" {
		return in, nil
	}
	foreign := fail(InvalidArguments, nil, "the conversation is none that this agent gave to this user: leave it out to begin a new one")
	lock, err := t.caller.lock()
	if err != nil {
		return in, fail(Refused, err, "")
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return in, foreign
	}
	clear, err := lock.Open(nil, nil, raw, []byte(threadSeal))
	if err != nil || json.Unmarshal(clear, &in) != nil || in.Principal != t.principal || in.Tool != toolID(t.tool) {
		return thread{}, foreign
	}
	return in, nil
}

// threadAfter returns the conversation that an answer belongs to, sealed; "" if there is none. A task goes on
// only while it waits for its user.
func (t *target) threadAfter(answer, task parse.Node, state string) string {
	message := answer
	if inner := answer.Get("message"); inner.Exists() {
		message = inner
	}
	own := thread{Principal: t.principal, Tool: toolID(t.tool), Context: textOf(task.Get("contextId"))}
	if own.Context == "" {
		own.Context = textOf(message.Get("contextId"))
	}
	if state == inputRequired || state == authRequired {
		own.Task = textOf(task.Get("id"))
	}
	if !t.tool.Agent || own.Context == "" && own.Task == "" || len(own.Context) > maxThreadID || len(own.Task) > maxThreadID {
		return ""
	}
	lock, err := t.caller.lock()
	if err != nil {
		return ""
	}
	clear, err := json.Marshal(own)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(lock.Seal(nil, nil, clear, []byte(threadSeal)))
}
