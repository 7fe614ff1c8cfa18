package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// routes is a description of an API below a path, with tags.
const routes = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example/v2"}], "paths": {
	"/orders": {"get": {"operationId": "listOrders", "tags": ["Orders"], "responses": {"200": {"description": "ok"}}},
		"delete": {"operationId": "dropOrders", "tags": ["Orders", "danger"], "responses": {"200": {"description": "ok"}}}},
	"/orders/{id}": {"get": {"operationId": "getOrder", "tags": ["Orders"], "responses": {"200": {"description": "ok"}},
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}},
	"/admin/users": {"get": {"operationId": "listUsers", "responses": {"200": {"description": "ok"}}},
		"post": {"operationId": "addUser", "responses": {"200": {"description": "ok"}}}},
	"/admin/users/{name}/keys": {"post": {"operationId": "addKey", "responses": {"200": {"description": "ok"}},
		"parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}]}}}}`

// sifted is a Box of the routes of two sites, or of one.
func sifted(t *testing.T, opts *tools.Options, domains ...string) (*tools.Box, error) {
	t.Helper()
	n := clienttest.New(t)
	for _, domain := range domains {
		at := strings.NewReplacer("shop.example", domain)
		n.Host(domain, clienttest.Pages{"/.well-known/ai-plugin.json": at.Replace(plugin), "/openapi.json": at.Replace(routes)})
	}
	return tools.Load(t.Context(), n.Client(), domains, opts)
}

// lines are the entries of Skipped.
func lines(box *tools.Box) (list []string) {
	for _, s := range box.Skipped() {
		list = append(list, strings.TrimSpace(s.Code+" "+strings.TrimPrefix(s.Key, "openapi:openapi/")))
	}
	slices.Sort(list)
	return list
}

// A Box has the tools that the filters select, and names each of the others.
func TestFiltersChooseOperations(t *testing.T) {
	all := []string{"addKey", "addUser", "dropOrders", "getOrder", "listOrders", "listUsers"}
	for name, tt := range map[string]struct{ opts, want string }{
		"a tag":                      {`{"Only":[{"tags":["orders"]}]}`, "dropOrders getOrder listOrders"},
		"one of two tags":            {`{"Only":[{"tags":["danger","Orders"]}]}`, "dropOrders getOrder listOrders"},
		"a path":                     {`{"Only":[{"paths":["/orders"]}]}`, "dropOrders listOrders"},
		"with the server":            {`{"Only":[{"paths":["/v2/orders"]}]}`, "dropOrders listOrders"},
		"a variable of another name": {`{"Only":[{"paths":["/orders/{order}"]}]}`, "getOrder"},
		"one segment":                {`{"Only":[{"paths":["/admin/*"]}]}`, "addUser listUsers"},
		"everything below":           {`{"Only":[{"paths":["/admin/"]}]}`, "addKey addUser listUsers"},
		"everything":                 {`{"Only":[{"paths":["/"]}]}`, strings.Join(all, " ")},
		"below a variable":           {`{"Only":[{"paths":["/admin/users/{}/"]}]}`, "addKey"},
		"a method":                   {`{"Only":[{"methods":["post","DELETE"]}]}`, "addKey addUser dropOrders"},
		"reading":                    {`{"Only":[{"readOnly":true}]}`, "getOrder listOrders listUsers"},
		"all members":                {`{"Only":[{"readOnly":true,"paths":["/orders","/orders/"]}]}`, "getOrder listOrders"},
		"one of two":                 {`{"Only":[{"tags":["danger"]},{"paths":["/admin/"],"methods":["POST"]}]}`, "addKey addUser dropOrders"},
		"except":                     {`{"Except":[{"paths":["/admin/"]},{"tags":["danger"]}]}`, "getOrder listOrders"},
		"only and except":            {`{"Only":[{"tags":["Orders"]}],"Except":[{"methods":["DELETE"]}]}`, "getOrder listOrders"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var opts tools.Options
				if err := json.Unmarshal([]byte(tt.opts), &opts); err != nil {
					t.Fatal(err)
				}
				box, err := sifted(t, &opts, "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, id := range all {
					if !slices.Contains(strings.Fields(tt.want), id) {
						want = append(want, "filtered "+id)
					}
				}
				if got := strings.Join(namesOf(box), " "); got != tt.want || !slices.Equal(lines(box), want) {
					t.Errorf("%s: %q, want %q; skipped %q, want %q", tt.opts, got, tt.want, lines(box), want)
				}
				if box.Note() != "" {
					t.Errorf("the model is told %q", box.Note())
				}
			})
		})
	}
}

// A part of a filter that nothing matches is named, and so is a filter whose parts match
// nothing together.
func TestAFilterThatMatchesNothingIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &tools.Options{
			Only:   []tools.Filter{{Tags: []string{"orders", "refnud"}, Methods: []string{"GET", "PUT"}}, {Paths: []string{"/admin/"}, Methods: []string{"DELETE"}}},
			Except: []tools.Filter{{Paths: []string{"/order"}}},
		}
		box, err := sifted(t, opts, "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range box.Skipped() {
			if s.Code == tools.CodeUnmatched && (!s.Asked || s.Domain != "" || s.Whole() || s.Reason == "" || s.Err == nil) {
				t.Errorf("%+v", s)
			}
		}
		want := []string{"filtered addKey", "filtered addUser", "filtered dropOrders", "filtered listUsers",
			"unmatched method PUT", "unmatched path /admin/, method DELETE", "unmatched path /order", "unmatched tag refnud"}
		if !slices.Equal(lines(box), want) {
			t.Errorf("%q, want %q", lines(box), want)
		}
	})
}

// A domain that could not be reached may have an operation that a filter names.
func TestAnUnmatchedFilterOfADomainThatIsSilentIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, err := tools.Load(t.Context(), clienttest.New(t).Client(), []string{"gone.example"}, &tools.Options{Only: []tools.Filter{{Tags: []string{"a"}}}})
		if err != nil {
			t.Fatal(err)
		}
		skipped := box.Skipped()
		if len(skipped) != 2 || skipped[1].Code != tools.CodeUnmatched || skipped[1].Asked || box.Note() != "Could not be asked: gone.example. They may offer more than is listed." {
			t.Errorf("%+v, %q", skipped, box.Note())
		}
	})
}

// What Keep leaves out is named too.
func TestWhatKeepLeavesOutIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, err := sifted(t, &tools.Options{Keep: func(_ *wayfind.Service, c *wayfind.Capability) bool { return c.ID == "addKey" }}, "shop.example")
		if err != nil || len(box.Skipped()) != 5 || box.Skipped()[0].Code != tools.CodeFiltered || box.Len() != 1 {
			t.Errorf("%v, %q", err, lines(box))
		}
	})
}

// A user names operations by their IDs and keys, or by method and path, on one domain or
// on any. The names stay in a table that is written, in another Box and in one that is
// read back.
func TestOperationsHaveTheNamesOfTheirUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opts tools.Options
		if err := json.Unmarshal([]byte(`{"OperationNames": [{"name": "orders", "id": "listOrders", "domain": "shop.example"}, {"name": "Order", "method": "get", "path": "/orders/{any}", "domain": "shop.example"},
			{"name": "drop", "id": "openapi:openapi/dropOrders", "domain": "books.example"}]}`), &opts); err != nil {
			t.Fatal(err)
		}
		box, err := sifted(t, &opts, "shop.example", "books.example")
		if err != nil {
			t.Fatal(err)
		}
		for name, id := range map[string]string{"orders": "https://shop.example listOrders", "Order": "https://shop.example getOrder", "drop": "https://books.example dropOrders", "books__listOrders": "https://books.example listOrders"} {
			tool, err := box.Tool(name)
			if err != nil || tool.Origin+" "+tool.Capability.ID != id {
				t.Errorf("%s: %+v, %v", name, tool, err)
			}
		}
		if len(box.Skipped()) != 0 || box.Len() != 12 {
			t.Errorf("%q", lines(box))
		}
		raw, err := box.Save()
		if err != nil {
			t.Fatal(err)
		}
		again, err := tools.Open(raw)
		if err != nil || !slices.Equal(namesOf(again), namesOf(box)) {
			t.Errorf("%v", err)
		}
		opts = tools.Options{Names: raw, OperationNames: []tools.OperationName{{Name: "every_order", ID: "listOrders"}, {Name: "drop", Method: "DELETE", Path: "/v2/orders"}}}
		alone, err := sifted(t, &opts, "shop.example")
		if err != nil || !slices.Equal(namesOf(alone), []string{"Order", "drop", "every_order", "shop__addKey", "shop__addUser", "shop__listUsers"}) {
			t.Errorf("%v, %q", err, namesOf(alone))
		}
	})
}

// A name for an operation that there is not, or that is not one operation alone, is named.
func TestANameWithoutItsOperationIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &tools.Options{
			Except: []tools.Filter{{Methods: []string{"DELETE"}}},
			OperationNames: []tools.OperationName{
				{Name: "a", ID: "listOrder"}, {Name: "b", ID: "listOrders"}, {Name: "c", Method: "put", Path: "/orders"}, {Name: "d", Domain: "no.example", ID: "getOrder"},
				{Name: "e", Domain: "shop.example", ID: "dropOrders"}, {Name: "f", Domain: "shop.example", ID: "addKey"}, {Name: "g", Domain: "shop.example", Method: "POST", Path: "/admin/users/{}/keys"}},
		}
		box, err := sifted(t, opts, "shop.example", "books.example")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range box.Skipped() {
			if s.Code == tools.CodeUnmatched {
				got = append(got, s.Key+": "+s.Reason)
			}
		}
		const none, more = "there is no tool for this operation", "more than one operation is meant: add the domain, or give the ID"
		want := []string{"listOrder: " + none, "listOrders: " + more, "PUT /orders: " + none, "no.example getOrder: " + none, "shop.example dropOrders: " + none,
			"shop.example POST /admin/users/{}/keys: the operation has another name already"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if _, err := box.Tool("f"); err != nil {
			t.Error(err)
		}
	})
}

// Filters that match everything or cannot be read, and names that no vendor takes, are
// errors.
func TestWrongFiltersAndNamesAreErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := func(n ...tools.OperationName) tools.Options { return tools.Options{OperationNames: n} }
		for i, opts := range []tools.Options{
			{Only: []tools.Filter{{}}}, {Except: []tools.Filter{{Tags: []string{"a"}}, {}}}, {Only: []tools.Filter{{Paths: []string{"orders"}}}}, {Except: []tools.Filter{{Paths: []string{"/["}}}},
			name(tools.OperationName{Name: "a b", ID: "x"}), name(tools.OperationName{ID: "x"}), name(tools.OperationName{Name: strings.Repeat("a", 65), ID: "x"}), name(tools.OperationName{Name: "bash", ID: "x"}),
			name(tools.OperationName{Name: "a"}), name(tools.OperationName{Name: "a", Method: "GET"}), name(tools.OperationName{Name: "a", ID: "x", Method: "GET", Path: "/x"}), name(tools.OperationName{Name: "a", ID: "x"}, tools.OperationName{Name: "A", ID: "y"}),
			{Sites: true, OperationNames: []tools.OperationName{{Name: "a", ID: "x"}}},
		} {
			if box, err := sifted(t, &opts, "shop.example"); box != nil || err == nil || !strings.HasPrefix(err.Error(), "tools: Options.") {
				t.Errorf("%d: %v, %v", i, box, err)
			}
		}
	})
}
