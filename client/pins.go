package client

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// PinPolicy says what becomes of definitions that are not what was pinned.
type PinPolicy int

const (
	// PinRefuse: Resolve returns an error beside the Site, and Describe one
	// instead of a detail: kind wayfind.ErrRefused, code
	// wayfind.CodePinMismatch, a *pins.Error among its causes. What could not
	// be seen, and what is there and was not pinned, is told (pin.unknown,
	// pin.added).
	PinRefuse PinPolicy = iota
	// PinWarn: diagnostics say it, nothing else.
	PinWarn
	// PinStrict refuses as PinRefuse does, and also when something
	// pinned could not be seen, or when a Site that was pinned as a whole has
	// something new.
	PinStrict
	// PinAllowSafer refuses as PinRefuse does, but for what is equal or safer
	// than what was pinned, by diff.Result.Grade: that is told, and passes.
	PinAllowSafer
)

// pinError is the error of a report under the policy.
func (c *Client) pinError(op, u string, report *pins.Report) error {
	if c.opts.Trust.PinPolicy == PinAllowSafer {
		report = report.Unsafe()
	}
	unknown := len(report.Unknown) > 0 && (c.opts.Trust.PinPolicy == PinStrict || op == "describe")
	added := len(report.Added) > 0 && c.opts.Trust.PinPolicy == PinStrict
	if c.opts.Trust.PinPolicy == PinWarn || report.Empty() && !unknown && !added {
		return nil
	}
	told := *report
	if !unknown {
		told.Unknown = nil
	}
	if !added {
		told.Added = nil
	}
	return wayfind.NewError(op, u, wayfind.CodePinMismatch, &pins.Error{Report: &told})
}

// learnedPins compares what Describe has learned: a capability with its detail, or
// what a service offers beyond the Site.
func (c *Client) learnedPins(site *wayfind.Site, detail *wayfind.Detail) *pins.Report {
	report := c.opts.Trust.Pins.CheckDetail(site, detail)
	if len(c.opts.Trust.Pins.All()) == 0 || detail.Capability != nil || detail.Service == nil {
		return report
	}
	learned := map[string]bool{}
	known := map[string]bool{}
	for _, capability := range site.Capabilities() {
		known[capability.Key] = true
	}
	for i := range detail.Service.Capabilities {
		learned[detail.Service.Capabilities[i].Key] = !known[detail.Service.Capabilities[i].Key]
	}
	for _, m := range c.opts.Trust.Pins.Check(site.With(detail)).Mismatches {
		if learned[m.Key] {
			report.Mismatches = append(report.Mismatches, m)
		}
	}
	return report
}

// pinDiagnostics say what a report says.
func pinDiagnostics(report *pins.Report) (diags []wayfind.Diagnostic) {
	for _, m := range report.Mismatches {
		code := "pin.mismatch"
		if m.Rollback() {
			code = "pin.rollback"
		}
		message := m.String()
		if g := m.Grade(); g.Risk != diff.Incomparable {
			message += " (" + string(g.Risk) + ")"
		}
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityWarning, Code: code, Source: m.Source, Message: message})
	}
	if said := report.UnknownText(); said != "" {
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityWarning, Code: "pin.unknown", Message: said})
	}
	if said := report.AddedText(); said != "" {
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityInfo, Code: "pin.added", Message: said})
	}
	if said := report.OlderText(); said != "" {
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityInfo, Code: "pin.version", Message: said})
	}
	return diags
}

// sitePins are what is said of the pins of a whole Site. Of a Site with nothing
// the error of Resolve says that nothing could be seen.
func sitePins(site *wayfind.Site, report *pins.Report) []wayfind.Diagnostic {
	if len(site.Services) == 0 {
		told := *report
		told.Unknown = nil
		report = &told
	}
	return pinDiagnostics(report)
}
