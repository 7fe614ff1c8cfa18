package client

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/pins"
)

// PinPolicy decides on definitions that differ from their pins.
type PinPolicy int

const (
	// PinRefuse: Resolve returns an error beside the Site, and Describe one
	// instead of a detail: kind wayfind.ErrRefused, code
	// wayfind.CodePinMismatch, a *pins.Error among its causes. Definitions that
	// could not be seen, and new ones, are reported (pin.unknown, pin.added).
	PinRefuse PinPolicy = iota
	// PinWarn reports differences as diagnostics only.
	PinWarn
	// PinStrict refuses as PinRefuse does, and also when a pinned definition
	// could not be seen, or when a Site that was pinned as a whole has a new
	// one.
	PinStrict
	// PinAllowSafer refuses as PinRefuse does, except definitions that are
	// equal to or safer than their pins by diff.Result.Grade: they are
	// reported, and pass.
	PinAllowSafer
)

// refuse is the error of a report under the policy.
func (p PinPolicy) refuse(op, u string, report *pins.Report) error {
	if p == PinAllowSafer {
		report = report.Unsafe()
	}
	unknown := len(report.Unknown) > 0 && (p == PinStrict || op == "describe")
	added := len(report.Added) > 0 && p == PinStrict
	if p == PinWarn || report.Empty() && !unknown && !added {
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
