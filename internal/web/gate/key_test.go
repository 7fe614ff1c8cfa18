package gate

import "testing"

func TestParseKey(t *testing.T) {
	g := &Gate{opts: Options{View: "v"}}
	for key, want := range map[string]Name{
		g.holdKey(ownPrefix, "https://a.example"):                          {View: "v", Host: "a.example"},
		g.holdKey(oldPrefix, "https://a.example/x?y"):                      {View: "v", Host: "a.example", Path: "/x"},
		g.holdKey(ledPrefix, "https://a.example"):                          {View: "v", Host: "a.example", Led: true},
		g.holdKey(ownPrefix, reasonName("https://a.example/ai", "absent")): {View: "v", Host: "a.example", Path: "/ai", Reason: "absent"},
		g.floorKey(Own, "agentsmd a.example:8443 /agents.md"):              {View: "v", Host: "a.example", Path: "/agents.md", Format: "agentsmd"},
		(&Gate{}).floorKey(Place, "ucp a.example /.well-known/ucp"):        {Host: "a.example", Path: "/.well-known/ucp", Format: "ucp"},
	} {
		if got, ok := ParseKey(key); !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", key, got, ok, want)
		}
	}
	for _, key := range []string{"", "x", "hold\n", "hold\nv", "hold\nv\n", "hold\nv\n:", "floor\nv\nucp", "floor\nv\nucp a.example", "lease\nv\nx", "hold own\nv", "other\nv\nhttps://a.example"} {
		if n, ok := ParseKey(key); ok {
			t.Errorf("%q: %+v", key, n)
		}
	}
}
