// Package hosts writes the configurations by which hosts of the Model Context Protocol start this
// command, or reach it over HTTP. It keeps the rest of a configuration unchanged, including
// comments.
package hosts

import (
	"path/filepath"
	"runtime"
)

// Name is the name of the server in the configurations of hosts.
const Name = "wayfind"

// Entry describes how a host reaches the server.
type Entry struct {
	// Command and Args start the server. If Command is empty, the host uses URL.
	Command string
	Args    []string
	// Env are the environment variables that the server reads.
	Env []string
	// URL is the endpoint of a server that runs already. Token is the environment variable with the
	// token that the server requires, empty if it requires none.
	URL, Token string
}

// vars returns the environment variables that the configuration mentions.
func (e *Entry) vars() []string {
	if e.Command == "" && e.Token != "" {
		return []string{e.Token}
	}
	return e.Env
}

// Host is a program that reads such a configuration.
type Host struct {
	Name string
	// Docs is the page that documents the format. Where describes the place for the text.
	Docs, Where string
	// path is the path of the file, relative to the home directory (~), to the directory of
	// configurations (@) or to the working directory. windows is the path on Windows if it differs.
	path, windows string
	form          form
	// section is the member of the document that contains the servers by their names, or a path of
	// members.
	section string
	// refer returns a reference to an environment variable. It is nil if the host takes only
	// values.
	refer func(name string) string
	// noURL means that the file cannot contain servers that run already.
	noURL bool
	json  dialect
}

// form is the language of a configuration.
type form int

const (
	formJSON form = iota
	formTOML
	formYAML
	formOwnYAML // a file of its own
)

// dialect describes how the JSON of a host differs from that of others.
type dialect struct {
	stdio, http string // values of "type"
	url         string // the member of the URL
	inputs      bool   // the host asks for variables, which are declared in "inputs" next to the section
	array       bool   // the command and its arguments are one array
}

// List returns the hosts, by name.
func List() []*Host {
	braces := func(before, after string) func(string) string {
		return func(name string) string { return before + name + after }
	}
	url := dialect{url: "url"}
	return []*Host{
		{Name: "claude-code", Docs: "https://code.claude.com/docs/en/mcp", Where: "run this in a shell", path: ".mcp.json", section: "mcpServers", refer: braces("${", "}"), json: dialect{url: "url", stdio: "stdio", http: "http"}},
		{Name: "claude-desktop", Docs: "https://modelcontextprotocol.io/docs/develop/connect-local-servers", Where: "claude_desktop_config.json (Settings, Developer, Edit Config)", path: "@/Claude/claude_desktop_config.json", section: "mcpServers", noURL: true},
		{Name: "cline", Docs: "https://docs.cline.bot/mcp/configuring-mcp-servers", Where: "cline_mcp_settings.json (MCP Servers, Configure)", path: "~/.cline/data/settings/cline_mcp_settings.json", section: "mcpServers", json: dialect{url: "url", http: "streamableHttp"}},
		{Name: "codex", Docs: "https://developers.openai.com/codex/mcp", Where: "~/.codex/config.toml", path: "~/.codex/config.toml", form: formTOML, section: "mcp_servers", refer: braces("", "")},
		{Name: "continue", Docs: "https://docs.continue.dev/customize/deep-dives/mcp", Where: ".continue/mcpServers/wayfind.yaml of a project", path: ".continue/mcpServers/wayfind.yaml", form: formOwnYAML, refer: braces("${{ secrets.", " }}")},
		{Name: "cursor", Docs: "https://cursor.com/docs/context/mcp", Where: ".cursor/mcp.json of a project, or of your home directory", path: "~/.cursor/mcp.json", section: "mcpServers", refer: braces("${env:", "}"), json: url},
		{Name: "gemini-cli", Docs: "https://geminicli.com/docs/tools/mcp-server", Where: "~/.gemini/settings.json", path: "~/.gemini/settings.json", section: "mcpServers", refer: braces("${", "}"), json: dialect{url: "httpUrl"}},
		{Name: "goose", Docs: "https://block.github.io/goose/docs/guides/config-files", Where: "~/.config/goose/config.yaml", path: "~/.config/goose/config.yaml", windows: "@/Block/goose/config/config.yaml", form: formYAML, section: "extensions", refer: braces("${", "}")},
		{Name: "jetbrains", Docs: "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html", Where: "~/.junie/mcp/mcp.json, or into Settings, Tools, AI Assistant, Model Context Protocol", path: "~/.junie/mcp/mcp.json", section: "mcpServers", noURL: true},
		{Name: "lmstudio", Docs: "https://lmstudio.ai/docs/app/mcp", Where: "~/.lmstudio/mcp.json (Program, Install, Edit mcp.json)", path: "~/.lmstudio/mcp.json", section: "mcpServers", json: url},
		{Name: "opencode", Docs: "https://opencode.ai/docs/mcp-servers", Where: "~/.config/opencode/opencode.json, or opencode.json of a project (OpenCode 2; version 1 has no member \"servers\" in \"mcp\")", path: "~/.config/opencode/opencode.json", section: "mcp/servers", refer: braces("{env:", "}"), json: dialect{url: "url", stdio: "local", http: "remote", array: true}},
		{Name: "vscode", Docs: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration", Where: ".vscode/mcp.json of a project", path: ".vscode/mcp.json", section: "servers", refer: braces("${input:", "}"), json: dialect{url: "url", stdio: "stdio", http: "http", inputs: true}},
		{Name: "windsurf", Docs: "https://docs.windsurf.com/windsurf/cascade/mcp", Where: "~/.codeium/windsurf/mcp_config.json", path: "~/.codeium/windsurf/mcp_config.json", section: "mcpServers", refer: braces("${env:", "}"), json: dialect{url: "serverUrl"}},
		{Name: "zed", Docs: "https://zed.dev/docs/ai/mcp", Where: "settings.json of Zed (zed: open settings)", path: "~/.config/zed/settings.json", windows: "@/Zed/settings.json", section: "context_servers", json: url},
	}
}

// Names returns the names of the hosts.
func Names() (names []string) {
	for _, h := range List() {
		names = append(names, h.Name)
	}
	return names
}

// Named returns the host with a name, or nil if there is none.
func Named(name string) *Host {
	for _, h := range List() {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// File returns the path of the configuration of the host, for a user with these directories.
func (h *Host) File(home, config, working string) string {
	path := h.path
	if runtime.GOOS == "windows" && h.windows != "" {
		path = h.windows
	}
	switch path[0] {
	case '~':
		return filepath.Join(home, filepath.FromSlash(path[1:]))
	case '@':
		return filepath.Join(config, filepath.FromSlash(path[1:]))
	}
	return filepath.Join(working, filepath.FromSlash(path))
}

// Takes reports whether the host's configuration can contain an entry: some cannot contain a URL.
func (h *Host) Takes(e *Entry) bool { return e.Command != "" || !h.noURL }

// Needs returns the environment variables whose values the configuration contains, and not only
// references to them.
func (h *Host) Needs(e *Entry) []string {
	if h.refer != nil {
		return nil
	}
	return e.vars()
}
