package diff_test

import (
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// TestEncodingsOfOlderSites checks that a Site that was stored before there were content types
// and encodings shows no change for them, and that two Sites with them do.
func TestEncodingsOfOlderSites(t *testing.T) {
	with := func(types []string, encodings []wayfind.Encoding) *wayfind.Site {
		return &wayfind.Site{Origin: "https://a.example", Services: []wayfind.Service{{ID: "s", Capabilities: []wayfind.Capability{{
			Key:        "openapi:a",
			Invocation: &wayfind.Invocation{Protocol: "http", Method: "POST", URL: "https://a.example/", ContentTypes: types, Encodings: encodings},
		}}}}}
	}
	old := with(nil, nil)
	now := with([]string{"a/b", "c/d"}, []wayfind.Encoding{{Name: "x", ContentType: "image/png"}})
	if got := diff.Sites(old, now).Changed; len(got) != 0 {
		t.Errorf("%+v", got)
	}
	other := with([]string{"a/b"}, []wayfind.Encoding{{Name: "x", ContentType: "image/gif"}})
	if got := diff.Sites(now, other).Changed; len(got) != 1 || got[0].Field != "invocation" {
		t.Errorf("%+v", got)
	}
}
