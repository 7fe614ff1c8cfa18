package session_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/session"
	"github.com/wayfindhq/wayfind/client/tools"
)

// message is a message of Anthropic's API, and content is a part of one.
type message struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

type content struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// A loop around a model of Anthropic's API. With an SDK, the JSON of Definitions.Tools and of
// Outcome.Content is decoded into its types.
func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
		"paths": {"/stock": {"get": {"operationId": "stock", "description": "The stock of a shop.", "responses": {"200": {"description": "ok"}}}}}}`}).
		Handle("/stock", clienttest.Page{Body: `{"lamps": 3}`})
	ctx := context.Background()
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	caller, err := call.New(c, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := session.New(caller, box, &session.Options{
		Vendor: tools.AnthropicMessages,
		Budget: session.Budget{Calls: 20, Money: map[string]string{"USD": "2.50"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	messages := []message{{"user", []json.RawMessage{json.RawMessage(`{"type":"text","text":"How many lamps are there?"}`)}}}
	for {
		defs := s.Definitions()
		answer := model(defs.System, defs.Tools, messages)
		messages = append(messages, answer)
		var calls []session.Call
		for _, raw := range answer.Content {
			var part content
			_ = json.Unmarshal(raw, &part)
			if part.Type == "tool_use" {
				calls = append(calls, session.Call{ID: part.ID, Name: part.Name, Arguments: part.Input})
			} else {
				fmt.Println(part.Text)
			}
		}
		if len(calls) == 0 {
			break
		}
		reply := message{Role: "user"}
		for _, o := range s.Do(ctx, calls) {
			reply.Content = append(reply.Content, o.Content)
		}
		messages = append(messages, reply)
	}
	fmt.Println(s.Used().Calls, "call")
	// Output:
	// There are 3 lamps.
	// 1 call
}

// model is a model that calls a tool once.
func model(_ string, _ json.RawMessage, messages []message) message {
	if len(messages) == 1 {
		return message{"assistant", []json.RawMessage{json.RawMessage(`{"type":"tool_use","id":"toolu_1","name":"stock","input":{}}`)}}
	}
	return message{"assistant", []json.RawMessage{json.RawMessage(`{"type":"text","text":"There are 3 lamps."}`)}}
}
