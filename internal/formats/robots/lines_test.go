package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jimsmart/grobotstxt"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
)

// records collects the events of the parser for a whole text.
type records struct{ list []string }

func (*records) HandleRobotsStart() {}
func (*records) HandleRobotsEnd()   {}
func (r *records) HandleUserAgent(_ int, value string) {
	r.list = append(r.list, fmt.Sprintf("user-agent %q", value))
}
func (r *records) HandleAllow(int, string)    { r.list = append(r.list, "allow") }
func (r *records) HandleDisallow(int, string) { r.list = append(r.list, "disallow") }
func (r *records) HandleSitemap(_ int, value string) {
	r.list = append(r.list, fmt.Sprintf("sitemap %q", value))
}
func (r *records) HandleUnknownAction(_ int, field, _ string) {
	r.list = append(r.list, fmt.Sprintf("other %q", field))
}

// A reading shows the rules that Allowed obeys: a text is split in the same way as by the
// parser.
func FuzzRecords(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(string(doc.Body))
	}
	f.Add("a:b:c\nuser-agent : x # y\n\r\rdisallow\t/\nallow / /\nsitemap\u00a0: x\n" + strings.Repeat("x", 20_000) + ": y")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		var want records
		grobotstxt.Parse("\n"+text, &want) // it looks for a byte order mark at the start
		if diff := cmp.Diff(want.list, robots.Records(text)); diff != "" {
			t.Errorf("%.200q (-parser +scan):\n%s", text, diff)
		}
	})
}

// A reading names the agents that Allowed obeys.
func FuzzProduct(f *testing.F) {
	for _, value := range []string{"*", "* x", "*x", "GPTBot/1.2", "AI2Bot", "?", "", "a b", "*\u00a0x"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		value = strings.TrimSpace(strings.ToValidUTF8(value, "?"))
		if strings.ContainsAny(value, "#\r\n") || len(value) > 1000 {
			return
		}
		token := robots.Product(value)
		everybody := token == "*"
		body := []byte("User-agent: " + value + "\nDisallow: /\n")
		if got := !robots.Allowed(body, "nobody-else", "/a"); got != everybody && !strings.EqualFold(token, "nobody-else") {
			t.Errorf("%q is %q, for everybody: %t", value, token, got)
		}
		if token != "" && robots.Allowed(body, token, "/a") {
			t.Errorf("%q is %q, which may go there", value, token)
		}
	})
}
