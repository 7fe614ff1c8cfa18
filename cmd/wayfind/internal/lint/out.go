package lint

import (
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/sarif"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// add adds the findings of a document. One that no format reads is a finding too.
func add(s *sarif.Run, r *lintReport) {
	if r.Format == "" && len(r.Diagnostics) == 0 {
		s.Results = append(s.Results, sarif.Result{RuleID: sarif.CodeUnread, RuleIndex: s.Rule(sarif.Rule{ID: sarif.CodeUnread, ShortDescription: sarif.Text{Text: "No format reads the document."},
			Help: sarif.Text{Text: "Compare it with the specification of its format, or name the format."}}), Level: "error",
			Message: sarif.Text{Text: readAs(r)}, Locations: []sarif.Location{{Physical: sarif.Physical{Artifact: sarif.Artifact{URI: sarif.ArtifactURI(r.Name)}}}}})
	}
	for i := range r.Diagnostics {
		s.Results = append(s.Results, resultOf(s, r, &r.Diagnostics[i]))
	}
	for i := range r.Off {
		for j := range r.Off[i].findings {
			own := resultOf(s, r, &r.Off[i].findings[j])
			own.Suppressions = []sarif.Suppression{{Kind: "external", Justification: r.Off[i].Reason}}
			s.Results = append(s.Results, own)
		}
	}
}

// resultOf returns a finding as a result.
func resultOf(s *sarif.Run, r *lintReport, f *lintFinding) sarif.Result {
	place := sarif.Location{Physical: sarif.Physical{Artifact: sarif.Artifact{URI: sarif.ArtifactURI(r.Name)}}}
	if f.Line > 0 {
		place.Physical.Region = &sarif.Region{StartLine: f.Line, StartColumn: f.Column}
	}
	if f.Pointer != "" {
		place.Logical = []sarif.Logical{{FullyQualifiedName: f.Pointer}}
	}
	return sarif.Result{RuleID: f.Code, RuleIndex: s.Rule(ruleOf(f)), Level: humanize.Severity(f.Severity), Message: sarif.Text{Text: f.Message}, Locations: []sarif.Location{place}}
}

// ruleOf is the rule of a finding.
func ruleOf(f *lintFinding) sarif.Rule {
	rule := sarif.Rule{ID: f.Code, ShortDescription: sarif.Text{Text: f.Means}, Help: sarif.Text{Text: f.Mend}}
	if f.Spec != nil && strings.HasPrefix(f.Spec.URL, "https://") {
		rule.HelpURI = f.Spec.URL
	}
	return rule
}

// printGitHub prints the findings as commands of a workflow, one on each line.
func (l *linter) printGitHub(r *lintReport) {
	tell := func(level, code, message string, line, column int) {
		properties := "file=" + publish.GitHubProperty(r.Name)
		if line > 0 {
			properties += fmt.Sprintf(",line=%d", line)
		}
		if column > 0 {
			properties += fmt.Sprintf(",col=%d", column)
		}
		l.Line("::%s %s,title=%s::%s", level, properties, publish.GitHubProperty(code), publish.GitHubText(message))
	}
	if r.Format == "" && len(r.Diagnostics) == 0 {
		tell("error", sarif.CodeUnread, readAs(r), 0, 0)
	}
	for i := range r.Diagnostics {
		f := &r.Diagnostics[i]
		level := humanize.Severity(f.Severity)
		if level == "note" {
			level = "notice"
		}
		message := f.Message
		if f.Pointer != "" {
			message += " at " + f.Pointer
		}
		if f.Mend != "" {
			message += "\nmend: " + f.Mend
		}
		tell(level, f.Code, message, f.Line, f.Column)
	}
	for _, off := range r.Off {
		tell("notice", off.Code, fmt.Sprintf("%s switched off: %s", humanize.Count(off.Count, "finding"), off.Reason), 0, 0)
	}
}
