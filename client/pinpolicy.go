package client

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/pins"
)

// PinPolicy determines the treatment of definitions that differ from their pins.
type PinPolicy int

const (
	// PinRefuse makes Resolve return an error together with the Site, and Describe an error instead
	// of the detail: kind wayfind.ErrRefused, code wayfind.CodePinMismatch, with a *pins.Error
	// among its causes. Definitions that could not be seen, and new ones, are reported
	// (pin.unknown, pin.added).
	PinRefuse PinPolicy = iota
	// PinWarn reports differences as diagnostics only.
	PinWarn
	// PinStrict refuses as PinRefuse does. It also refuses if a pinned definition could not be
	// seen, or if a Site that was pinned as a whole has a new definition.
	PinStrict
	// PinAllowSafer refuses as PinRefuse does, except for definitions that are equal to or safer
	// than their pins according to diff.Result.Grade. They pass and are reported.
	PinAllowSafer
)

// refuse returns the error of a report under the policy, or nil.
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
