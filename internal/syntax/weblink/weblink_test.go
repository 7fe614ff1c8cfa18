package weblink_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/weblink"
)

// The first link with the relation is found, whatever surrounds it.
func TestFind(t *testing.T) {
	for field, want := range map[string]string{
		`</a?page=2>; rel="next"`:                                        "/a?page=2",
		`</z>; rel=prev, </a?page=2>; rel="x NEXT"`:                      "/a?page=2",
		`<https://x.example/a,b?c=<>; rel=next, </b>; rel=next`:          "/b",
		`</a>; title="rel=next, <b>; \" "; rel=prev, </c>; ReL = "next"`: "/c",
		`</a>; rel=prev; rel=next`:                                       "",
		`</a>; rel="nextish"`:                                            "",
		`</a>; rel="next`:                                                "",
		`, ,, </a>;rel=next`:                                             "/a",
		"":                                                               "",
		`</a, </b>; rel=next`:                                            "/b",
		"<":                                                              "",
		`<>; rel=next`:                                                   "",
	} {
		if got := weblink.Find([]string{"", field}, "next"); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
}
