package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// costly returns documents of about n bytes that try to cost more.
func costly(n int) map[string]string {
	list := func(s string) string { return many(s, max(n/(len(s)+1), 1)) }
	names := func(value string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `,"n%d":%s`, i, value)
		}
		return "{" + b.String()[1:] + "}"
	}
	const head = `{"name": "com.example/a", "version": "1", "description": "d"`
	remote := func(more string) string {
		return head + `,"remotes":[{"type":"sse","url":"https://a.example/mcp",` + more + `}]}`
	}
	var deep strings.Builder
	for deep.Len() < n {
		deep.WriteString(strings.Repeat(`{"properties":{"a":`, 15) + "1" + strings.Repeat("}}", 15) + ",")
	}
	var template strings.Builder
	for i := range min(n/8, 200) {
		fmt.Fprintf(&template, "{v%d}/", i)
	}
	return map[string]string{
		"tools":              `{"tools":` + list(`{"name":"a","inputSchema":{"type":"object"}}`) + "}",
		"bare tools":         list(`{"name":"a","inputSchema":{}}`),
		"arguments":          `{"tools":[{"name":"a","arguments":` + list(`{"name":"a","type":"b"}`) + "}]}",
		"schema":             `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":` + names(`{"type":"string","x-mcp-header":"a"}`) + "}}]}",
		"deep schemas":       `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":1},"oneOf":[` + strings.TrimSuffix(deep.String(), ",") + "]}}]}",
		"remotes":            head + `,"remotes":` + list(`{"type":"sse","url":"https://a.example/a"}`) + "}",
		"headers":            remote(`"headers":` + list(`{"name":"X-Key","isSecret":true}`)),
		"variables":          remote(`"variables":` + names(`{"default":"a"}`)),
		"template":           head + `,"remotes":` + list(`{"type":"sse","url":"https://a.example/`+template.String()+`"}`) + "}",
		"schemes":            remote(`"authentication":{"schemes":` + list(`"bearer"`) + "}"),
		"named schemes":      remote(`"authentication":{"schemes":` + names(`{}`) + "}"),
		"versions":           remote(`"supportedProtocolVersions":` + list(`"2025-06-18"`)),
		"versions and many":  head + `,"protocolVersions":` + many(`"2025-06-18"`, n/40) + `,"remotes":` + numbered(`{"type":"sse","url":"https://a.example/%d"}`, n/2) + "}",
		"places":             head + `,"remotes":` + numbered(`{"type":"sse","url":"https://a.example/%d"}`, n) + "}",
		"different tools":    `{"tools":` + numbered(`{"name":"a%d","inputSchema":{"type":"object"}}`, n) + "}",
		"different servers":  `{"servers":` + numbered(`{"name":"a%d","transport":"sse","url":"https://a.example/%[1]d"}`, n) + "}",
		"packages":           head + `,"packages":` + list(`{"registryType":"npm","identifier":"a"}`) + "}",
		"package arguments":  head + `,"packages":[{"registryType":"npm","identifier":"a","packageArguments":` + list(`{"type":"named","name":"a"}`) + "}]}",
		"servers":            `{"servers":` + list(`{"name":"a","transport":"sse","url":"https://a.example"}`) + "}",
		"configuration":      `{"mcpServers":` + names(`{"command":"a"}`) + "}",
		"command":            `{"mcpServers":{"a":{"command":"b","args":` + list(`"--token"`) + `}}}`,
		"environment":        `{"mcpServers":{"a":{"command":"b","env":` + names(`"1"`) + `}}}`,
		"endpoints":          `{"mcp_version":"1","endpoints":` + names(`"https://a.example"`) + "}",
		"members":            head + `,"remotes":[{"type":"sse","url":"https://a.example"}],` + names(`"1"`)[1:],
		"icons":              head + `,"icons":` + list(`{"src":"data:x"}`) + "}",
		"resource templates": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resourceTemplates":` + list(`{"uriTemplate":"a:{b}"}`) + "}",
	}
}

// numbered returns an array of about n bytes of values with numbers.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, ","+format, i)
	}
	return "[" + b.String()[1:] + "]"
}

// The cost of the result is proportional to the size of the document.
func TestGrowth(t *testing.T) {
	const small, large = 6 << 10, 60 << 10
	for name, body := range costly(small) {
		if _, err := (&parse.Input{Body: []byte(body)}).JSON(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	formattest.Growth(t, mcp.Format(), costly, "", small, large)
}
