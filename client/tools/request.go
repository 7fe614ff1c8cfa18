package tools

import (
	"math"

	"github.com/wayfindhq/wayfind/security/schema"
)

// request holds the remaining limits of one request. A vendor refuses the whole
// request beyond them.
type request struct {
	tools int
	// Of all tools that are strict.
	strict, optional, unions int
}

// request returns the limits that a vendor has published, looked up in November
// 2026.
func (v Vendor) request() request {
	r := request{tools: MaxTools, strict: MaxTools, optional: math.MaxInt, unions: math.MaxInt}
	switch v {
	case OpenAIResponses, OpenAIChat:
		r.tools = 128
	case AnthropicMessages:
		r.strict, r.optional, r.unions = 20, 24, 16
	}
	return r
}

// WhyVendor is the reason of Definitions.NotStrict where the vendor has no strict mode.
const WhyVendor = "vendor"

// whyRequest is the reason why a tool that could be strict is not.
const whyRequest = "limit_request"

// strictly reports whether one more strict schema has room, and takes it.
func (r *request) strictly(p *schema.Projection) bool {
	if r.strict < 1 || r.optional < p.Optional || r.unions < p.Unions {
		return false
	}
	r.strict--
	r.optional -= p.Optional
	r.unions -= p.Unions
	return true
}
