package wayfind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Check returns the reason why a capability cannot be called from the model alone, or nil if it
// can be called. The error is an *Error with Op "check", Kind ErrInvalid and Code schema. Its
// URL is the key.
//
// A callable capability has an invocation with a protocol, and with a URL or template that
// parses or with an interface. For plain HTTP it also has a method, each variable of a
// template is one of Params, and so is each argument that Input requires: Params have the places of
// the arguments, and an argument without a place is not sent. Cleaning the document must not have changed a name that a call
// sends. Check does not decide whether a caller may make the call (Trust, Auth, Effects).
func (c *Capability) Check() error {
	problem := c.contractTrouble()
	if c.Invocation != nil {
		problem = cmp.Or(c.Invocation.trouble(c.Params), c.inputTrouble())
	}
	if problem != "" && c.Lazy && c.Invocation != nil {
		problem = "this is a summary; Describe completes it"
	}
	if problem == "" {
		return nil
	}
	return NewError("check", c.Key, CodeSchema, text(problem))
}

// inputTrouble returns the reason why no arguments satisfy both Input and Params of a call over plain
// HTTP.
func (c *Capability) inputTrouble() string {
	if c.Invocation.Protocol != "http" || len(c.Input) == 0 {
		return ""
	}
	var input struct{ Required []string }
	if json.Unmarshal(c.Input, &input) != nil {
		return "" // no list of names; other parts of the schema are no matter of Params
	}
	for _, name := range input.Required {
		if !slices.ContainsFunc(c.Params, func(p Param) bool { return cmp.Or(p.Argument, p.Name) == name }) {
			return fmt.Sprintf("its input requires the argument %q, and none of its parameters has a place for it", name)
		}
	}
	return ""
}

// contractTrouble returns the reason why there is no invocation.
func (c *Capability) contractTrouble() string {
	switch {
	case c.Lazy && len(c.DetailURLs) == 0:
		return "its contract is in a detail document, and no usable URL of it is given"
	case c.Lazy:
		return "its contract is in a detail document: call Describe"
	}
	switch c.Kind {
	case KindSkill, KindStatement, KindIntent, KindAgent:
		return article(c.Kind) + " has no contract: talk to an interface of the service"
	case KindTool, KindRPCMethod, KindPrompt, KindResource:
		return article(c.Kind) + " is used through an interface, but its documents name no interface for it"
	case KindFlow:
		return "a flow consists of several calls: see the operations of the service"
	case KindSkillFile:
		return "a skill_file is to be read, not to be called"
	}
	return "its documents contain no well-formed contract"
}

// article puts "a" or "an" before a kind.
func article(k Kind) string {
	switch k {
	case KindAgent, KindIntent, KindRPCMethod:
		return "an " + string(k)
	}
	return "a " + string(k)
}

// trouble returns the reason why an invocation cannot be called.
func (v *Invocation) trouble(params []Param) string {
	switch {
	case v.Altered != "":
		return "a name or a value that a call sends contains invisible characters, or letters that are written in parts and not in the form NFC of Unicode, or is too long (in the field " + v.Altered + ")"
	case v.Protocol == "":
		return "its invocation has no protocol"
	case v.URL == "" && v.Template == "" && v.Via == "":
		return "its invocation has neither a URL nor an interface"
	case v.URL != "" && v.Template != "":
		return "its invocation has a URL and a template: one of them is wrong"
	case v.Via != "" && v.Protocol == "mcp" && v.Operation == "":
		return "its invocation has an interface, but no tool there"
	}
	if v.Protocol == "http" && v.Via == "" {
		if problem := methodTrouble(v.Method); problem != "" {
			return problem
		}
	}
	switch {
	case v.Template != "":
		return v.templateTrouble(params)
	case v.URL != "":
		return v.urlTrouble("URL", v.URL)
	}
	return ""
}

// methodTrouble returns the reason why a method cannot call an API (RFC 9110 §9).
func methodTrouble(method string) string {
	switch {
	case method == "":
		return "its invocation has no method"
	case strings.ContainsFunc(method, func(r rune) bool { return (r < 'A' || r > 'Z') && r != '-' && r != '_' }):
		return fmt.Sprintf("its method %q is not a method in upper case", method)
	case method == "CONNECT" || method == "TRACE":
		return fmt.Sprintf("its method %q is not for calling an API", method)
	}
	return ""
}

// urlTrouble returns the reason why a URL cannot be used. Protocols other than http may have
// other schemes.
func (v *Invocation) urlTrouble(what, text string) string {
	u, err := url.Parse(text)
	switch {
	case strings.ContainsAny(text, "{}"):
		return "its URL has variables: it is a template"
	case err != nil || u.Scheme == "" || u.Hostname() == "":
		return "its " + what + " is not an absolute URL"
	case v.Protocol == "http" && u.Scheme != "https" && u.Scheme != "http":
		return "the scheme of its " + what + " is neither https nor http"
	}
	return ""
}

// templateTrouble returns the reason why a template gives no URL: the text around the
// variables is not a URL, or no parameter fills a variable.
func (v *Invocation) templateTrouble(params []Param) string {
	filled, names, ok := variables(v.Template)
	if !ok {
		return "its template is not well-formed"
	}
	if problem := v.urlTrouble("template", filled); problem != "" {
		return problem
	}
	for _, name := range names {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			return fmt.Sprintf("its template has the variable %q, which no parameter fills", name)
		}
	}
	return ""
}

// variables returns the names of a template's variables (RFC 6570 §2) and the text with values
// for all of them. ok is false if braces do not match or contain no name.
func variables(template string) (filled string, names []string, ok bool) {
	var b strings.Builder
	for {
		before, after, open := strings.Cut(template, "{")
		if b.WriteString(before); strings.Contains(before, "}") {
			return "", nil, false
		}
		if !open {
			return b.String(), names, true
		}
		expression, rest, closed := strings.Cut(after, "}")
		list := strings.TrimLeft(expression, "+#./;?&")
		if !closed || strings.Contains(expression, "{") {
			return "", nil, false
		}
		for name := range strings.SplitSeq(list, ",") {
			if i := strings.IndexAny(name, "=:*"); i >= 0 {
				name = name[:i]
			}
			if name == "" {
				return "", nil, false
			}
			names = append(names, name)
		}
		switch operator := strings.TrimSuffix(expression, list); operator {
		case "?", "&": // a query, which may be empty
		case "", "+":
			b.WriteByte('1')
		default:
			b.WriteString(operator + "1")
		}
		template = rest
	}
}

// text is an error that consists of its text.
type text string

func (t text) Error() string { return string(t) }
