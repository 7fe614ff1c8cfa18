package tools

import (
	"cmp"
	"math"

	"github.com/wayfindhq/wayfind/security/schema"
)

// request contains the limits of one request, as of November 2026. If they are exceeded, a
// vendor refuses the whole request. In the table of vendors, zero means no limit. Each tool of
// a request reduces the remaining limits.
type request struct {
	tools int
	// Limits for all strict tools together.
	strict, optional, unions int
}

// request returns the limits of a vendor.
func (v Vendor) request() (r request) {
	if !v.IsZero() {
		r = v.row.most
	}
	return request{cmp.Or(r.tools, maxTools), cmp.Or(r.strict, maxTools), cmp.Or(r.optional, math.MaxInt), cmp.Or(r.unions, math.MaxInt)}
}

// WhyVendor is the reason in Definitions.NotStrict if the vendor has no strict mode.
const WhyVendor = "vendor"

// whyRequest is the reason why a tool that could be strict is not, because of the limits of the
// request.
const whyRequest = "limit_request"

// strictly reports whether the request has room for one more strict schema, and reserves it.
func (r *request) strictly(p *schema.Projection) bool {
	if r.strict < 1 || r.optional < p.Optional || r.unions < p.Unions {
		return false
	}
	r.strict--
	r.optional -= p.Optional
	r.unions -= p.Unions
	return true
}
