package hosts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func local() *Entry {
	return &Entry{Command: "/opt/way find", Args: []string{"mcp", "--domain", "shop.example"}, Env: []string{"MAILKEY"}}
}

func remote() *Entry { return &Entry{URL: "http://127.0.0.1:8765/mcp", Token: "TOKEN"} }

func secretOf(name string) string { return "secret-" + name }

// Each host gets the command with its arguments and variables, or the URL with its token. The
// value of a variable is in the configuration only if the host takes no reference.
func TestEachHostGetsTheWholeEntry(t *testing.T) {
	files := map[string]bool{}
	for _, h := range List() {
		if Named(h.Name) == nil || !strings.HasPrefix(h.Docs, "https://") || h.Where == "" {
			t.Errorf("%s: %+v", h.Name, h)
		}
		file := h.File("/home/u", "/home/u/.config", "/work")
		if !filepath.IsAbs(file) || files[file] {
			t.Errorf("%s: %s", h.Name, file)
		}
		files[file] = true
		for _, e := range []*Entry{local(), remote()} {
			parts := []string{"/opt/way find", "shop.example", "MAILKEY"}
			if e.Command == "" {
				parts = []string{e.URL, "TOKEN"}
			}
			if !h.Takes(e) {
				continue
			}
			printed, err := h.Print(e, secretOf)
			set, err2 := h.Set(nil, e, secretOf)
			if err != nil || err2 != nil {
				t.Fatalf("%s: %v, %v", h.Name, err, err2)
			}
			for _, text := range []string{printed, string(set)} {
				for _, part := range parts {
					if !strings.Contains(text, part) {
						t.Errorf("%s: no %s in %s", h.Name, part, text)
					}
				}
				if strings.Contains(text, "secret-") != (len(h.Needs(e)) > 0) {
					t.Errorf("%s needs %q: %s", h.Name, h.Needs(e), text)
				}
			}
			if h.form == formJSON && !json.Valid(set) {
				t.Errorf("%s: %s", h.Name, set)
			}
			again, err := h.Set(set, e, secretOf)
			if err != nil || string(again) != string(set) {
				t.Errorf("%s: written twice: %v\n%s", h.Name, err, again)
			}
		}
	}
}

// The page about hosts names each, with the page that its format is from.
func TestThePageNamesEachHost(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/HOSTS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range List() {
		row := "| `" + h.Name + "` |"
		if _, after, ok := strings.Cut(string(page), row); !ok || !strings.Contains(strings.SplitN(after, "\n", 2)[0], h.Docs) {
			t.Errorf("no row %s with %s", row, h.Docs)
		}
	}
}

// What a configuration has besides stays, comments and the form of its lines included.
func TestAConfigurationKeepsWhatIsThere(t *testing.T) {
	const entry = "{\n      \"url\": \"http://127.0.0.1:8765/mcp\"\n    }"
	e := &Entry{URL: "http://127.0.0.1:8765/mcp"}
	for _, tt := range []struct{ host, text, want string }{
		{"cursor", "", "{\n  \"mcpServers\": {\n    \"wayfind\": " + entry + "\n  }\n}\n"},
		{"cursor", "{ }", "{\n  \"mcpServers\": {\n    \"wayfind\": " + entry + "\n  }\n}"},
		{
			"cursor", "{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"} // one\n    /* two */\n  },\n  \"z\": 1.10\n}\n",
			"{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}, // one\n    /* two */\n    \"wayfind\": " + entry + "\n  },\n  \"z\": 1.10\n}\n",
		},
		{
			"cursor", "{\n  \"mcpServers\": {\n    \"wayfind\": {\"url\": \"old\"}, // ours\n    \"a\": {},\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"wayfind\": " + entry + ", // ours\n    \"a\": {},\n  },\n}",
		},
		{
			"cursor", "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // last\n\t},\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // last\n\t\t\"wayfind\": {\n\t\t\t\"url\": \"http://127.0.0.1:8765/mcp\"\n\t\t}\n\t},\n}",
		},
		{"codex", "# mine\nmodel = \"x\"", "# mine\nmodel = \"x\"\n\n[mcp_servers.wayfind]\nurl = \"http://127.0.0.1:8765/mcp\"\n"},
		{
			"codex", "[mcp_servers.wayfind]\ncommand = \"old\"\n# note\n[mcp_servers.wayfind.env]\nA = \"1\"\n[mcp_servers.b]\nurl = \"u\" # b\n",
			"[mcp_servers.wayfind]\nurl = \"http://127.0.0.1:8765/mcp\"\n# note\n[mcp_servers.b]\nurl = \"u\" # b\n",
		},
		{
			"goose", "# mine\nextensions:\n    a:\n        type: stdio # a\n    wayfind:\n        cmd: old\n    b: {}\nother: 1\n",
			"# mine\nextensions:\n    a:\n        type: stdio # a\n    wayfind:\n      name: wayfind\n      description: Tools of web domains\n      enabled: true\n      timeout: 300\n      type: streamable_http\n      uri: \"http://127.0.0.1:8765/mcp\"\n    b: {}\nother: 1\n",
		},
		{
			"goose", "GOOSE_MODEL: x # m",
			"GOOSE_MODEL: x # m\nextensions:\n  wayfind:\n    name: wayfind\n    description: Tools of web domains\n    enabled: true\n    timeout: 300\n    type: streamable_http\n    uri: \"http://127.0.0.1:8765/mcp\"\n",
		},
	} {
		got, err := Named(tt.host).Set([]byte(tt.text), e, secretOf)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.host, err, got, tt.want)
		}
	}
}

// VS Code asks for the values of variables, beside those that it asks for already.
func TestVSCodeAsksForVariablesOnce(t *testing.T) {
	const text = `{"inputs": [{"id": "OTHER", "type": "promptString"}], "servers": {}}`
	first, err := Named("vscode").Set([]byte(text), local(), secretOf)
	if err != nil || !json.Valid(first) || !strings.Contains(string(first), `"OTHER"`) || strings.Count(string(first), `"id": "MAILKEY"`) != 1 || !strings.Contains(string(first), "${input:MAILKEY}") {
		t.Fatalf("%v: %s", err, first)
	}
}

// A configuration that cannot be read, or that has servers in a form that is not known, is
// refused and not guessed at.
func TestAConfigurationThatIsNotUnderstoodIsRefused(t *testing.T) {
	for host, texts := range map[string][]string{
		"cursor": {"{", "[]", "x", `{"mcpServers": []}`, `{"mcpServers": {} "a": 1}`, `{"mcpServers": {}, "mcpServers": {}}`, `{"mcpServers": {"wayfind": 1, "wayfind": 2}}`, "{} {}", `{"a": 01}`, "{/*", `{"a": "`, `{"a":]}`, strings.Repeat(`{"a":`, 500)},
		"codex":  {`mcp_servers = {}`, "[mcp_servers]\nwayfind = {}", "mcp_servers.wayfind.command = \"x\"", "[mcp_servers.\"wayfind\"]", "a = \"\"\"\n[mcp_servers.wayfind]\n\"\"\""},
		"goose":  {"extensions: {}", "extensions: {a: 1}", "extensions:\n- a", `{"extensions": {}}`},
		"vscode": {`{"inputs": {}}`},
	} {
		for _, text := range texts {
			if got, err := Named(host).Set([]byte(text), local(), secretOf); err == nil {
				t.Errorf("%s: %s becomes %s", host, text, got)
			}
		}
	}
}

// Whatever the text, an entry that was written can be written again and changes nothing.
func FuzzAnEntryIsWrittenOnce(f *testing.F) {
	for _, text := range []string{"{}", "{\n\t\"mcpServers\": {\"a\": [1, {}], // x\n},}", `{"mcpServers": {"wayfind": {}}}`, "{\"a\": \"\\\"//\"/**/}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := Named("cursor")
		once, err := h.Set([]byte(text), local(), secretOf)
		if err != nil {
			return
		}
		if twice, err := h.Set(once, local(), secretOf); err != nil || string(twice) != string(once) {
			t.Errorf("%q becomes %q and then %q, %v", text, once, twice, err)
		}
	})
}
