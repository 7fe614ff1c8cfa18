// Package samples has documents for tests of several packages of the command.
package samples

// AgentCard returns an Agent Card with some members more.
func AgentCard(members string) string {
	return `{"description": "d", "version": "1", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "a", "name": "b", "description": "c", "tags": ["t"]}], ` + members + `}`
}

// OpenAPI returns an OpenAPI description with a member more.
func OpenAPI(member string) string {
	return `{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}, ` + member + `}`
}
