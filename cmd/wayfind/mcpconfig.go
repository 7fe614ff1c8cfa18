package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/internal/humanize"
)

// hostConfig writes the configuration of a host that starts a command.
type hostConfig func(command string, args []string) (where, text string)

// hostConfigs are the hosts that are known, by name.
func hostConfigs() map[string]hostConfig {
	return map[string]hostConfig{
		"claude-desktop": inServers("mcpServers", "claude_desktop_config.json (Settings, Developer, Edit Config)", false),
		"cursor":         inServers("mcpServers", ".cursor/mcp.json of a project, or of your home directory", false),
		"vscode":         inServers("servers", ".vscode/mcp.json of a project", true),
		"claude-code": func(command string, args []string) (string, string) {
			var line strings.Builder
			line.WriteString("claude mcp add --transport stdio wayfind --")
			for _, word := range append([]string{command}, args...) {
				line.WriteString(" " + humanize.Word(word))
			}
			return "run this in a shell", line.String()
		},
	}
}

func configHosts() []string { return slices.Sorted(maps.Keys(hostConfigs())) }

// inServers writes JSON with one server among those of a member.
func inServers(member, where string, typed bool) hostConfig {
	return func(command string, args []string) (string, string) {
		type server struct {
			Type    string   `json:"type,omitempty"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
		}
		own := server{Command: command, Args: args}
		if typed {
			own.Type = "stdio"
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]map[string]server{member: {"wayfind": own}}); err != nil {
			return where, "" // texts: there is no error
		}
		return "write this into " + where, strings.TrimSpace(b.String())
	}
}

// printConfig prints the configuration of a host that starts this command with the
// flags of this line.
func (a *app) printConfig(cmd *cobra.Command, host string) error {
	write, ok := hostConfigs()[host]
	if !ok {
		return usagef("--print-config %q is no host; write one of %s", host, strings.Join(configHosts(), ", "))
	}
	command, err := os.Executable()
	if err != nil {
		command = "wayfind"
	}
	args := []string{"mcp"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		slice, isSlice := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == "print-config":
		case isSlice:
			for _, v := range slice.GetSlice() {
				args = append(args, "--"+f.Name, v)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			args = append(args, "--"+f.Name)
		case f.Value.Type() == "bool":
			args = append(args, "--"+f.Name+"=false")
		default:
			args = append(args, "--"+f.Name, f.Value.String())
		}
	})
	where, text := write(command, args)
	fmt.Fprintln(a.err, where)
	fmt.Fprintln(a.out, text)
	return nil
}
