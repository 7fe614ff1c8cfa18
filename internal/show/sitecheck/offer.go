package sitecheck

import (
	"slices"

	"github.com/wayfindhq/wayfind"
)

// Offer is the result for an agent: everything that it gets from the site.
type Offer struct {
	// Services that were found.
	Services []Service `json:"services,omitempty"`
	// Installs are programs that a person would install to use a service: they are named,
	// and never run.
	Installs []string `json:"installs,omitempty"`
	// Tools is the number of tools.
	Tools int `json:"tools"`
	// Vendors of models, with the tools that each takes.
	Vendors []Vendor `json:"vendors,omitempty"`
	// NotTools are the capabilities that became no tool, and documents that were not read.
	NotTools []NotTool `json:"notTools,omitempty"`
	// Reads counts the tools that change nothing, and Agrees those that a person agrees to
	// before a call.
	Reads  int `json:"reads"`
	Agrees int `json:"agrees"`
	// Credentials are the ways to authenticate, for people. A person gives them.
	Credentials []string `json:"credentials,omitempty"`
	// OtherSites are the origins of tools that a person approves first, because they belong
	// to another site.
	OtherSites []string `json:"otherSites,omitempty"`
	// Unclear are the services with tools that do not say how to authenticate.
	Unclear []string `json:"unclear,omitempty"`
	// UnclearTools are their tools.
	UnclearTools []UnclearTool `json:"unclearTools,omitempty"`
	// Quality of the definitions, nil without tools.
	Quality *Quality `json:"quality,omitempty"`
	// Problem says why the tools could not be made. Empty: they were.
	Problem string `json:"problem,omitempty"`

	// Kinds of the schemes that tools and services name.
	Kinds []wayfind.SchemeKind `json:"-"`
}

// Service is a service in a few words.
type Service struct {
	// ID as in the Site.
	ID string `json:"id"`
	// Name of the service.
	Name string `json:"name,omitempty"`
	// Protocols of its interfaces.
	Protocols []string `json:"protocols,omitempty"`
	// Capabilities is their number.
	Capabilities int `json:"capabilities"`
	// Auth says how to authenticate, in words.
	Auth string `json:"auth,omitempty"`
}

// Vendor is a vendor of models.
type Vendor struct {
	// Name as after --for.
	Name string `json:"name"`
	// Tools that its API takes.
	Tools int `json:"tools"`
	// Left is the number of tools for which a request has no room.
	Left int `json:"left,omitempty"`
	// NotTools are tools that the vendor cannot take.
	NotTools []NotTool `json:"notTools,omitempty"`
}

// UnclearTool is a tool that does not say how to authenticate.
type UnclearTool struct {
	// Tool is its name, and Service the ID of its service.
	Tool    string `json:"tool"`
	Service string `json:"service"`
	// Format of the document that describes it; empty if a server listed it.
	Format string `json:"format,omitempty"`
	// Source is the URL of the document, and Pointer the place of the tool there.
	Source  string `json:"source,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// NotTool is a capability that is no tool, with the reason.
type NotTool struct {
	// Key of the capability or service; or the URL of a document.
	Key string `json:"key,omitempty"`
	// Reason in a few words.
	Reason string `json:"reason"`
	// Tool that stands for it, if there is one.
	Tool string `json:"tool,omitempty"`
}

// usesOAuth reports whether a service names OAuth.
func (o *Offer) usesOAuth() bool {
	return slices.Contains(o.Kinds, wayfind.SchemeOAuth2) || slices.Contains(o.Kinds, wayfind.SchemeOIDC)
}

// needsCredential reports whether a service names a credential.
func (o *Offer) needsCredential() bool { return len(o.Credentials) > 0 }

// text is a capability that is no tool, with the reason.
func (t *NotTool) text() string {
	if t.Key == "" {
		return t.Reason
	}
	return t.Key + ": " + t.Reason
}

// reason is the first reason why something is no tool, behind a semicolon; "" if there is none.
func (o *Offer) reason() string {
	if len(o.NotTools) == 0 {
		return ""
	}
	return "; " + o.NotTools[0].text()
}
