package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// The words of --format that are reports.
const (
	outputSARIF  = "sarif"
	outputGitHub = "github"
)

// sarifRun is the one run of a report in the Static Analysis Results Interchange
// Format 2.1.0.
type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`

	rules map[string]int // places of the rules, by code
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Help             sarifText `json:"help"`
	HelpURI          string    `json:"helpUri,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

func newSARIF() *sarifRun {
	return &sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "wayfind", Version: ui.Version(), InformationURI: "https://github.com/wayfindhq/wayfind", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints",
		rules: map[string]int{},
	}
}

// add adds the findings of a document. One that no format reads is a finding too.
func (s *sarifRun) add(r *lintReport) {
	if r.Format == "" && len(r.Diagnostics) == 0 {
		s.Results = append(s.Results, sarifResult{RuleID: codeUnread, RuleIndex: s.rule(sarifRule{ID: codeUnread, ShortDescription: sarifText{"No format reads the document."},
			Help: sarifText{"Compare it with the specification of its format, or name the format."}}), Level: "error",
			Message: sarifText{readAs(r)}, Locations: []sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifact{artifactURI(r.Name)}}}}})
	}
	for i := range r.Diagnostics {
		f := &r.Diagnostics[i]
		place := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{artifactURI(r.Name)}}}
		if f.Line > 0 {
			place.Physical.Region = &sarifRegion{f.Line, f.Column}
		}
		if f.Pointer != "" {
			place.Logical = []sarifLogical{{f.Pointer}}
		}
		s.Results = append(s.Results, sarifResult{RuleID: f.Code, RuleIndex: s.rule(ruleOf(f)), Level: humanize.Severity(f.Severity), Message: sarifText{f.Message}, Locations: []sarifLocation{place}})
	}
}

// codeUnread is the rule that a document of no format breaks.
const codeUnread = "document.unread"

// rule is the place of a rule in the list.
func (s *sarifRun) rule(r sarifRule) int {
	if i, known := s.rules[r.ID]; known {
		return i
	}
	s.rules[r.ID] = len(s.Tool.Driver.Rules)
	s.Tool.Driver.Rules = append(s.Tool.Driver.Rules, r)
	return s.rules[r.ID]
}

// ruleOf is the rule of a finding.
func ruleOf(f *lintFinding) sarifRule {
	rule := sarifRule{ID: f.Code, ShortDescription: sarifText{f.Means}, Help: sarifText{f.Mend}}
	if f.Spec != nil && strings.HasPrefix(f.Spec.URL, "https://") {
		rule.HelpURI = f.Spec.URL
	}
	return rule
}

// failed tells of a document that could not be read.
func (s *sarifRun) failed(name string, err error) {
	in := &s.Invocations[0]
	in.ExecutionSuccessful = false
	in.Notifications = append(in.Notifications, sarifNotification{"error", sarifText{name + ": " + text.Printable(ui.Sentence(err))}})
}

func (s *sarifRun) print(w io.Writer) error {
	b, err := json.MarshalIndent(struct {
		Schema  string      `json:"$schema"`
		Version string      `json:"version"`
		Runs    []*sarifRun `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []*sarifRun{s}}, "", "  ")
	if err == nil {
		_, err = w.Write(text.EscapeJSON(append(b, '\n')))
	}
	return err
}

// artifactURI is the name of a file or a URL as a URI reference.
func artifactURI(name string) string {
	if document.HasScheme(name, "https") || document.HasScheme(name, "http") {
		return name
	}
	return (&url.URL{Path: strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "./")}).String()
}

// printGitHub prints the findings as commands of a workflow, one on each line.
func (l *linter) printGitHub(r *lintReport) {
	tell := func(level, code, message string, line, column int) {
		properties := "file=" + githubProperty(r.Name)
		if line > 0 {
			properties += fmt.Sprintf(",line=%d", line)
		}
		if column > 0 {
			properties += fmt.Sprintf(",col=%d", column)
		}
		l.Line("::%s %s,title=%s::%s", level, properties, githubProperty(code), githubText(message))
	}
	if r.Format == "" && len(r.Diagnostics) == 0 {
		tell("error", codeUnread, readAs(r), 0, 0)
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
}

// githubText is the message of a command: a line break and a per cent sign are
// written as those commands want it, the rest as a terminal may see it.
func githubText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "%", "%25"), "\n")
	for i := range lines {
		lines[i] = ui.Show(lines[i])
	}
	return strings.Join(lines, "%0A")
}

var propertyEscapes = strings.NewReplacer(":", "%3A", ",", "%2C")

func githubProperty(s string) string {
	return propertyEscapes.Replace(githubText(s))
}
