package a2a_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "routes.example", Path: a2a.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"name": "Route Planner", "description": "Plans routes.", "version": "1.2.0",
		"supportedInterfaces": [
			{"url": "https://routes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "blue"},
			{"url": "grpc.routes.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}
		],
		"capabilities": {"streaming": true},
		"securitySchemes": {"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
		"securityRequirements": [{"schemes": {"key": {"list": []}}}],
		"defaultInputModes": ["text"], "defaultOutputModes": ["text/plain"],
		"skills": [{"id": "optimise", "name": "Optimise", "description": "Finds the best route.", "tags": ["maps"]}]
	}`)}
	reading, err := a2a.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := reading.Services[0]
	for _, face := range agent.Interfaces {
		fmt.Printf("%s %q %s tenant %q, needs %v\n", face.Transport, face.URL, face.Extensions["address"], face.Tenant, face.RequiredHeaders)
	}
	for _, skill := range agent.Capabilities {
		fmt.Println(skill.Kind, skill.ID, skill.Invocation == nil)
	}
	fmt.Println(agent.Auth.Requirements)
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// jsonrpc "https://routes.example/a2a"  tenant "blue", needs [A2A-Version]
	// grpc "" "grpc.routes.example:443" tenant "", needs [A2A-Version]
	// skill optimise true
	// [[{key []}]]
	// warning a2a.mode /defaultInputModes/0
}
