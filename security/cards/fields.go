package cards

import "maps"

// message lists the fields of a message of A2A 1.0 (specification/a2a.proto) by their JSON
// names. Other members are kept unchanged.
type message map[string]field

// field defines when a member is omitted from the signed form: if its text is unset. If unset
// is empty, the member is never omitted, because the field is REQUIRED or its default differs
// from its absence.
type field struct {
	unset string
	of    message
}

// anyName matches all names of a map.
const anyName = "*"

// Default values in protocol buffers.
const (
	noText = `""`
	noFlag = "false"
	noList = "[]"
	noMap  = "{}"
)

// agentCard lists the fields of AgentCard and of the messages in it.
func agentCard() message {
	requirements := field{noList, message{"schemes": {noMap, message{anyName: {"", message{"list": {noList, nil}}}}}}}
	return message{
		"supportedInterfaces": {"", message{"tenant": {noText, nil}}},
		"capabilities": {"", message{
			"extensions": {noList, message{"uri": {noText, nil}, "description": {noText, nil}, "required": {noFlag, nil}}},
		}},
		"securitySchemes":      {noMap, message{anyName: {"", securityScheme()}}},
		"securityRequirements": requirements,
		"skills": {"", message{
			"examples": {noList, nil}, "inputModes": {noList, nil}, "outputModes": {noList, nil},
			"securityRequirements": requirements,
		}},
	}
}

// securityScheme lists the fields of SecurityScheme.
func securityScheme() message {
	described := message{"description": {noText, nil}}
	with := func(more message) message {
		maps.Copy(more, described)
		return more
	}
	return message{
		"apiKeySecurityScheme":        {"", described},
		"httpAuthSecurityScheme":      {"", with(message{"bearerFormat": {noText, nil}})},
		"oauth2SecurityScheme":        {"", with(message{"oauth2MetadataUrl": {noText, nil}, "flows": {"", oauthFlows()}})},
		"openIdConnectSecurityScheme": {"", described},
		"mtlsSecurityScheme":          {"", described},
	}
}

// oauthFlows lists the fields of OAuthFlows.
func oauthFlows() message {
	text, scopes := field{noText, nil}, field{noMap, nil}
	return message{
		"authorizationCode": {"", message{"refreshUrl": text, "pkceRequired": {noFlag, nil}}},
		"clientCredentials": {"", message{"refreshUrl": text}},
		"deviceCode":        {"", message{"refreshUrl": text}},
		"implicit":          {"", message{"authorizationUrl": text, "refreshUrl": text, "scopes": scopes}},
		"password":          {"", message{"tokenUrl": text, "refreshUrl": text, "scopes": scopes}},
	}
}
