package testkit

// A Document is what a place answers with.
type Document struct{ Path, MediaType, Body string }

// Barest returns a document for each format, by its name. No member is optional, and nothing says how to
// authenticate, what a call does, or who publishes. Its host is shop.example.
func Barest() map[string]Document {
	return map[string]Document{
		"a2a":          {"/.well-known/agent-card.json", "application/json", `{"name": "x", "version": "1", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [{"id": "s", "name": "s"}]}`},
		"acp":          {"/.well-known/acp.json", "application/json", `{"protocol": {"name": "acp", "version": "2026-01-30", "supported_versions": ["2026-01-30"]}, "api_base_url": "https://shop.example/acp", "transports": ["rest"], "capabilities": {"services": ["checkout"]}}`},
		"adp":          {"/.well-known/agent", "application/json", `{"name": "x", "description": "y", "capabilities": [{"key": "a", "name": "a", "description": "b", "detail_url": "https://shop.example/d"}]}`},
		"agentskills":  {"/.well-known/agent-skills/index.json", "application/json", `{"skills": [{"name": "s", "description": "d", "url": "/s/SKILL.md"}]}`},
		"agentsmd":     {"/.well-known/agents.md", "text/markdown", "# Shop\n\n## Can\n\n- search things\n"},
		"aicatalog":    {"/.well-known/ai-catalog.json", "application/json", `{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:a", "type": "application/a2a-agent-card+json", "url": "https://shop.example/none"}]}`},
		"aidiscovery":  {"/.well-known/ai", "application/json", `{"aiendpoint": "1.0", "service": {"name": "x"}, "capabilities": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`},
		"aid":          {"/.well-known/agent", "application/json", `{"v": "aid2", "u": "https://shop.example/mcp", "p": "mcp"}`},
		"aiplugin":     {"/.well-known/ai-plugin.json", "application/json", `{"schema_version": "v1", "name_for_model": "x", "description_for_model": "y", "api": {"url": "/none.json"}}`},
		"apicatalog":   {"/.well-known/api-catalog", "application/linkset+json", `{"linkset": [{"anchor": "https://shop.example/"}]}`},
		"awp":          {"/agent.json", "application/json", `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "actions": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`},
		"integrations": {"/.well-known/integrations.json", "application/json", `{"version": 3, "surfaces": [{"slug": "a", "name": "a", "type": "mcp", "url": "https://shop.example/mcp", "auth": {"status": "unknown"}}]}`},
		"links":        {"/", "text/html", `<link rel="service-desc" href="/none">`},
		"llmstxt":      {"/llms.txt", "text/markdown", "# x\n"},
		"mcp":          {"/.well-known/mcp/server-card.json", "application/json", `{"name": "com.example/x", "version": "1", "description": "y", "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}`},
		"msagents":     {"/agents/v1", "application/json", `[{"name": "x"}]`},
		"oauth":        {"/.well-known/oauth-protected-resource", "application/json", `{"resource": "https://shop.example"}`},
		"openapi":      {"/openapi.json", "application/json", `{"openapi": "3.1.0", "info": {"title": "", "version": ""}, "paths": {"/a": {"get": {}, "post": {"requestBody": {"content": {"application/json": {}}}}}}}`},
		"openrpc":      {"/openrpc.json", "application/json", `{"openrpc": "1.3.2", "info": {"title": "", "version": ""}, "methods": [{"name": "m", "params": []}]}`},
		"robots":       {"/robots.txt", "text/plain", "User-agent: *\n"},
		"tdmrep":       {"/.well-known/tdmrep.json", "application/json", `[{"location": "/", "tdm-reservation": 1}]`},
		"ucp":          {"/.well-known/ucp", "application/json", `{"ucp": {"version": "2026-01-23", "services": {"dev.ucp.shopping": [{"version": "2026-01-23", "transport": "rest", "endpoint": "https://shop.example/ucp"}]}, "capabilities": {}}}`},
	}
}
