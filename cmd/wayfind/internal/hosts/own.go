package hosts

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// hidden stands for a value that is not shown.
const hidden = "•••"

// shown are the members of an entry whose values are shown. Variables and header fields, whose names
// are free, are not among them.
var shown = []string{Name, "type", "command", "cmd", "args", "url", "httpUrl", "serverUrl", "uri", "name", "description", "enabled", "timeout", "version", "schema", "mcpServers", "env_keys", "env_vars", "bearer_token_env_var"}

// memberLine matches a line that begins a member, in JSON, TOML and YAML.
var memberLine = regexp.MustCompile(`^\s*(?:- )?(?:"((?:[^"\\]|\\.)*)"|([\w.-]+))\s*(?:=|:(?:\s|$))`)

// Shown returns the lines of a configuration that a person may see. They contain the entry, without
// the values of variables and header fields. Of JSON and TOML they contain nothing else; of YAML, the
// entry is where two configurations differ.
func (h *Host) Shown(text []byte) string {
	switch h.form {
	case formJSON:
		text = member(text, append(strings.Split(h.section, "/"), Name))
	case formTOML:
		text = tables(text, h.section+"."+Name)
	}
	var b strings.Builder
	open := true // whether the values of the last member are shown
	for line := range strings.Lines(string(text)) {
		at := 0
		if m := memberLine.FindStringSubmatch(line); m != nil {
			at, open = len(m[0]), slices.Contains(shown, m[1]+m[2])
		}
		if value := strings.Trim(line[at:], " \t\r\n,{}[]"); !open && value != "" && !isHeader(line) {
			line = strings.TrimRight(line[:at], " \n") + " " + hidden + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// isHeader reports whether a line is the header of a table in TOML.
func isHeader(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "[mcp_servers.") && strings.HasSuffix(line, "]")
}

// member returns the member at a path as indented JSON with its name, or nothing if there is none. If
// it is not strict JSON, its value is hidden.
func member(text []byte, path []string) []byte {
	for _, name := range path {
		w, err := (&cursor{text: text}).value(0)
		if err != nil {
			return nil
		}
		p, err := w.member(name)
		if err != nil || p == nil {
			return nil
		}
		text = text[p.begin:p.end]
	}
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return []byte(quoted(Name) + ": " + hidden + "\n")
	}
	return []byte(quoted(Name) + ": " + b.String() + "\n")
}
