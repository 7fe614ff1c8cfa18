package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// served makes a site with the same tools as others, whose service has a description of its own.
func served(n *clienttest.Internet, host, name, description string) {
	n.Host(host, clienttest.Pages{"/.well-known/mcp/server-card.json": fmt.Sprintf(`{"name": "example.%[1]s/all", "title": %[2]q, "version": "1.0.0", "description": %[3]q,
		"remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}], "tools": [
		{"name": "get_list", "description": "Gets the list.", "inputSchema": {"type": "object"}}, {"name": "put_entry", "description": "Adds an entry.", "inputSchema": {"type": "object"}}]}`, host, name, description)})
}

// found is the answer that a model gets for a search.
type found struct {
	Tools []struct {
		Name, Site string
		ReadOnly   bool
	}
	Note string
}

func find(t *testing.T, box *tools.Box, arguments string) (f found) {
	t.Helper()
	raw, err := box.Find([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// A search for words of a service alone finds its tools, by its name, its description and
// its tags;// a tool that has such a word itself comes first.
func TestASearchKnowsTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		served(n, "a.example", "Gardener", "Plans beds of vegetables.")
		served(n, "b.example", "Librarian", "Lends books, entry by entry.")
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": strings.NewReplacer(
			`"title": "Orders"`, `"title": "Orders", "description": "Keeps books of a bakery."`,
			`"paths": {`, `"tags": [{"name": "Pantry"}], "paths": {`,
			`"operationId": "listOrders"`, `"operationId": "listOrders", "tags": ["Ledger"]`).Replace(api)})
		box := load(t, n.Client(), []string{"a.example", "b.example", "shop.example"}, nil)
		for query, site := range map[string]string{"gardener": "a.example", "vegetables": "a.example", "librarian": "b.example", "lends": "b.example", "bakery": "shop.example", "pantry": "shop.example"} {
			hits := box.Search(query, 10)
			if len(hits) != 2 || hits[0].Tool.Domain != site || hits[1].Tool.Domain != site {
				t.Errorf("%s: %+v, want the tools of %s", query, hits, site)
			}
		}
		if hits := box.Search("ledger", 10); len(hits) != 1 || !strings.HasSuffix(hits[0].Tool.Name, "listOrders") {
			t.Errorf("a tag of an operation: %+v", hits)
		}
		if hits := box.Search("entry", 10); len(hits) != 3 || !strings.HasSuffix(hits[0].Tool.Name, "put_entry") || !strings.HasSuffix(hits[1].Tool.Name, "put_entry") {
			t.Errorf("%+v", hits)
		}
	})
}

// A search without a hit reports that, and returns other tools that fit its other arguments: first
// those that change nothing, for every vendor.
func TestASearchWithoutAHitSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		const says = "No tool matches the query."
		all := find(t, box, `{"query":"zebra"}`)
		if len(all.Tools) != 3 || !all.Tools[0].ReadOnly || all.Tools[1].ReadOnly || !strings.HasPrefix(all.Note, says) {
			t.Errorf("%+v", all)
		}
		if reads := find(t, box, `{"query":"zebra","read_only":true}`); len(reads.Tools) != 1 || !reads.Tools[0].ReadOnly || !strings.HasPrefix(reads.Note, says) {
			t.Errorf("%+v", reads)
		}
		if one := find(t, box, `{"query":"zebra","site":"fly.example","limit":1}`); len(one.Tools) != 1 || one.Tools[0].Site != "fly.example" {
			t.Errorf("%+v", one)
		}
		if none := find(t, box, `{"query":"zebra","site":"fly.example","read_only":true}`); len(none.Tools) != 0 || !strings.HasPrefix(none.Note, says) || strings.Contains(none.Note, "other tools") {
			t.Errorf("%+v", none)
		}
		if hit := find(t, box, `{"query":"refund an order"}`); strings.Contains(hit.Note, says) {
			t.Errorf("%+v", hit)
		}
		for _, v := range tools.Vendors() {
			if answer := string(answerOf(t, box, v, `{"query":"zebra"}`)); !strings.Contains(answer, says) || !strings.Contains(answer, "shop__listOrders") {
				t.Errorf("%s: %s", v, answer)
			}
			if answer := string(answerOf(t, box, v, `{"query":"refund an order"}`)); strings.Contains(answer, says) {
				t.Errorf("%s: %s", v, answer)
			}
		}
	})
}

// The answer to a query in another language than the descriptions has a note that a search compares
// words, with or without a hit.
func TestASearchInAnotherLanguageIsBestEffort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		n.Host("laden.example", clienttest.Pages{"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "laden.example"),
			"/openapi.json": strings.NewReplacer("shop.example", "laden.example", "Give the money of an order back.", "Geld für eine Bestellung erstatten.").Replace(api)})
		english, both := load(t, n.Client(), []string{"shop.example"}, nil), load(t, n.Client(), []string{"shop.example", "laden.example"}, nil)
		const says = "it is best effort"
		for query, foreign := range map[string]bool{
			"Geld für eine Bestellung erstatten": true, "rembourser une commande": true, "devolver el dinero de un pedido": true, "注文を返金する": true,
			"вернуть заказ": true, "الطلب": true, "refund 注文": true, "Bestellung order limit": false,
			"refund an order": false, "list the orders of a customer please": false, "shop__listOrders": false, "order 1234": false,
		} {
			arguments := fmt.Sprintf(`{"query":%q}`, query)
			if f := find(t, english, arguments); strings.Contains(f.Note, says) != foreign {
				t.Errorf("%s: %q", query, f.Note)
			}
			for _, v := range tools.Vendors() {
				if answer := string(answerOf(t, english, v, arguments)); strings.Contains(answer, says) != foreign {
					t.Errorf("%s: %s: %s", v, query, answer)
				}
			}
		}
		if f := find(t, both, `{"query":"Geld für eine Bestellung erstatten"}`); strings.Contains(f.Note, says) || f.Tools[0].Site != "laden.example" {
			t.Errorf("%+v", f)
		}
	})
}
