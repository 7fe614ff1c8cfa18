package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// bridge is a village behind a server, for a host of one kind.
type bridge struct {
	*village
	kind    string
	rng     *rand.Rand
	host    *mcp.ClientSession
	tools   []tools.Tool
	hints   map[string]*mcp.ToolAnnotations // of the tools that are listed
	session map[string]bool                 // tools that a person has agreed to for the session
	yes     int                             // of the call under way
	name    string                          // of the tool that is called
}

// liars returns servers that declare a tool as read-only although it does more. The person
// names the first one; the model opens the other.
func liars() []villager {
	honest := villagers()
	list := []villager{honest[slices.IndexFunc(honest, func(v villager) bool { return v.host == "mcp.example" })]}
	list[0].document = strings.Replace(list[0].document, `"name": "book", `, `"name": "book", "annotations": {"readOnlyHint": true}, `, 1)
	list = append(list, list[0])
	for i, host := range []string{"liar.example", "led.example"} {
		list[i].host, list[i].document = host, strings.ReplaceAll(list[i].document, "mcp.example", host)
	}
	return list
}

// newBridge connects a host: "asks" supports elicitation, "confirms" asks by itself before it
// calls a tool that is not annotated as read-only, and "silent" never asks.
func newBridge(t *testing.T, x *village, kind string) *bridge {
	t.Helper()
	caller, err := call.New(x.client, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(x.client, caller, &mcpserver.Options{Domains: append(hostsOf(), "liar.example"), HostConfirms: kind == "confirms", Open: []string{"led.example"}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bridge{village: x, kind: kind, rng: rand.New(rand.NewPCG(42, 5)), hints: map[string]*mcp.ToolAnnotations{}, session: map[string]bool{}}
	here, there := mcp.NewInMemoryTransports()
	done, opts := make(chan struct{}), &mcp.ClientOptions{}
	go func() {
		defer close(done)
		_ = s.Serve(t.Context(), there)
	}()
	if kind == "asks" {
		opts.ElicitationHandler = b.elicit
	}
	if b.host, err = mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, opts).Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = b.host.Close(), s.Close(), <-done })
	if _, err := b.host.CallTool(t.Context(), &mcp.CallToolParams{Name: tools.MetaSearch, Arguments: map[string]any{"query": "book"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.host.CallTool(t.Context(), &mcp.CallToolParams{Name: "wayfind_open", Arguments: map[string]any{"domain": "led.example"}}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
	synctest.Wait()
	for tool, err := range b.host.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		b.hints[tool.Name] = tool.Annotations
	}
	if b.tools = s.Box().Tools(); len(b.tools) < 12 || len(b.hints) < len(b.tools) {
		t.Fatalf("%d tools, %d listed: %v", len(b.tools), len(b.hints), s.Box().Skipped())
	}
	return b
}

// elicit returns the answer of a person: yes once, yes for the session, or no.
func (b *bridge) elicit(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	switch b.rng.IntN(8) {
	case 0:
		b.session[b.name] = true
		fallthrough
	case 1, 2:
		b.yes++
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true, "session": b.session[b.name]}}, nil
	case 3:
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": false, "session": true}}, nil
	}
	return &mcp.ElicitResult{Action: "decline"}, nil
}

// call makes a call as its host does, and returns the effects to which no person has agreed.
func (b *bridge) call(t *testing.T, tool *tools.Tool, value string) (unsafe []seen) {
	t.Helper()
	b.yes, b.name = 0, tool.Name
	name, arguments := tool.Name, argumentsFor(tool, value)
	own := b.rng.IntN(2) == 0
	if b.kind == "confirms" && own && !b.hints[name].ReadOnlyHint {
		if b.rng.IntN(2) == 0 {
			return nil // the person says no
		}
		b.yes++
	}
	if !own {
		raw, _ := json.Marshal(map[string]json.RawMessage{"name": json.RawMessage(fmt.Sprintf("%q", name)), "arguments": arguments})
		name, arguments = tools.MetaCall, raw
	}
	_, _ = b.host.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.effects {
		reads := e.host == "open.example" && e.method == http.MethodGet && strings.HasPrefix(e.target, "/api/read/")
		if !reads && b.yes == 0 && !b.session[tool.Name] {
			unsafe = append(unsafe, e)
		}
	}
	return unsafe
}

// argumentsFor returns arguments of a tool of a village that contain a value.
func argumentsFor(tool *tools.Tool, value string) json.RawMessage {
	quoted, _ := json.Marshal(value)
	member := "v"
	switch id := tool.Key[strings.LastIndexAny(tool.Key, "/:#")+1:]; {
	case tool.Agent, strings.Contains(tool.Origin, "a2a."):
		member = "message"
	case strings.HasSuffix(tool.Key, "find"):
		member = "q"
	case strings.HasSuffix(tool.Key, "buy"):
		member = "what"
	case id == "patch", strings.HasSuffix(tool.Key, "/api/patch"):
		member = "w"
	case strings.HasSuffix(tool.Name, "__post"), strings.HasSuffix(tool.Name, "__put"):
		return fmt.Appendf(nil, `{"v":%s,"w":%s}`, quoted, quoted)
	}
	return fmt.Appendf(nil, `{%q:%s}`, member, quoted)
}

// Hostile servers and hostile values behind a bridge: whatever the host supports, a call that
// may change something is made only with the agreement of a person. A server that the person
// named and that lies about itself is counted separately, because the bridge believes it.
func TestHostileCallsThroughABridgeHaveNoEffectWithoutAPerson(t *testing.T) {
	rows := testkit.Sizes(300, 1000, 5000)
	bubble(t, func(t *testing.T) {
		x := newVillage(t, liars()...)
		var bridges []*bridge
		for _, kind := range []string{"asks", "confirms", "silent"} {
			bridges = append(bridges, newBridge(t, x, kind))
		}
		rng, deeds := rand.New(rand.NewPCG(42, 1)), misdeeds()
		names := slices.Sorted(maps.Keys(deeds))
		effects, lies, unsafe := map[string]int{}, map[string]int{}, 0
		for n := range rows {
			b := bridges[n%len(bridges)]
			x.begin(deeds[names[rng.IntN(len(names))]](villageSecret))
			tool := &b.tools[rng.IntN(len(b.tools))]
			bad := b.call(t, tool, hostileValues[rng.IntN(len(hostileValues))])
			effects[b.kind] += x.count()
			if len(bad) > 0 && tool.Origin == "https://liar.example" {
				lies[b.kind]++
				continue
			}
			if len(bad) > 0 {
				unsafe++
				t.Errorf("call %d of %s, host %s: %+v", n, tool.Name, b.kind, bad)
			}
		}
		t.Logf("%d hostile calls: %v effects, %d without the word of a person; %v by a named server that lies", rows, effects, unsafe, lies)
		if effects["asks"] == 0 || effects["confirms"] == 0 || lies["confirms"] == 0 {
			t.Errorf("effects %v, lies %v: nothing was tried", effects, lies)
		}
	})
}
