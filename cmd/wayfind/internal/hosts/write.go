package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Value returns the text that a configuration contains in place of an environment variable. It is
// not called for hosts that take references.
type Value func(name string) string

// referred returns the function for references to environment variables or, for a host that takes
// none, for their values.
func (h *Host) referred(value Value) Value {
	if h.refer != nil {
		return h.refer
	}
	return value
}

// server is an entry in JSON.
type server struct {
	Type        string            `json:"type,omitempty"`
	Command     any               `json:"command,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Environment map[string]string `json:"environment,omitempty"` // used if the command is an array
	URL         string            `json:"url,omitempty"`
	HTTPURL     string            `json:"httpUrl,omitempty"`
	ServerURL   string            `json:"serverUrl,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
}

// server returns the entry in the form of the host.
func (h *Host) server(e *Entry, value Value) *server {
	value = h.referred(value)
	if e.Command == "" {
		s := &server{Type: h.json.http}
		switch h.json.url {
		case "httpUrl":
			s.HTTPURL = e.URL
		case "serverUrl":
			s.ServerURL = e.URL
		default:
			s.URL = e.URL
		}
		if e.Token != "" {
			s.Headers = map[string]string{"Authorization": "Bearer " + value(e.Token)}
		}
		return s
	}
	env := make(map[string]string, len(e.Env))
	for _, name := range e.Env {
		env[name] = value(name)
	}
	if h.json.array {
		return &server{Type: h.json.stdio, Command: append([]string{e.Command}, e.Args...), Environment: env}
	}
	return &server{Type: h.json.stdio, Command: e.Command, Args: e.Args, Env: env}
}

// input is a value that VS Code asks for and keeps.
type input struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	Description string `json:"description"`
	Password    bool   `json:"password"`
}

func (h *Host) inputs(e *Entry) (list []input) {
	if !h.json.inputs {
		return nil
	}
	for _, name := range e.vars() {
		list = append(list, input{"promptString", name, "The value of " + name + " for wayfind", true})
	}
	return list
}

// Print returns a whole configuration with the entry or, for Claude Code, the command that
// adds it.
func (h *Host) Print(e *Entry, value Value) (string, error) {
	if h.Name == "claude-code" {
		return claudeAdd(e), nil
	}
	text, err := h.Set(nil, e, value)
	return strings.TrimSpace(string(text)), err
}

// claudeAdd returns the command that adds the entry to Claude Code. The shell fills in variables.
func claudeAdd(e *Entry) string {
	var line strings.Builder
	line.WriteString("claude mcp add")
	if e.Command == "" {
		fmt.Fprintf(&line, " --transport http --scope user %s %s", Name, humanize.Word(e.URL))
		if e.Token != "" {
			fmt.Fprintf(&line, ` --header "Authorization: Bearer $%s"`, e.Token)
		}
		return line.String()
	}
	for _, name := range e.Env {
		fmt.Fprintf(&line, ` --env "%s=$%[1]s"`, name)
	}
	line.WriteString(" --transport stdio --scope user " + Name + " --")
	for _, word := range append([]string{e.Command}, e.Args...) {
		line.WriteString(" " + humanize.Word(word))
	}
	return line.String()
}

// Set returns a configuration with the entry in it. The rest is unchanged, including comments. If
// the file does not exist, text is empty.
func (h *Host) Set(text []byte, e *Entry, value Value) ([]byte, error) {
	switch h.form {
	case formTOML:
		return setTOML(text, h.section, codexTable(h.section, e))
	case formYAML:
		return setYAML(text, h.section, gooseBlock(e, h.referred(value)))
	case formOwnYAML:
		return []byte(continueFile(e, h.referred(value))), nil
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	text, err := setMember(text, append(strings.Split(h.section, "/"), Name), h.server(e, value))
	for _, in := range h.inputs(e) {
		if err == nil {
			text, err = addItem(text, "inputs", in.ID, in)
		}
	}
	return text, err
}

// quoted returns a value in the form that JSON, TOML and YAML have in common.
func quoted(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `""` // values are made of texts, so there is no error
	}
	return strings.TrimSpace(b.String())
}

// codexTable returns the entry for Codex, which passes the environment variables that it names to
// the server.
func codexTable(section string, e *Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s.%s]\n", section, Name)
	if e.Command == "" {
		fmt.Fprintf(&b, "url = %s\n", quoted(e.URL))
		if e.Token != "" {
			fmt.Fprintf(&b, "bearer_token_env_var = %s\n", quoted(e.Token))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "command = %s\nargs = %s\n", quoted(e.Command), quoted(e.Args))
	if len(e.Env) > 0 {
		fmt.Fprintf(&b, "env_vars = %s\n", quoted(e.Env))
	}
	return b.String()
}

// gooseBlock returns the entry for goose, which keeps the values of variables in its keyring.
func gooseBlock(e *Entry, refer Value) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s:\n  name: %[1]s\n  description: Tools of web domains\n  enabled: true\n  timeout: 300\n", Name)
	if e.Command == "" {
		fmt.Fprintf(b, "  type: streamable_http\n  uri: %s\n", quoted(e.URL))
		if e.Token != "" {
			fmt.Fprintf(b, "  headers: %s\n", quoted(map[string]string{"Authorization": "Bearer " + refer(e.Token)}))
		}
	} else {
		fmt.Fprintf(b, "  type: stdio\n  cmd: %s\n  args: %s\n", quoted(e.Command), quoted(e.Args))
	}
	if vars := e.vars(); len(vars) > 0 {
		fmt.Fprintf(b, "  env_keys: %s\n", quoted(vars))
	}
	return b.String()
}

// continueFile returns the file for Continue, which contains one server.
func continueFile(e *Entry, refer Value) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "name: %s\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: %[1]s\n", Name)
	if e.Command == "" {
		fmt.Fprintf(b, "    type: streamable-http\n    url: %s\n", quoted(e.URL))
		if e.Token != "" {
			fmt.Fprintf(b, "    requestOptions:\n      headers:\n        Authorization: %s\n", quoted("Bearer "+refer(e.Token)))
		}
		return b.String()
	}
	fmt.Fprintf(b, "    type: stdio\n    command: %s\n    args: %s\n", quoted(e.Command), quoted(e.Args))
	if len(e.Env) > 0 {
		b.WriteString("    env:\n")
	}
	for _, name := range e.Env {
		fmt.Fprintf(b, "      %s: %s\n", name, quoted(refer(name)))
	}
	return b.String()
}
