package a2a_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	a2a03 "github.com/a2aproject/a2a-go/a2a"
	a2a10 "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/parse"
)

// card contains what a reader reads from a card, in terms that all readers share.
type card map[string][]string

// fields returns the names of the facts that are compared.
func fields() []string {
	return []string{"name", "version", "interfaces", "skills", "schemes", "requirements"}
}

// reader is a library that reads cards. ok is false if no client can be made from the result.
type reader struct {
	name string
	read func(body []byte) (c card, ok bool)
}

func readers() []reader {
	return []reader{
		{"v0.3.15", read03},
		{"v2.3.1", func(body []byte) (card, bool) { return read10(agentcard.DefaultCardParser, body) }},
		{"v2.3.1-compat", func(body []byte) (card, bool) { return read10(a2av0.NewAgentCardParser(), body) }},
	}
}

// ours reads a card with our format.
func ours(body []byte) (c card, ok bool) {
	u := &url.URL{Scheme: "https", Host: "a.example", Path: a2a.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: body}
	if a2a.Format().Match(in).Level == parse.None {
		return nil, false
	}
	r, err := a2a.Format().Parse(in)
	if err != nil || r.Unusable != "" {
		return nil, false
	}
	s := r.Services[0]
	c = card{"name": {s.Name}, "version": {s.Version}, "requirements": needs(s.Auth)}
	for _, f := range s.Interfaces {
		at := f.URL
		if address, ok := f.Extensions["address"]; ok {
			at = strings.Trim(string(address), `"`)
		}
		c["interfaces"] = append(c["interfaces"], line(strings.ToUpper(f.Transport), at, strings.Join(f.Versions, " "), f.Tenant))
	}
	for _, k := range s.Capabilities {
		text := k.ID
		if k.Auth != nil {
			text += " needs " + strings.Join(needs(k.Auth), " or ")
		}
		c["skills"] = append(c["skills"], text)
	}
	for name, scheme := range s.Auth.Schemes {
		if scheme.Kind != wayfind.SchemeNone { // the library has no scheme for no authentication
			c["schemes"] = append(c["schemes"], name+" "+schemeLine(scheme))
		}
	}
	slices.Sort(c["schemes"])
	return c, true
}

func line(words ...string) string { return strings.TrimRight(strings.Join(words, " "), " ") }

// needs returns the alternatives of the requirements.
func needs(a *wayfind.Auth) []string {
	var list []string
	for _, alternative := range a.Requirements {
		parts := map[string][]string{}
		for _, part := range alternative {
			if part.Scheme != "none" {
				parts[part.Scheme] = part.Scopes
			}
		}
		list = append(list, need(parts))
	}
	return list
}

// need returns one alternative, with its parts in the order of their names.
func need[K, S ~string, L ~[]S](parts map[K]L) string {
	var list []string
	for name, scopes := range parts {
		list = append(list, fmt.Sprintf("%s%v", name, []S(scopes)))
	}
	if list == nil {
		return "nothing"
	}
	slices.Sort(list)
	return strings.Join(list, "+")
}

// skillLine returns a skill with its requirements.
func skillLine[M ~map[K]L, K, S ~string, L ~[]S](id string, alternatives []M) string {
	var list []string
	for _, parts := range alternatives {
		list = append(list, need(parts))
	}
	if list == nil {
		return id
	}
	return id + " needs " + strings.Join(list, " or ")
}

func schemeLine(s wayfind.Scheme) string {
	words := []string{string(s.Kind), s.In, s.Name, s.HTTPScheme}
	for _, f := range s.Flows {
		words = append(words, flow(f.Grant, f.AuthorizationURL+f.DeviceAuthorizationURL, f.TokenURL, f.RefreshURL, f.Scopes))
	}
	words = append(words, s.MetadataURL)
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func flow(grant, authorization, token, refresh string, scopes []string) string {
	slices.Sort(scopes)
	return line(grant, authorization, token, refresh, fmt.Sprint(scopes))
}

func keys(m map[string]string) []string {
	list := []string{}
	for k := range m {
		list = append(list, k)
	}
	return list
}

// read03 reads with the library for version 0.3.
func read03(body []byte) (c card, ok bool) {
	var v a2a03.AgentCard
	if err := json.Unmarshal(body, &v); err != nil || v.Name == "" || v.URL == "" {
		return nil, false
	}
	transport := v.PreferredTransport
	if transport == "" {
		transport = a2a03.TransportProtocolJSONRPC // as in the comment on the field
	}
	c = card{"name": {v.Name}, "version": {v.Version}, "interfaces": {line(string(transport), v.URL, v.ProtocolVersion)}}
	for _, f := range v.AdditionalInterfaces {
		if text := line(string(f.Transport), f.URL, v.ProtocolVersion); !slices.Contains(c["interfaces"], text) {
			c["interfaces"] = append(c["interfaces"], text)
		}
	}
	for _, s := range v.Skills {
		c["skills"] = append(c["skills"], skillLine(s.ID, s.Security))
	}
	for _, alternative := range v.Security {
		c["requirements"] = append(c["requirements"], need(alternative))
	}
	for name, scheme := range v.SecuritySchemes {
		c["schemes"] = append(c["schemes"], line(string(name), scheme03(scheme)))
	}
	slices.Sort(c["schemes"])
	return c, true
}

func scheme03(scheme a2a03.SecurityScheme) string {
	switch s := scheme.(type) {
	case a2a03.APIKeySecurityScheme:
		return line("api_key", string(s.In), s.Name)
	case a2a03.HTTPAuthSecurityScheme:
		return line("http", strings.ToLower(s.Scheme))
	case a2a03.OpenIDConnectSecurityScheme:
		return line("oidc", s.OpenIDConnectURL)
	case a2a03.MutualTLSSecurityScheme:
		return "mtls"
	case a2a03.OAuth2SecurityScheme:
		words := []string{"oauth2"}
		if f := s.Flows.AuthorizationCode; f != nil {
			words = append(words, flow("authorization_code", f.AuthorizationURL, f.TokenURL, f.RefreshURL, keys(f.Scopes)))
		}
		if f := s.Flows.ClientCredentials; f != nil {
			words = append(words, flow("client_credentials", "", f.TokenURL, f.RefreshURL, keys(f.Scopes)))
		}
		if f := s.Flows.Implicit; f != nil {
			words = append(words, flow("implicit", f.AuthorizationURL, "", f.RefreshURL, keys(f.Scopes)))
		}
		if f := s.Flows.Password; f != nil {
			words = append(words, flow("password", "", f.TokenURL, f.RefreshURL, keys(f.Scopes)))
		}
		words = append(words, s.Oauth2MetadataURL)
		return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	}
	return fmt.Sprintf("%T", scheme)
}

// read10 reads with the library for version 1.0.
func read10(parser agentcard.Parser, body []byte) (c card, ok bool) {
	v, err := parser(body)
	if err != nil || v.Name == "" || len(v.SupportedInterfaces) == 0 {
		return nil, false
	}
	c = card{"name": {v.Name}, "version": {v.Version}}
	for _, f := range v.SupportedInterfaces {
		c["interfaces"] = append(c["interfaces"], line(string(f.ProtocolBinding), f.URL, string(f.ProtocolVersion), f.Tenant))
	}
	for _, s := range v.Skills {
		c["skills"] = append(c["skills"], skillLine(s.ID, s.SecurityRequirements))
	}
	for _, alternative := range v.SecurityRequirements {
		c["requirements"] = append(c["requirements"], need(alternative))
	}
	for name, scheme := range v.SecuritySchemes {
		c["schemes"] = append(c["schemes"], line(string(name), scheme10(scheme)))
	}
	slices.Sort(c["schemes"])
	return c, true
}

func scheme10(scheme a2a10.SecurityScheme) string {
	switch s := scheme.(type) {
	case a2a10.APIKeySecurityScheme:
		return line("api_key", string(s.Location), s.Name)
	case a2a10.HTTPAuthSecurityScheme:
		return line("http", strings.ToLower(s.Scheme))
	case a2a10.OpenIDConnectSecurityScheme:
		return line("oidc", s.OpenIDConnectURL)
	case a2a10.MutualTLSSecurityScheme:
		return "mtls"
	case a2a10.OAuth2SecurityScheme:
		switch f := s.Flows.(type) {
		case a2a10.AuthorizationCodeOAuthFlow:
			return "oauth2 " + flow("authorization_code", f.AuthorizationURL, f.TokenURL, f.RefreshURL, keys(f.Scopes))
		case a2a10.ClientCredentialsOAuthFlow:
			return "oauth2 " + strings.Join(strings.Fields(flow("client_credentials", "", f.TokenURL, f.RefreshURL, keys(f.Scopes))), " ")
		case a2a10.DeviceCodeOAuthFlow:
			return "oauth2 " + strings.Join(strings.Fields(flow("device_code", f.DeviceAuthorizationURL, f.TokenURL, f.RefreshURL, keys(f.Scopes))), " ")
		}
	}
	return fmt.Sprintf("%T", scheme)
}
