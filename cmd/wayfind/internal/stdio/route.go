package stdio

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// take passes a message of the server on to the caller that it is for. It returns false for a line
// that is not a message.
func (s *session) take(line []byte) bool {
	m := new(message)
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) || json.Unmarshal(line, m) != nil || m.Version != "2.0" {
		return false
	}
	switch {
	case m.Method == "":
		s.answered(m)
	case m.isRequest():
		s.question(m)
	default:
		s.notice(m)
	}
	return true
}

// pass passes a message to a caller, unless the caller is gone.
func (x *exchange) pass(m *message) {
	select {
	case x.out <- m:
	case <-x.done:
	}
}

// answered passes an answer on, with the ID of the caller.
func (s *session) answered(m *message) {
	s.mu.Lock()
	x := s.calls[string(m.ID)]
	delete(s.calls, string(m.ID))
	s.mu.Unlock()
	if x == nil || m.Result == nil && m.Error == nil {
		return // its caller is gone
	}
	m.ID = x.id
	x.pass(m)
}

// works returns the methods during which a server may ask a question.
func works() []string { return []string{"tools/call", "prompts/get", "resources/read"} }

// only returns the one call that is under way, or nil if there are none or several. A server that
// speaks over standard output does not identify the call that a message belongs to.
func (s *session) only() *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	var one *exchange
	for _, x := range s.calls {
		if !slices.Contains(works(), x.method) {
			continue
		}
		if one != nil {
			return nil
		}
		one = x
	}
	return one
}

// question passes a question of the server on to the caller of the one call that is under way. If
// there is not exactly one, it is refused.
func (s *session) question(m *message) {
	x := s.only()
	switch {
	case m.Method == "ping":
		go s.reply(jsonrpc.Result(parse.Raw(m.ID), rawjson.Obj()))
		return
	case x == nil:
		s.told("its question " + m.Method + " is not answered, because not exactly one call is under way")
		go s.reply(jsonrpc.Failure(parse.Raw(m.ID), jsonrpc.MethodNotFound, "it is not clear which call this belongs to"))
		return
	}
	s.mu.Lock()
	s.asked[string(m.ID)] = true
	s.mu.Unlock()
	x.pass(m)
}

// reply writes an answer to a question of the server. It blocks until the server reads, which may
// write first.
func (s *session) reply(line []byte) { _ = s.send(s.gone, line) } // it is gone

// said passes the answer of a caller on to the server. Each question is answered once.
func (s *session) said(m *message) {
	s.mu.Lock()
	is := s.asked[string(m.ID)]
	delete(s.asked, string(m.ID))
	s.mu.Unlock()
	if is {
		s.reply(m.raw())
	}
}

// notice passes a notification on to the callers that it is for.
func (s *session) notice(m *message) {
	var about struct {
		Token json.RawMessage            `json:"progressToken"`
		Meta  map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &about) // params that are not an object name no caller
	subscription, isSubscribed := about.Meta[subscriptionID]
	switch {
	case isSubscribed:
		s.subscribed(m, strings.Trim(string(subscription), `"`))
	case m.Method == "notifications/progress":
		s.progress(m, string(about.Token))
	case strings.HasSuffix(m.Method, "/list_changed"), m.Method == "notifications/resources/updated":
		for _, x := range s.hearing() {
			x.pass(m)
		}
	default:
		if x := s.only(); x != nil {
			x.pass(m)
		} else {
			s.told(m.Method + " " + string(m.Params))
		}
	}
}

// subscriptionID is the member of _meta with the ID of the request that subscribed to a
// notification (subscriptions/listen).
const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// subscribed passes a notification on to the request that it names, with the ID of its caller.
func (s *session) subscribed(m *message, id string) {
	s.mu.Lock()
	x := s.calls[id]
	s.mu.Unlock()
	var params map[string]json.RawMessage
	var meta map[string]json.RawMessage
	if x == nil || json.Unmarshal(m.Params, &params) != nil || json.Unmarshal(params["_meta"], &meta) != nil {
		return
	}
	meta[subscriptionID] = x.id
	if own, err := json.Marshal(meta); err == nil {
		params["_meta"] = own
	}
	if own, err := json.Marshal(params); err == nil {
		m.Params = own
	}
	x.pass(m)
}

// progress passes a notification about progress on to the call with its token.
func (s *session) progress(m *message, token string) {
	s.mu.Lock()
	var to *exchange
	for _, x := range s.calls {
		if x.token != "" && x.token == token {
			to = x
		}
	}
	s.mu.Unlock()
	if to != nil {
		to.pass(m)
	}
}

// hearing returns the exchanges that listen for changes of lists.
func (s *session) hearing() (list []*exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.heard {
		list = append(list, x)
	}
	return list
}
