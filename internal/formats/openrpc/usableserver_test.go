package openrpc_test

import (
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
