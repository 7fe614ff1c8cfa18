package openrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// A method with servers of its own is called at the first one that can be used.
func TestAMethodIsCalledAtItsFirstUsableServer(t *testing.T) {
	for servers, want := range map[string]string{
		`{"url": "http://localhost:8545"}, {"url": "https://rpc.shop.example"}`:  "https://rpc.shop.example",
		`{"url": "wss://rpc.shop.example"}, {"url": "https://rpc.shop.example"}`: "https://rpc.shop.example",
		`{"url": "http://rpc.shop.example"}, {"url": "http://10.0.0.1"}`:         "http://rpc.shop.example",
	} {
		doc := `{"openrpc": "1.4.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://shop.example/rpc"}],
			"methods": [{"name": "a", "params": [], "servers": [` + servers + `]}]}`
		reading := formattest.Read(t, openrpc.Format(), formattest.Input(t, "https://shop.example/openrpc.json", "application/json", []byte(doc)))
		if call := reading.Services[0].Capabilities[0].Invocation; call == nil || call.URL != want {
			t.Errorf("%s: %+v, want %s", servers, call, want)
		}
	}
}

// The servers of the document and of a method follow one rule, and the diagnostics say why others
// are not called.
func TestTheServersThatAreNotCalledAreTold(t *testing.T) {
	for servers, want := range map[string]string{
		`{"url": "https://rpc.shop.example"}`:                                             "",
		`{"url": "http://shop.example/rpc"}`:                                              "the document is at the same host over https",
		`{"url": "ws://shop.example/rpc"}, {"url": "//rpc.shop.example"}`:                 `"ws://shop.example/rpc": calls do not use WebSockets`,
		`{"url": "localhost:8545"}, {"url": "https://rpc.shop.example"}`:                  `"localhost:8545": its host is no public name`,
		`{"url": "ipc:///x"}`:                                                             `no server can be called: "ipc:///x": it is not on the web`,
		`{"url": "http://rpc.shop.example"}`:                                              `no server can be called: "http://rpc.shop.example": it does not use TLS`,
		`{"url": "https://rpc.shop.example{p}", "variables": {"p": {"default": "/a/b"}}}`: "",
		`{"url": "rpc.shop.example/v1"}`:                                                  "it was read as a path on the host of the document",
	} {
		for _, doc := range []string{
			`{"openrpc": "1.4.0", "info": {"title": "T", "version": "1"}, "servers": [` + servers + `], "methods": [{"name": "a", "params": [], "result": {"name": "r", "schema": {}}}]}`,
			`{"openrpc": "1.4.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "/rpc"}], "methods": [{"name": "a", "params": [], "result": {"name": "r", "schema": {}}, "servers": [` + servers + `]}]}`,
		} {
			reading := formattest.Read(t, openrpc.Format(), formattest.Input(t, "https://shop.example/openrpc.json", "application/json", []byte(doc)))
			said := fmt.Sprint(reading.Diagnostics)
			if want == "" && len(reading.Diagnostics) > 0 || !strings.Contains(said, want) {
				t.Errorf("%s: %s, want %s", servers, said, want)
			}
		}
	}
}

// Members of a server that no field of the model is for are kept.
func TestUnknownMembersOfAServerAreKept(t *testing.T) {
	doc := `{"openrpc": "1.4.0", "info": {"title": "T", "version": "1"}, "methods": [],
		"servers": [{"name": "a", "url": "https://rpc.shop.example", "region": "eu", "x-tier": "gold", "summary": "Fast"}]}`
	reading := formattest.Read(t, openrpc.Format(), formattest.Input(t, "https://shop.example/openrpc.json", "application/json", []byte(doc)))
	kept := reading.Services[0].Interfaces[0].Extensions
	for member, want := range map[string]string{"name": `"a"`, "region": `"eu"`, "x-tier": `"gold"`, "summary": `"Fast"`} {
		if string(kept[member]) != want {
			t.Errorf("%s: %s, want %s", member, kept[member], want)
		}
	}
}
