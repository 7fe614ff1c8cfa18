package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/tools"
)

// TestFit: all tools are written in full if there is room, and less of each if there is less.
func TestFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		all := box.Fit("", 10_000, nil)
		if len(all.Full) != box.Len() || all.Tokens > 10_000 {
			t.Errorf("%+v", all)
		}
		some := box.Fit("refund an order", 170, nil)
		if len(some.Full) != 1 || some.Full[0].Name != "shop__refund_order" || len(some.Brief) != 2 {
			t.Errorf("%+v", some)
		}
		none := box.Fit("", 80, nil)
		if len(none.Full) != 0 || len(none.Brief)+len(none.Names) != 3 {
			t.Errorf("%+v", none)
		}
		for tokens := range 200 {
			s := box.Fit("refund", tokens, nil)
			left := 0
			for _, n := range s.Left {
				left += n
			}
			if s.Tokens > tokens || len(s.Full)+len(s.Brief)+len(s.Names)+left != box.Len() {
				t.Fatalf("%d tokens: %+v", tokens, s)
			}
		}
		words := box.Fit("", 3, func(string) int { return 1 })
		if len(words.Brief)+len(words.Full) != 3 {
			t.Errorf("%+v", words)
		}
	})
}

// reversed is a Ranker that knows nothing.
type reversed struct{ err error }

func (r reversed) Rank(_ context.Context, _ string, list []*tools.Tool) (order []int, err error) {
	for i := range list {
		order = append(order, len(list)-1-i, -1, 99)
	}
	return order, r.err
}

func TestRanker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		plain := box.Search("shop order", 5)
		ranked, err := box.SearchRanked(t.Context(), "shop order", 5, reversed{})
		if err != nil || len(ranked) != len(plain) || ranked[0].Tool.Name != plain[len(plain)-1].Tool.Name {
			t.Errorf("%+v, %v", ranked, err)
		}
		broken := errors.New("no model")
		if hits, err := box.SearchRanked(t.Context(), "shop order", 1, reversed{broken}); !errors.Is(err, broken) || len(hits) != 1 {
			t.Errorf("%+v, %v", hits, err)
		}
	})
}

// TestDeferred: the prompt contains a search tool, and its answer the definitions that the vendor
// loads.
func TestDeferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		for _, v := range tools.Vendors() {
			d := box.Deferred(v, false)
			if !json.Valid(d.Tools) || !strings.Contains(string(d.Tools), "There are 3 tools: fly.example (1), shop.example (2).") {
				t.Errorf("%s: %s", v, d.Tools)
			}
			answer := answerOf(t, box, v, `{"query":"refund an order","limit":3}`)
			if !json.Valid(answer) || !strings.Contains(string(answer), "shop__refund_order") {
				t.Errorf("%s: %s", v, answer)
			}
			if none := answerOf(t, box, v, `{"query":"zebra"}`); !json.Valid(none) || strings.Contains(string(none), "null") {
				t.Errorf("%s: %s", v, none)
			}
		}
		openai := string(answerOf(t, box, tools.OpenAIResponses, `{"query":"refund an order"}`))
		for _, want := range []string{`{"type":"tool_search_output","call_id":"call_1","execution":"client","tools":[{"type":"namespace","name":"`, `"defer_loading":true`} {
			if !strings.Contains(openai, want) {
				t.Errorf("no %s in %s", want, openai)
			}
		}
		var list []struct {
			Name  string
			Defer bool `json:"defer_loading"`
		}
		if err := json.Unmarshal(box.Deferred(tools.AnthropicMessages, false).Tools, &list); err != nil || len(list) != 4 || list[0].Defer || !list[3].Defer {
			t.Errorf("%+v, %v", list, err)
		}
		var meta []struct{ Name string }
		raw, err := box.MetaTools(tools.MCP)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &meta); err != nil || !slices.Equal(meta, []struct{ Name string }{{tools.MetaSearch}, {tools.MetaDescribe}, {tools.MetaCall}}) {
			t.Errorf("%+v, %v", meta, err)
		}
	})
}

// answerOf returns the answer to a search.
func answerOf(t *testing.T, box *tools.Box, v tools.Vendor, arguments string) json.RawMessage {
	t.Helper()
	answer, err := box.Answer(v, "call_1", []byte(arguments), false)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestFind: the model narrows its search by site and effect. Unusable arguments are reported.
func TestFind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		for arguments, want := range map[string][]string{
			`{"query":"order"}`:                                       {"shop__listOrders", "shop__refund_order"},
			`{"query":"order","read_only":true}`:                      {"shop__listOrders"},
			`{"query":"order flight","site":"fly.example"}`:           {"fly__Travel_agent"},
			`{"query":"order","site":"fly.example","read_only":true}`: nil,
		} {
			found, err := box.Find([]byte(arguments))
			var got struct {
				Tools []struct{ Name string }
				Note  string
			}
			if err != nil || json.Unmarshal(found, &got) != nil || !strings.Contains(got.Note, "Could not be asked: gone.example.") {
				t.Fatalf("%s, %v", found, err)
			}
			var names []string
			for _, tool := range got.Tools {
				names = append(names, tool.Name)
			}
			slices.Sort(names)
			if !slices.Equal(names, want) {
				t.Errorf("%s: %q, want %q", arguments, names, want)
			}
		}
		for _, bad := range []string{`{}`, `{"query":1}`, `{"query":"a","more":1}`, `{`, ``} {
			if found, err := box.Find([]byte(bad)); err == nil {
				t.Errorf("%s: %s", bad, found)
			}
		}
		raw, p, err := box.Define(tools.Gemini, "shop__listOrders", false)
		if err != nil || !json.Valid(raw) || p.Names["customer_id"] != "customer id" {
			t.Errorf("%s, %+v, %v", raw, p, err)
		}
		if _, _, err := box.Define(tools.MCP, "shop__listorders", false); err == nil {
			t.Error("a name in another case was taken")
		}
	})
}
