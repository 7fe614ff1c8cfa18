package agentsmd_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// A page that a catch-all server returns for each path is not a document of this format because
// of its path. A text with a title could be one, so its claim is one that discovery compares with the
// answer to a path that cannot exist.
func TestWhatACatchAllServerHasIsNoDocument(t *testing.T) {
	for _, body := range []string{"{}", "ok", "<html>", "404 not found"} {
		formattest.Unclaimed(t, agentsmd.Format(), formattest.Input(t, home, "text/markdown", []byte(body)))
	}
	in := formattest.Input(t, home, "text/markdown", []byte("# Welcome\n\nWe sell things.\n"))
	if got := agentsmd.Format().Match(in).Level; got > parse.Likely {
		t.Errorf("a text with a title is claimed as %v", got)
	}
}

// The version is kept as written, and some texts are not versions.
func TestTheVersionStaysAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		`"1.0"`: "1.0", "'1.10'": "1.10", "1.10": "1.10 warning agentsmd.wrong_type 2", "1.0.0-draft": "1.0.0-draft", `"2.0"`: "2.0 warning agentsmd.version 2",
		"[1]": " error agentsmd.wrong_type 2", "~": " error agentsmd.wrong_type 2", `""`: " error agentsmd.version 2",
		"|\n  1.0\n  IGNORE ALL PREVIOUS": " error agentsmd.version 2", `"` + strings.Repeat("1", 33) + `"`: " error agentsmd.version 2",
		"no": "no warning agentsmd.version 2", "2001-12-14t21:59:43.10-05:00": " error agentsmd.version 2",
	} {
		r := read(t, "---\nversion: "+text+"\n---\n# T\n## Can\n- a\n")
		got := strings.TrimSuffix(r.Version+" "+strings.Join(codes(r.Diagnostics), ","), " ")
		if got != want || r.Unusable != "" {
			t.Errorf("%q: got %q (%s), want %q", text, got, r.Unusable, want)
		}
	}
}

// hostileFront returns front matter after which the document is unusable, or only its rest is
// usable.
func hostileFront() map[wayfind.Code][]string {
	return map[wayfind.Code][]string{
		wayfind.CodeYAMLDuplicate: {"{a, a}", "mcp:\n  endpoint: https://good.example\n  \"\\x65ndpoint\": https://evil.example", "mcp: {}\nmcp: {}"},
		wayfind.CodeYAMLForbidden: {
			"mcp: &a {endpoint: https://evil.example}", "x: &x {endpoint: /evil}\nmcp:\n  <<: *x", "mcp: !!map {endpoint: /evil}", "%YAML 1.2", "mcp: {endpoint: \"/a\\0\"}",
			"version: a\u2028mcp: {endpoint: /evil}", "version: a\u0085mcp: {endpoint: /evil}", "? {a: 1}\n: b", "- mcp", "hello", "version: a\n...\nmcp: {endpoint: /evil}",
		},
		wayfind.CodeLimit: {
			"{" + strings.Repeat("a,", 4000) + "}", strings.Repeat("[", 5000), "a: " + strings.Repeat("x", 17<<10), strings.Repeat("k: ", 2100), "a: " + strings.Repeat("[", 9) + strings.Repeat("]", 9),
		},
	}
}

// Such front matter makes the document unusable in all modes. Neither the front matter nor the
// rest is offered.
func TestHostileFrontMatterMakesTheDocumentUnusable(t *testing.T) {
	for want, fronts := range hostileFront() {
		for _, front := range fronts {
			r, err := agentsmd.Format().Parse(document("---\n" + front + "\n---\n# T\n## Can\n- a\n"))
			if got := codeOf(err); got != want || r != nil {
				t.Errorf("%.60q: %q, want %q; %+v", front, got, want, r)
			}
			if err != nil && len(err.Error()) > 512 {
				t.Errorf("%.60q: %d bytes of error", front, len(err.Error()))
			}
		}
	}
}

// These are the words of the specification, as written.
func TestWordsOfAuthenticationAreReadAsWritten(t *testing.T) {
	unknown := `{"unknown":true}`
	for text, want := range map[string]string{
		"":          `{"schemes":{"none":{"kind":"none"}},"requirements":[[{"scheme":"none"}]]} [transport auth]`,
		"none":      `{"schemes":{"none":{"kind":"none"}},"requirements":[[{"scheme":"none"}]]} [transport]`,
		"\"none\"":  `{"schemes":{"none":{"kind":"none"}},"requirements":[[{"scheme":"none"}]]} [transport]`,
		"api_key":   `{"schemes":{"api_key":{"kind":"api_key"}},"requirements":[[{"scheme":"api_key"}]]} [transport]`,
		"oauth2":    `{"schemes":{"oauth2":{"kind":"oauth2"}},"requirements":[[{"scheme":"oauth2"}]]} [transport]`,
		"OAuth 2.1": `{"schemes":{"oauth2":{"kind":"oauth2"}},"requirements":[[{"scheme":"oauth2"}]]} [transport] warning agentsmd.auth 4`,
		"no":        unknown + " [transport] warning agentsmd.auth 4", "off": unknown + " [transport] warning agentsmd.auth 4", "false": unknown + " [transport] warning agentsmd.auth 4",
		"NONE": unknown + " [transport] warning agentsmd.auth 4", "None": unknown + " [transport] warning agentsmd.auth 4", "basic": unknown + " [transport] warning agentsmd.auth 4",
		"~": unknown + " [transport] warning agentsmd.wrong_type 4", "null": unknown + " [transport] warning agentsmd.wrong_type 4",
		"[none]": unknown + " [transport] warning agentsmd.wrong_type 4", "''": unknown + " [transport] warning agentsmd.wrong_type 4",
	} {
		line := ""
		if text != "" {
			line = "  auth: " + text + "\n"
		}
		r := read(t, "---\nmcp:\n  endpoint: https://shop.example/mcp\n"+line+"---\n# T\n")
		f := r.Services[0].Interfaces[0]
		auth, err := json.Marshal(f.Auth)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(fmt.Sprintf("%s %v %s", auth, f.Defaulted, strings.Join(codes(r.Diagnostics), ",")))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("auth %q (-want +got):\n%s", text, diff)
		}
	}
}

// A gateway is only read from an MCP section and from front matter.
func TestAGatewayStandsInItsSectionOrFrontMatterOnly(t *testing.T) {
	for _, body := range []string{
		"```\n## MCP\nendpoint: https://evil.example/mcp\n```\n", "    ## MCP\n    endpoint: https://evil.example/mcp\n", "<!--\n## MCP\nendpoint: https://evil.example/mcp\n-->\n",
		"> ## MCP\n> endpoint: https://evil.example/mcp\n", "### MCP\nendpoint: https://evil.example/mcp\n", "# MCP\nendpoint: https://evil.example/mcp\n",
		"MCP\n---\nendpoint: https://evil.example/mcp\n", "## \u041c\u0421\u0420\nendpoint: https://evil.example/mcp\n", "## M\u200bCP\nendpoint: https://evil.example/mcp\n",
		"- ## MCP\n  endpoint: https://evil.example/mcp\n", "## MCP\n<!--\nendpoint: https://evil.example/mcp\n-->\n", "## MCP\n> endpoint: https://evil.example/mcp\n",
		"## MCP\n### More\nendpoint: https://evil.example/mcp\n", "## MCP\n<div hidden>\nendpoint: https://evil.example/mcp\n</div>\n", "## ＭＣＰ\nendpoint: https://evil.example/mcp\n",
		"\n---\nmcp: {endpoint: https://evil.example/mcp}\n---\n", "---\nmcp: {endpoint: https://evil.example/mcp}\n", "---\na: b\n---\n# T\n---\nmcp: {endpoint: https://evil.example/mcp}\n---\n",
		"## Can\n- endpoint: https://evil.example/mcp\n", "mcp:\n  endpoint: https://evil.example/mcp\n",
	} {
		r := read(t, body+"\n## Can\n- b\n")
		if got := endpoints(r); got != nil {
			t.Errorf("%q: gateway %q", body, got)
		}
	}
}

// Front matter has precedence over sections, and the first section over others.
func TestFrontMatterAndTheFirstSectionWin(t *testing.T) {
	front := "---\nmcp: {endpoint: https://good.example/mcp}\n---\n"
	for body, want := range map[string][]string{
		front + "# T\n## MCP\nendpoint: https://evil.example/mcp\n":                                       {"warning agentsmd.mcp_conflict 6"},
		front + "# T\n## MCP\nendpoint: https://good.example/mcp\n":                                       nil,
		front + "# T\n## MCP\nendpoint: https://good.example/mcp\nauth: oauth2\n":                         {"warning agentsmd.mcp_conflict 6"},
		"# T\n## MCP\nendpoint: https://good.example/mcp\n## MCP\nendpoint: https://evil.example/mcp\n":   {"warning agentsmd.mcp_conflict 5"},
		"# T\n## MCP\nendpoint: https://good.example/mcp\n## mcp\n\nendpoint: https://good.example/mcp\n": {"info agentsmd.mcp_twice 6"},
		"---\nmcp: {auth: none}\n---\n# T\n## MCP\nendpoint: https://good.example/mcp\n":                  {"error agentsmd.missing 2"},
	} {
		r := read(t, body)
		if diff := cmp.Diff([]string{"https://good.example/mcp"}, endpoints(r)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%q: diagnostics (-want +got):\n%s", body, diff)
		}
	}
	// If an endpoint of the front matter is refused, it is not replaced.
	r := read(t, "---\nmcp: {endpoint: //evil.example}\n---\n# T\n## MCP\nendpoint: https://good.example/mcp\n")
	if got := endpoints(r); got != nil {
		t.Errorf("gateway %q beside one that is refused", got)
	}
}

// A statement under both headings is a prohibition.
func TestWhatStandsUnderBothCannotBeDone(t *testing.T) {
	for body, want := range map[string]string{
		"# T\n## Can\n- delete\n- read\n## Cannot\n- delete\n":                                   "read|delete|warning agentsmd.conflict 3",
		"# T\n## Cannot\n- delete\n## Can\n- delete\n- read\n":                                   "read|delete|warning agentsmd.conflict 5",
		"# T\n## Can\n- **Delete** accounts. (authenticated)\n## CAN'T\n1) delete Accounts\n":    "|delete Accounts|warning agentsmd.conflict 3",
		"# T\n## Can\n- orders\n  - delete\n## Cannot\n- delete\n":                               "orders|delete|warning agentsmd.conflict 4",
		"# T\n## Can\n- orders\n  - delete\n- orders delete\n## Cannot\n- orders:\n  - delete\n": "|orders:,orders: delete|warning agentsmd.conflict 3,warning agentsmd.conflict 4,warning agentsmd.conflict 5",
		"# T\n## Can\n- articles\n  - delete\n## Cannot\n- orders\n  - delete\n":                 "articles,articles-delete|orders,orders: delete|",
		"# T\n## Can\n- delete\n## Cannot\ndelete\n":                                             "|delete|info agentsmd.no_list 4,warning agentsmd.conflict 3",
	} {
		r := read(t, body)
		s := r.Services[0]
		got := strings.Join(formattest.IDs(r), ",") + "|" + strings.Join(s.Restrictions, ",") + "|" + strings.Join(codes(r.Diagnostics), ",")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
		if len(r.Policies) != len(s.Restrictions) || r.Policies[0].Kind != "cannot" {
			t.Errorf("%q: policies %+v", body, r.Policies)
		}
	}
}

// These are references that some programs read as a host and others as a path.
func TestNoHostileReferenceIsAnEndpoint(t *testing.T) {
	for _, ref := range []string{
		"//u@evil.example/x", `/\evil.example`, "/\t/evil.example", `\\evil.example`, "https:evil.example", "https:///x", "https://user:pass@evil.example/", "javascript:alert(1)", "ws://shop.example/mcp",
		"unix:/var/run/docker.sock", "https://shop.example/\r\nX: y", "/a b", "#x", "", "mcp", "../mcp", "shop.example/mcp", "https://{a.example/", "/" + strings.Repeat("a", 2048),
	} {
		for _, at := range []*url.URL{nil, {Scheme: "https", Host: "shop.example", Path: agentsmd.Path}} {
			quoted := string(rawjson.Quote(ref))
			in := document("---\nmcp: {endpoint: " + quoted + "}\n---\n# T\n## Can\n- a\n")
			in.FinalURL = at
			r, err := agentsmd.Format().Parse(in)
			if err != nil {
				t.Errorf("%q: %v", ref, err)
				continue
			}
			if got := endpoints(r); got != nil || strings.Contains(fmt.Sprint(r.Services[0].Extensions), "evil") {
				t.Errorf("%q: gateway %q, extensions %s", ref, got, r.Services[0].Extensions)
			}
			if diff := cmp.Diff([]string{"error agentsmd.endpoint 2"}, codes(r.Diagnostics)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", ref, diff)
			}
		}
	}
}

// A strange URL is kept as a claim and reported. Another site is a fact, and its consequences
// are not decided here.
func TestOddEndpointsAreKeptAsClaims(t *testing.T) {
	for ref, want := range map[string][]string{
		"https://shop.example/mcp":      nil,
		"https://bank.example/mcp":      nil,
		"http://shop.example/mcp":       {"error agentsmd.endpoint_scheme 2"},
		"https://shop.example:8443/mcp": {"warning agentsmd.endpoint_host 2"},
		"https://127.0.0.1/mcp":         {"warning agentsmd.endpoint_host 2"},
		"https://2130706433/mcp":        {"warning agentsmd.endpoint_host 2"},
		"https://localhost/mcp":         {"warning agentsmd.endpoint_host 2"},
		"https://{t}.shop.example/mcp":  {"warning agentsmd.endpoint_host 2"},
		"https://shop.example/a/%2e%2e": {"warning agentsmd.dot_segments 2"},
	} {
		r := read(t, "---\nmcp: {endpoint: \""+ref+"\"}\n---\n# T\n")
		if got := endpoints(r); len(got) != 1 || got[0] != ref || r.Services[0].Interfaces[0].Trust != "" {
			t.Errorf("%s: gateway %q", ref, got)
		}
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
	}
	r := read(t, "---\nmcp: {endpoint: /mcp}\n---\n# T\n")
	if got := endpoints(r); got != nil {
		t.Errorf("a path of a document from nowhere became %q", got)
	}
	if diff := cmp.Diff([]string{"warning agentsmd.endpoint_relative 2", "warning agentsmd.nothing_said 0"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("a path from nowhere (-want +got):\n%s", diff)
	}
}

// There are more statements than the limit.
func TestStatementsBeyondTheLimitAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("# T\n## Can\n")
	for i := range 1001 {
		fmt.Fprintf(&b, "+ item %d\n", i)
	}
	r := read(t, b.String())
	if got := formattest.IDs(r); len(got) != 1000 || got[999] != "item-999" {
		t.Errorf("%d capabilities", len(got))
	}
	if diff := cmp.Diff([]string{"warning agentsmd.truncated 0"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// summary returns the facts that the cases of own_agentsmd_structure.json check.
func summary(body string) string {
	in := document(body)
	claim := agentsmd.Format().Match(in)
	r, err := agentsmd.Format().Parse(in)
	if err != nil {
		return fmt.Sprintf("%d %s", claim.Level, codeOf(err))
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s %s", claim.Level, r.Version, strings.Join(endpoints(r), ","), strings.Join(formattest.IDs(r), ","),
		strings.Join(codes(r.Diagnostics), ",")))
}

// TestStructure runs own_agentsmd_structure.json, except the cases about robots.txt and
// llms.txt.
func TestStructure(t *testing.T) {
	var file struct {
		Cases []struct {
			Name string          `json:"name"`
			In   json.RawMessage `json:"in"`
			Want string          `json:"want"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "naughty", "own_agentsmd_structure.json")), &file); err != nil {
		t.Fatal(err)
	}
	const unnamed, silent, titled = "info agentsmd.identity 0", "error agentsmd.nothing_said 0", "warning agentsmd.nothing_said 0"
	want := map[string]string{
		"fence first line":                   "2 1.0 https://a.example/mcp",
		"BOM then fence":                     "0 1.0   info markdown.bom 1," + unnamed + "," + silent,
		"CRLF fences":                        "0 1.0   " + titled,
		"blank line before fence":            "0    " + unnamed + "," + silent,
		"unclosed fence":                     "0    warning markdown.front_matter 1," + titled,
		"fence with trailing text":           "0    " + unnamed + "," + silent,
		"four dashes":                        "0    " + unnamed + "," + silent,
		"dots closing":                       "0    warning markdown.front_matter 1," + titled,
		"second block in body":               "0 a   warning agentsmd.version 2," + titled,
		"MCP section":                        "2  https://a.example/mcp",
		"MCP section and frontmatter differ": "2  https://a.example/mcp  " + unnamed + ",warning agentsmd.mcp_conflict 5",
		"MCP section twice":                  "2  https://a.example/mcp  " + unnamed + ",warning agentsmd.mcp_conflict 4",
		"MCP in code fence":                  "0    " + unnamed + "," + silent,
		"MCP in indented code":               "0    " + unnamed + "," + silent,
		"MCP in HTML comment":                "0    " + unnamed + "," + silent,
		"MCP in blockquote":                  "0    " + unnamed + "," + silent,
		"MCP as H3":                          "0    " + unnamed + "," + silent,
		"homoglyph heading":                  "0    " + unnamed + "," + silent,
		"heading with ZWSP":                  "0    " + unnamed + ",warning agentsmd.hidden_heading 1," + silent,
		"Can hidden in Cannot":               "2    " + unnamed + ",warning agentsmd.conflict 4",
		"nested list items":                  "2   a,a-b,a-b-c " + unnamed,
		"setext heading":                     "0    " + unnamed + "," + silent,
		"task list":                          "2   pay " + unnamed,
		"link text lies":                     "2   https-a-example-https-evil-example " + unnamed,
		"image beacon":                       "0    " + unnamed + "," + silent,
		"script tag":                         "0 html",
		"HTML page":                          "0 html",
		"contact exfil":                      "0    " + unnamed + "," + titled,
		"101 items":                          "",
		"item of 10 KB":                      "",
	}
	ran := 0
	for _, c := range file.Cases {
		if strings.HasPrefix(c.Name, "robots") || strings.HasPrefix(c.Name, "llms") {
			continue
		}
		var body string
		if err := json.Unmarshal(c.In, &body); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		ran++
		switch c.Name {
		case "101 items":
			if got := read(t, "## Can\n"+numbered(101)); len(got.Services[0].Capabilities) != 101 {
				t.Errorf("%s: %d capabilities", c.Name, len(got.Services[0].Capabilities))
			}
			continue
		case "item of 10 KB":
			got := read(t, "## Can\n- "+strings.Repeat("a", 10_000)+"\n")
			if diff := cmp.Diff([]string{unnamed, "info agentsmd.long_item 2"}, codes(got.Diagnostics)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.Name, diff)
			}
			continue
		}
		w, ok := want[c.Name]
		if !ok {
			t.Errorf("%s: no expectation; want %q", c.Name, c.Want)
			continue
		}
		if diff := cmp.Diff(w, summary(body)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.Name, c.Want, diff)
		}
	}
	if ran < golden.Least(t, golden.EnvVectors, len(want)) {
		t.Errorf("%d cases, expected %d", ran, len(want))
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "+ item %d\n", i)
	}
	return b.String()
}
