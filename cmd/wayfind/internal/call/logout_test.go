package call

import "testing"

// Tokens are forgotten at a host, at a path of it, or at a URL, and at no place that only begins alike.
func TestIsAt(t *testing.T) {
	const resource, dev = "https://api.example.com/mcp", "http://localhost:3000/mcp"
	for place, want := range map[string][2]bool{
		"api.example.com": {true, false}, "api.example.com/": {true, false}, "api.example.com/mcp": {true, false}, "https://api.example.com": {true, false},
		"https://api.example.com/mcp/": {true, false}, "localhost:3000": {false, true}, "http://localhost:3000": {false, true}, "http://localhost:3000/mcp": {false, true},
		"api.example": {}, "api.example.com/m": {}, "http://api.example.com": {}, "https://localhost:3000": {}, "localhost": {}, "https:": {}, "https://": {}, "http://": {},
	} {
		if got := [2]bool{isAt(resource, place), isAt(dev, place)}; got != want {
			t.Errorf("%q: %v, want %v", place, got, want)
		}
	}
}
