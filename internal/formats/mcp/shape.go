package mcp

import "strings"

// shape is one of the kinds of document.
type shape uint8

const (
	shapeNone shape = iota
	shapeCard
	shapeRegistry
	shapeInfo
	shapeManifest
	shapeEndpoint
	shapeServers
	shapeConfig
	shapeTools
)

// dialect returns the name of a shape.
func (s shape) dialect() string {
	return [...]string{"", "server-card", "server-json", "server-info", "manifest", "endpoint", "servers", "client-config", "tools"}[s]
}

// section returns the name of the text that defines a shape.
func (s shape) section() string {
	return [...]string{secEndpoint, secCard, secRegistry, secInfo, secManifest, secEndpoint, secServers, secConfig, secTools}[s]
}

// isCardSchema reports whether a $schema is the schema of a Server Card (SEP-2127).
func isCardSchema(schema string) bool { return cardVersion(schema) != "" }

// isOwnSchema reports whether a $schema is one of the MCP project. It then identifies shape
// and version.
func isOwnSchema(schema string) bool {
	return strings.HasPrefix(schema, "https://static.modelcontextprotocol.io/schemas/") && strings.Count(schema, "/") == 5
}

// cardVersion returns the version in the $schema of a Server Card, "v1" for example.
func cardVersion(schema string) string {
	rest, ok := strings.CutPrefix(schema, "https://static.modelcontextprotocol.io/schemas/")
	version, file, _ := strings.Cut(rest, "/")
	digits, v := strings.CutPrefix(version, "v")
	if !ok || !v || digits == "" || strings.Trim(digits, "0123456789") != "" || file != "server-card.schema.json" {
		return ""
	}
	return version
}
