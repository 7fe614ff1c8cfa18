package discover

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// The rules about definitions that a reader has reviewed before.
var (
	rulePinAdded = parse.Rule{Code: "pin.added", Severity: wayfind.SeverityInfo,
		Means: "The reader has pinned the whole site, and the site has something new.",
		Mend:  "Tell your readers about the addition. They review it and pin it."}
	rulePinMismatch = parse.Rule{Code: "pin.mismatch", Severity: wayfind.SeverityWarning,
		Means: "A definition differs from the one that the reader has pinned. The message names the changes.",
		Mend:  "Announce the changes to your readers, with the reasons. They review the change and pin the definition again."}
	rulePinRollback = parse.Rule{Code: "pin.rollback", Severity: wayfind.SeverityWarning,
		Means: "A signed document has an older version than the pinned one.",
		Mend:  "Serve the newest version, and raise its number with each change."}
	rulePinUndigested = parse.Rule{Code: "pin.undigested", Severity: wayfind.SeverityWarning,
		Means: "The reader's pin was made without a digest. It does not cover the parts of the definition that the model has no field for.",
		Mend:  "The document needs no change. The reader pins the definition again."}
	rulePinUnknown = parse.Rule{Code: "pin.unknown", Severity: wayfind.SeverityWarning,
		Means: "A pinned definition could not be checked, because its document could not be fetched.",
		Mend:  "The document needs no change. Ask again when the site answers."}
	rulePinVersion = parse.Rule{Code: "pin.version", Severity: wayfind.SeverityInfo,
		Means: "The reader's pin was made by an earlier version of the program. It does not cover the parts that the definition refers to.",
		Mend:  "The document needs no change. The reader pins the definition again."}
)

// PinDiagnostics returns the diagnostics of a report.
func PinDiagnostics(report *pins.Report) (diags []wayfind.Diagnostic) {
	for _, m := range report.Mismatches {
		rule := rulePinMismatch
		if m.Rollback() {
			rule = rulePinRollback
		}
		message := m.String()
		if g := m.Grade(); g.Risk != diff.Incomparable {
			message += " (" + string(g.Risk) + ")"
		}
		diags = append(diags, rule.Diagnostic(m.Source, "%s", message))
	}
	if said := report.UnknownText(); said != "" {
		diags = append(diags, rulePinUnknown.Diagnostic("", "%s", said))
	}
	if said := report.AddedText(); said != "" {
		diags = append(diags, rulePinAdded.Diagnostic("", "%s", said))
	}
	if said := report.OlderText(); said != "" {
		diags = append(diags, rulePinVersion.Diagnostic("", "%s", said))
	}
	if said := report.UndigestedText(); said != "" {
		diags = append(diags, rulePinUndigested.Diagnostic("", "%s", said))
	}
	return diags
}

// sitePins returns the diagnostics about the pins of a whole Site. If the Site has no services, the
// error of Resolve already contains the reason why no definition could be seen.
func sitePins(site *wayfind.Site, report *pins.Report) []wayfind.Diagnostic {
	if len(site.Services) == 0 {
		told := *report
		told.Unknown = nil
		report = &told
	}
	return PinDiagnostics(report)
}
