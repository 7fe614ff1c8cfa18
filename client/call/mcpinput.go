package call

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/parse"
)

// InputRequest is a request of a tool for input during a call. Its strings are cleaned text of
// strangers: show them as such. Never give a secret.
type InputRequest struct {
	Principal, Tool, Domain string
	// ID is the name that the tool gives the question among those that it asks at once, or "". Names
	// with other characters than letters, digits, ".", "_" and "-" are left out.
	ID string
	// Message is the text for the person.
	Message string
	// Schema is the schema of the answer.
	Schema json.RawMessage
	// Secret is true if the words of the request or the names of its fields ask for a secret.
	// False proves nothing.
	Secret bool
}

// InputAnswer is the answer to an [InputRequest].
type InputAnswer struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content is the content of an answer with the action "accept". It matches the schema.
	Content json.RawMessage
}

// isPlainID matches an ID that is passed on.
var isPlainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// maxQuestions is the maximum number of questions that a tool may ask in one round.
const maxQuestions = 8

// unanswered is the error for a question that no one is asked. Its text is for a model, and for the
// person who may choose another host.
type unanswered string

func (u unanswered) Error() string { return string(u) }

// note adds the error to the note for the model in a result.
func (u unanswered) note(res *Result) {
	res.Model.Note = strings.TrimSpace(res.Model.Note + " " + string(u))
}

// tooMany is the error for the questions beyond maxQuestions.
const tooMany unanswered = "The server asked more questions during the call than are answered."

// refuses returns the error for a question that no one is asked, by its method and its mode.
func refuses(method, mode string) unanswered {
	switch method {
	case "elicitation/create":
		if mode == "url" {
			return "The server asked the user to open a page during the call (elicitation/create, url), which is always refused: the user can do so at the site itself, and call again."
		}
		return "The server asked the user a question during the call (elicitation/create) that cannot be shown here: it takes a host that shows forms (elicitation)."
	case "sampling/createMessage":
		return "The server asked for a text of your model during the call (sampling/createMessage), which is always refused: use a tool that does without."
	case "roots/list":
		return "The server asked for folders of this computer during the call (roots/list), which is always refused: name them in the arguments if the tool takes them."
	}
	method = veil(nil).show(method, secret.Line, 64)
	return unanswered("The server sent a request during the call that is not known here: " + strconv.Quote(method) + ".")
}

// asksSecret reports whether the names or the texts of a schema ask for a secret.
func asksSecret(n parse.Node) bool {
	if said, ok := n.Str(); ok {
		return secret.Asks(said)
	}
	for name, value := range n.Members() {
		if secret.Names(name) || secret.Asks(name) || asksSecret(value) {
			return true
		}
	}
	for _, item := range n.Items() {
		if asksSecret(item) {
			return true
		}
	}
	return false
}

// input asks the caller for the input that the tool requests. The call holds no room at the origin
// meanwhile, because a person may take long and no connection waits.
func (s *sent) input(ctx *pausable.Context, result parse.Node) ([]rawjson.Member, error) {
	s.leave()
	answers, err := s.answers(ctx, result)
	if err != nil {
		return nil, err
	}
	return answers, s.enter(ctx)
}

// answers returns the members of a request that answer a result which asks for input.
func (s *sent) answers(ctx *pausable.Context, result parse.Node) ([]rawjson.Member, error) {
	var answers, more []rawjson.Member
	for id, q := range result.Get("inputRequests").Members() {
		if len(answers) == maxQuestions {
			return nil, fail(Refused, tooMany, "it wants to know too much")
		}
		method, _ := q.Get("method").Str()
		said, err := s.elicit(ctx, id, method, q.Get("params"))
		_, isRefused := errors.AsType[unanswered](err)
		switch {
		case isRefused:
			return nil, fail(Refused, err, "it asks for an input that is not given here")
		case err != nil:
			return nil, fail(Denied, err, "its question was not answered")
		}
		answers = append(answers, rawjson.Member{Name: id, Value: said})
	}
	if answers != nil {
		more = append(more, rawjson.Member{Name: "inputResponses", Value: rawjson.Obj(answers...)})
	}
	if state := result.Get("requestState"); state.Exists() {
		more = append(more, rawjson.Member{Name: "requestState", Value: parse.Raw(state.Raw())})
	}
	return more, nil
}
