package tools

import (
	"cmp"
	"math"

	"github.com/wayfindhq/wayfind/security/schema"
)

// request holds the limits of one request, looked up in November 2026. A vendor refuses
// the whole request beyond them. Zero in the table of vendors is no limit; each tool of a
// request uses them up.
type request struct {
	tools int
	// Of all tools that are strict.
	strict, optional, unions int
}

// request returns the limits of a vendor.
func (v Vendor) request() (r request) {
	if !v.IsZero() {
		r = v.row.most
	}
	return request{cmp.Or(r.tools, MaxTools), cmp.Or(r.strict, MaxTools), cmp.Or(r.optional, math.MaxInt), cmp.Or(r.unions, math.MaxInt)}
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
