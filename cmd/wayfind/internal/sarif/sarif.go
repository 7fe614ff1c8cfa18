// Package sarif writes results in the Static Analysis Results Interchange Format.
package sarif

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Run is the one run of a report in the Static Analysis Results Interchange
// Format 2.1.0.
type Run struct {
	Tool        tool         `json:"tool"`
	Invocations []invocation `json:"invocations"`
	Results     []Result     `json:"results"`
	ColumnKind  string       `json:"columnKind"`

	rules map[string]int // places of the rules, by code
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	InformationURI string `json:"informationUri"`
	Rules          []Rule `json:"rules"`
}

// Rule is a rule that results name.
type Rule struct {
	ID               string `json:"id"`
	ShortDescription Text   `json:"shortDescription"`
	Help             Text   `json:"help"`
	HelpURI          string `json:"helpUri,omitempty"`
}

// Text is a text for a person.
type Text struct {
	Text string `json:"text"`
}

type invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string `json:"level"`
	Message Text   `json:"message"`
}

// Result is one fault.
type Result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"`
	Level     string     `json:"level"`
	Message   Text       `json:"message"`
	Locations []Location `json:"locations"`
	// Suppressions say who has switched the finding off, and why.
	Suppressions []Suppression `json:"suppressions,omitempty"`
}

// Suppression is a reason why a finding is switched off.
type Suppression struct {
	Kind          string `json:"kind"` // "external": outside the document
	Justification string `json:"justification"`
}

// Location is the place of a fault.
type Location struct {
	Physical Physical  `json:"physicalLocation"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
}

// Physical is the file of a place, and the part of it.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// Artifact is a file.
type Artifact struct {
	URI string `json:"uri"`
}

// Region is a part of a file, from 1.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

// Logical is the place in the structure of a document.
type Logical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// New returns a run without results.
func New() *Run {
	return &Run{
		Tool:        tool{driver{Name: "wayfind", Version: ui.Version(), InformationURI: "https://github.com/wayfindhq/wayfind", Rules: []Rule{}}},
		Invocations: []invocation{{ExecutionSuccessful: true}}, Results: []Result{}, ColumnKind: "unicodeCodePoints",
		rules: map[string]int{},
	}
}

// CodeUnread is the rule that a document of no format breaks.
const CodeUnread = "document.unread"

// Rule is the place of a rule in the list.
func (s *Run) Rule(r Rule) int {
	if i, known := s.rules[r.ID]; known {
		return i
	}
	s.rules[r.ID] = len(s.Tool.Driver.Rules)
	s.Tool.Driver.Rules = append(s.Tool.Driver.Rules, r)
	return s.rules[r.ID]
}

// Failed tells of a document that could not be read.
func (s *Run) Failed(name string, err error) {
	in := &s.Invocations[0]
	in.ExecutionSuccessful = false
	in.Notifications = append(in.Notifications, notification{"error", Text{name + ": " + text.Printable(ui.Sentence(err))}})
}

// Print writes the report.
func (s *Run) Print(w io.Writer) error {
	b, err := json.MarshalIndent(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []*Run `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []*Run{s}}, "", "  ")
	if err == nil {
		_, err = w.Write(text.EscapeJSON(append(b, '\n')))
	}
	return err
}

// ArtifactURI is the name of a file or a URL as a URI reference.
func ArtifactURI(name string) string {
	if document.HasScheme(name, "https") || document.HasScheme(name, "http") {
		return name
	}
	return (&url.URL{Path: strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "./")}).String()
}
