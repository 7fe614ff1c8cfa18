package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// deskCard is the card of an MCP server, with tools, a resource and a prompt.
const deskCard = `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "example.desk/desk", "version": "1", "description": "A desk.",
	"remotes": [{"type": "streamable-http", "url": "https://%s/mcp", "supportedProtocolVersions": ["2026-07-28"]}], "tools": [
	{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}, {"name": "ring", "inputSchema": {"type": "object"}},
	{"name": "safe", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": false, "idempotentHint": true}},
	{"name": "burn", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}}, {"name": "both", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "destructiveHint": true}}],
	"resources": [{"uri": "desk://note", "name": "note"}], "prompts": [{"name": "hello"}]}`

// desk adds a host with that card, whose server is at another host if at is not empty. Calls
// that reach the server are noted.
func (w *world) desk(name, at string) {
	w.Helper()
	if at == "" {
		at = name
	}
	w.hosts[name] = w.internet.Host(name, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			clienttest.Pages{"/.well-known/mcp/server-card.json": fmt.Sprintf(deskCard, at)}.ServeHTTP(rw, r)
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name, URI string }
		}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &m)
		rw.Header().Set("Content-Type", "application/json")
		result := map[string]string{
			"server/discover": `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}}`,
			"tools/call":      `"content":[{"type":"text","text":"done"}]`,
			"resources/read":  `"contents":[{"uri":"desk://note","text":"done"}]`,
			"prompts/get":     `"messages":[{"role":"user","content":{"type":"text","text":"done"}}]`,
		}[m.Method]
		if m.Method != "server/discover" && result != "" {
			w.mu.Lock()
			w.calls = append(w.calls, m.Method+" "+name+" "+m.Params.Name+m.Params.URI)
			w.mu.Unlock()
		}
		_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}`, m.ID, result)
	}))
}

const shopOps = "GET /api/orders listOrders\nPOST /api/add addOrder\nDELETE /api/all dropAll"

// inDesk runs a test with a shop and a desk.
func inDesk(t *testing.T, opts *mcpserver.Options, test func(w *world)) {
	t.Helper()
	inWorld(t, shopOps, nil, func(w *world) {
		w.desk("desk.example", "")
		if opts.Domains == nil {
			opts.Domains = []string{"shop.example", "desk.example"}
		}
		w.serve(opts, nil)
		test(w)
	})
}

// isContent reports whether a tool of the desk is a resource or a prompt, which hosts list as
// such and not as a tool.
func isContent(tool string) bool { return tool == "note" || tool == "hello" }

// A call that only reads runs. A call that changes something is confirmed by a person, refused, or
// left to the host. A call that needs a confirmation each time needs a question or an exact name.
func TestConsentFitsTheHost(t *testing.T) {
	const (
		run, ask, refuse = "run", "ask", "refuse"
	)
	rows := map[string][4]string{ // with elicitation; without, auto; without, the host asks: own name, wayfind_call
		"listOrders": {run, run, run, run}, "look": {run, run, run, run}, "note": {run, run, run, run}, "hello": {run, run, run, run},
		"addOrder": {ask, refuse, run, refuse}, "ring": {ask, refuse, run, refuse}, "safe": {ask, refuse, run, refuse},
		"dropAll": {ask, refuse, refuse, refuse}, "burn": {ask, refuse, refuse, refuse}, "both": {ask, refuse, refuse, refuse},
	}
	eras(t, func(t *testing.T, legacy bool) {
		for way, name := range []string{"with elicitation", "without", "the host asks", "the host asks, through wayfind_call"} {
			t.Run(name, func(t *testing.T) {
				inDesk(t, &mcpserver.Options{HostConfirms: way >= 2}, func(w *world) {
					var asked []string
					var host *mcp.ClientOptions
					if way == 0 {
						host = answering("accept", true, &asked)
					}
					s := w.connect(legacy, host)
					w.listed(s)
					for tool, want := range rows {
						name, questions, calls := nameOf(w, tool)[0], len(asked), w.called()
						called, arguments := name, `{}`
						if way == 3 || isContent(tool) {
							called, arguments = "wayfind_call", `{"name": "`+name+`"}`
						}
						got := w.ask(s, called, arguments)
						made := w.called() != calls
						if made != (want[way] != refuse) || (len(asked) > questions) != (want[way] == ask) {
							w.Errorf("%s: made %t, asked %q; want %s: %s", tool, made, asked[questions:], want[way], got)
						}
						if want[way] == refuse {
							w.wants(got, "--allow "+name)
						}
						if way == 1 && want[2] == run && want[way] == refuse {
							w.wants(got, "--confirm host")
						}
					}
				})
			})
		}
	})
}

// Two hosts at once, one that asks its person and one that cannot: each has its own column of the table,
// whatever the person of the other one has agreed to for the session.
func TestConsentFitsEachOfTwoHosts(t *testing.T) {
	rows := map[string][2]bool{ // made for the host without questions: --confirm auto, --confirm host
		"listOrders": {true, true}, "look": {true, true}, "addOrder": {false, true}, "ring": {false, true}, "safe": {false, true},
		"dropAll": {false, false}, "burn": {false, false}, "both": {false, false},
	}
	eras(t, func(t *testing.T, legacy bool) {
		for column, hostConfirms := range []bool{false, true} {
			inDesk(t, &mcpserver.Options{HostConfirms: hostConfirms}, func(w *world) {
				var asked []string
				asks, silent := w.connect(legacy, sessionYes(&asked)), w.connect(!legacy, nil)
				w.listed(asks)
				w.listed(silent)
				for tool, made := range rows {
					name := nameOf(w, tool)[0]
					for round := range 2 {
						questions, calls := len(asked), w.called()
						w.ask(asks, name, `{}`)
						if w.called() == calls || made[0] && len(asked) > questions || !made[0] && round == 0 && len(asked) == questions {
							w.Errorf("%s, with questions, round %d: asked %q", tool, round, asked[questions:])
						}
						if each := !made[1]; each && len(asked) == questions {
							w.Errorf("%s was not asked about again", tool)
						}
						questions, calls = len(asked), w.called()
						got := w.ask(silent, name, `{}`)
						if is := w.called() != calls; is != made[column] || len(asked) > questions {
							w.Errorf("%s, without, round %d: made %v, want %v: %s", tool, round, is, made[column], got)
						}
						if calls = w.called(); !made[0] {
							if got := w.ask(silent, "wayfind_call", `{"name": "`+name+`"}`); w.called() != calls {
								w.Errorf("%s through wayfind_call was made: %s", tool, got)
							}
						}
					}
				}
			})
		}
	})
}

// A yes for the session covers the further calls of the tool, and no other tool; a question
// that is asked each time does not offer it.
func TestAYesForTheSessionCoversOneTool(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		inDesk(t, &mcpserver.Options{}, func(w *world) {
			var forms []string
			s := w.connect(legacy, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				raw, err := json.Marshal(req.Params.RequestedSchema)
				forms = append(forms, string(raw))
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true, "session": true}}, err
			}})
			w.listed(s)
			for _, step := range []struct {
				tool           string
				asked, offered bool
			}{{"addOrder", true, true}, {"addOrder", false, false}, {"ring", true, true}, {"ring", false, false}, {"dropAll", true, false}, {"dropAll", true, false}} {
				before := len(forms)
				w.wants(w.ask(s, nameOf(w, step.tool)[0], `{}`), "done")
				if asked := len(forms) > before; asked != step.asked || asked && strings.Contains(forms[before], `"session"`) != step.offered {
					w.Errorf("%s: asked %q", step.tool, forms[before:])
				}
			}
		})
	})
}

// The annotation that a tool only reads is trusted if the person has named the server, by its
// domain, its URL or its host, and if the server itself sends the annotation.
func TestAReadOnlyAnnotationIsTrustedIfAPersonHasNamedTheServer(t *testing.T) {
	for name, row := range map[string]struct {
		opts  mcpserver.Options
		at    string // the place of the server
		opens bool
		reads bool
	}{
		"its domain":                     {mcpserver.Options{Domains: []string{"desk.example"}}, "", false, true},
		"another domain":                 {mcpserver.Options{Domains: []string{"desk.example"}}, "mcp.other.example", false, false},
		"opened by the model":            {mcpserver.Options{Open: []string{"desk.example"}}, "", true, false},
		"opened by the model, and named": {mcpserver.Options{Open: []string{"*.example"}, TrustAnnotations: []string{"desk.example"}}, "", true, true},
		"another host is named":          {mcpserver.Options{Open: []string{"desk.example"}, TrustAnnotations: []string{"esk.example", ""}}, "", true, false},
		"a host that others speak for":   {mcpserver.Options{Domains: []string{"desk.example"}, TrustAnnotations: []string{"mcp.other.example"}}, "mcp.other.example", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, plain, nil, func(w *world) {
				w.desk("mcp.other.example", "")
				w.desk("desk.example", row.at)
				w.serve(&row.opts, nil)
				s := w.connect(false, nil)
				if w.listed(s); row.opens {
					w.wants(w.ask(s, "wayfind_open", `{"domain": "desk.example"}`), "is open")
				}
				look := nameOf(w, "look")[0]
				got := w.ask(s, look, `{}`)
				if read := w.called() != ""; read != row.reads {
					w.Errorf("called %q: %s", w.called(), got)
				}
				if flag := "--trust-annotations desk.example"; !row.reads && row.at == "" && !strings.Contains(got, flag) {
					w.Errorf("no %s in %s", flag, got)
				}
				if hint := hintsOf(w, look); hint.ReadOnlyHint != row.reads {
					w.Errorf("the hint is %+v", hint)
				}
				if hint := hintsOf(w, nameOf(w, "safe")[0]); *hint.DestructiveHint == row.reads {
					w.Errorf("the hint of what destroys nothing is %+v", hint)
				}
			})
		})
	}
}

// hintsOf are the annotations of a tool that is listed.
func hintsOf(w *world, name string) *mcp.ToolAnnotations {
	w.Helper()
	time.Sleep(mcpserver.NotifyPause)
	synctest.Wait()
	for tool, err := range w.connect(false, nil).Tools(w.Context(), nil) {
		if err != nil {
			w.Fatal(err)
		}
		if tool.Name == name {
			return tool.Annotations
		}
	}
	w.Fatalf("%s is not listed", name)
	return nil
}

// Annotations are the facts about a tool, the more cautious ones if they disagree.
func TestAnnotationsAreTheFacts(t *testing.T) {
	inDesk(t, &mcpserver.Options{}, func(w *world) {
		s := w.connect(false, nil)
		w.listed(s)
		for tool, want := range map[string]string{ // reads, destroys, again
			"listOrders": "true false true", "addOrder": "false true false", "dropAll": "false true true", "look": "true false true", "ring": "false true false",
			"safe": "false false true", "burn": "false true false", "both": "false true false",
		} {
			h := hintsOf(w, nameOf(w, tool)[0])
			if got := fmt.Sprint(h.ReadOnlyHint, *h.DestructiveHint, h.IdempotentHint); got != want || !*h.OpenWorldHint {
				w.Errorf("%s: %s, want %s", tool, got, want)
			}
		}
		for _, tool := range []string{"note", "hello"} {
			got := w.ask(s, "wayfind_describe", `{"name": "`+nameOf(w, tool)[0]+`"}`)
			for _, hint := range []string{`"readOnlyHint":true`, `"destructiveHint":false`, `"idempotentHint":true`} {
				w.wants(got, hint)
			}
		}
		for tool, err := range s.Tools(w.Context(), nil) {
			if err == nil && strings.HasSuffix(tool.Name, "look") {
				w.wants(w.ask(s, "wayfind_describe", `{"name": "`+tool.Name+`"}`), `"readOnlyHint":true`)
				raw, _ := json.Marshal(tool.Meta)
				w.wants(string(raw), `"io.github.wayfindhq/effects":{"effect":"reads","protocol":"mcp","says":{"readOnly":true},"source":"https://desk.example/.well-known/mcp/server-card.json","trusted":true}`)
			}
		}
	})
}

// A name in Allow is for the tool as the server first saw it, and a pattern for tools that only
// change something. Both are for the domains that the server starts with.
func TestAllowIsForTheToolsOfTheStart(t *testing.T) {
	const add, drop = "shop_example__addOrder", "shop_example__dropAll"
	for name, row := range map[string]struct {
		opts  mcpserver.Options
		opens bool
		then  string // the later operations of the shop
		made  string // of both tools
		why   string
	}{
		"a name":                  {mcpserver.Options{Allow: []string{add, drop}}, false, "", "POST DELETE", ""},
		"a pattern":               {mcpserver.Options{Allow: []string{"shop_example__*"}}, false, "", "POST", "--allow dropAll"},
		"a pattern of all":        {mcpserver.Options{Allow: []string{"*"}}, false, "", "POST", "--allow dropAll"},
		"a pattern of another":    {mcpserver.Options{Allow: []string{"other_example__*", "listOrders"}}, false, "", "", "--allow addOrder"},
		"a pattern, opened later": {mcpserver.Options{Allow: []string{"*"}, Open: []string{"shop.example"}}, true, "", "", "--allow " + add},
		"a name, opened later":    {mcpserver.Options{Allow: []string{add, "put"}, Open: []string{"shop.example"}}, true, "", "", "--domain shop.example --allow " + add},
		"the definition changes":  {mcpserver.Options{Allow: []string{add}}, false, "POST /api/more addOrder\nDELETE /api/all dropAll", "", "not defined as it was"},
		"another one changes":     {mcpserver.Options{Allow: []string{add}}, false, "POST /api/add addOrder\nDELETE /api/none dropAll", "POST", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, shopOps, nil, func(w *world) {
				row.opts.Domains = []string{"shop.example"}
				if row.opens {
					w.offer("other.example", "POST /api/put put")
					row.opts.Domains = []string{"other.example"}
				}
				w.serve(&row.opts, nil)
				s := w.connect(false, nil)
				if w.listed(s); row.opens {
					w.wants(w.ask(s, "wayfind_open", `{"domain": "shop.example"}`), "is open")
				}
				if row.then != "" {
					w.offer("shop.example", strings.Split(row.then, "\n")...)
					time.Sleep(2 * time.Hour)
					synctest.Wait()
				}
				got := w.ask(s, "wayfind_call", `{"name": "`+add+`"}`) + w.ask(s, "wayfind_call", `{"name": "`+drop+`"}`)
				var made []string
				for c := range strings.SplitSeq(w.called(), ", ") {
					method, _, _ := strings.Cut(c, " ")
					made = append(made, method)
				}
				if strings.Join(made, " ") != row.made {
					w.Errorf("made %q: %s", made, got)
				}
				w.wants(got, row.why)
			})
		})
	}
}

// wayfind_open needs a pattern of the person if the host cannot ask.
func TestOpenNeedsAPatternWithoutAQuestion(t *testing.T) {
	for pattern, opens := range map[string]bool{"shop.example": true, "*.example": true, "*": true, "other.example": false, "example": false, "": false} {
		inWorld(t, plain, &mcpserver.Options{Open: []string{pattern}, HostConfirms: true}, func(w *world) {
			got := w.ask(w.connect(true, nil), "wayfind_open", `{"domain": "shop.example"}`)
			if opened := strings.Contains(got, "is open"); opened != opens || !opens && !strings.Contains(got, "--open shop.example") {
				w.Errorf("%q: %s", pattern, got)
			}
		})
	}
}

// A pattern that cannot be read is refused at the start, and so is Allow without a domain.
func TestAPatternThatIsNoneIsRefused(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		for _, o := range []mcpserver.Options{{Allow: []string{"get-*["}, Domains: []string{"shop.example"}}, {Open: []string{"["}}, {Allow: []string{"*"}}} {
			if s, err := mcpserver.New(w.client, newCaller(w), &o); err == nil {
				_ = s.Close()
				w.Errorf("%+v is taken", o)
			}
		}
	})
}
