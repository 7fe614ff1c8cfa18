package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// bundle is a file for MCP hosts that a registry lists.
type bundle struct{ name, sum string }

// about is the description for hosts and registries.
const about = "Finds out what a web domain offers to agents, and lets a model use it under your control."

const repository = "https://" + mainModule

// nodeOS contains the names of operating systems in bundles, which are the names of Node.js.
var nodeOS = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// bundle writes a bundle for MCP hosts (MCPB manifest 0.3). It contains the command, and asks
// for the domain at the installation.
func (d *distribution) bundle(name string, p platform, command entry) error {
	manifest, err := json.MarshalIndent(map[string]any{
		"manifest_version": "0.3", "name": "wayfind", "display_name": "wayfind", "version": d.number(),
		"description": about, "author": map[string]any{"name": "The wayfind authors", "url": repository},
		"repository": map[string]any{"type": "git", "url": repository}, "license": "MIT",
		"server": map[string]any{
			"type": "binary", "entry_point": command.name,
			"mcp_config": map[string]any{
				"command": "${__dirname}/" + command.name, "args": []string{"mcp", "--domain", "${user_config.domain}"},
			},
		},
		"user_config": map[string]any{"domain": map[string]any{
			"type": "string", "title": "Domain", "required": true,
			"description": "The domain with the tools, such as example.com, or the URL of an MCP server. Others can be opened in a conversation.",
		}},
		"tools_generated": true, "prompts_generated": true,
		"compatibility": map[string]any{"platforms": []string{nodeOS[p.os]}},
	}, "", "  ")
	if err != nil {
		return err
	}
	entries := []entry{{"manifest.json", manifest, 0o644}, command}
	for _, e := range d.texts {
		if e.name == "LICENSE" || e.name == "THIRD_PARTY.md" {
			entries = append(entries, e)
		}
	}
	if err := create(name, entries, writeZipFile); err != nil {
		return err
	}
	sum, err := digest(name)
	d.bundles = append(d.bundles, bundle{filepath.Base(name), sum})
	return err
}

// server writes server.json, with which a registry of MCP servers lists the bundles (schema of
// 2025-12-11).
func (d *distribution) server() error {
	var packages []map[string]any
	for _, b := range d.bundles {
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": repository + "/releases/download/" + d.version + "/" + b.name,
			"fileSha256": b.sum, "transport": map[string]any{"type": "stdio"},
		})
	}
	data, err := json.MarshalIndent(map[string]any{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        "io.github.wayfindhq/wayfind",
		"title":       "wayfind",
		"description": about, "version": d.number(),
		"repository": map[string]any{"url": repository, "source": "github"},
		"packages":   packages,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, "server.json"), append(data, '\n'), 0o644)
}
