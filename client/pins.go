package client

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/pins"
)

// PinPolicy says what becomes of definitions that are not what was pinned.
type PinPolicy int

const (
	// PinRefuse: Resolve returns an error beside the Site, and Describe one
	// instead of a detail: kind wayfind.ErrRefused, code
	// wayfind.CodePinMismatch, a *pins.Error among its causes.
	PinRefuse PinPolicy = iota
	// PinWarn: diagnostics say it, nothing else.
	PinWarn
)

// pinError is the error of a report under the policy.
func (c *Client) pinError(op, u string, report *pins.Report) error {
	if c.opts.PinPolicy == PinWarn || report.Empty() {
		return nil
	}
	return wayfind.NewError(op, u, wayfind.CodePinMismatch, &pins.Error{Report: report})
}

// pinDiagnostics say what a report says.
func pinDiagnostics(report *pins.Report) (diags []wayfind.Diagnostic) {
	for _, m := range report.Mismatches {
		code := "pin.mismatch"
		if m.Rollback() {
			code = "pin.rollback"
		}
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityWarning, Code: code, Source: m.Source, Message: m.String()})
	}
	return diags
}
