package sitecheck

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Report is the judgement of a site.
type Report struct {
	// Origin that was asked.
	Origin string `json:"origin"`
	// Host is the site's own host, if Origin leads there and the places were asked there.
	Host string `json:"host,omitempty"`
	// Elsewhere is the host to which all places redirect, and which was not asked.
	Elsewhere string `json:"elsewhere,omitempty"`
	// Base is the path that the caller named, if any.
	Base string `json:"base,omitempty"`
	// Level is the highest level whose rules pass, and those of all levels below it: 0 to 5.
	Level int `json:"level"`
	// LevelName is the name of the level.
	LevelName string `json:"levelName"`
	// Levels with their rules, from 1 on.
	Levels []Level `json:"levels"`
	// Checks are the results of all rules, in the order of the table.
	Checks []Result `json:"checks"`
	// Answers are those of all places that were asked, the most frequent first.
	Answers []Said `json:"answers,omitempty"`
	// Offer is the result for an agent.
	Offer Offer `json:"offer"`
	// Next are the steps to the next level, most useful first. Empty at the highest.
	Next []Step `json:"next,omitempty"`
	// Full: requests were sent that discovery does not make.
	Full bool `json:"full,omitempty"`
	// Baseline compares with an earlier report, if one was given.
	Baseline *Comparison `json:"baseline,omitempty"`
}

// Result is the result of a rule, with the rule.
type Result struct {
	// ID of the rule. It is stable.
	ID string `json:"id"`
	// Group that the rule is listed with.
	Group string `json:"group"`
	// Title names the standard or the behaviour.
	Title string `json:"title"`
	// Status is the result.
	Status Status `json:"status"`
	// Why says the reason in a sentence.
	Why string `json:"why,omitempty"`
	// Places are the URLs that decided.
	Places []string `json:"places,omitempty"`
	// Asks are the places that the rule looks at.
	Asks string `json:"asks"`
	// Passes is the condition.
	Passes string `json:"passes"`
	// Gain of an agent if the rule passes.
	Gain string `json:"gain"`
	// Mend tells the publisher how to pass.
	Mend string `json:"mend,omitempty"`
	// Spec is the specification.
	Spec *wayfind.SpecRef `json:"spec,omitempty"`
	// Scanners says how public scanners judge, and why this rule judges otherwise.
	Scanners string `json:"scanners,omitempty"`
	// Faults are the rules of the specification that are broken.
	Faults []Fault `json:"faults,omitempty"`
	// Document can be copied, if the rule does not pass and there is one.
	Document *Document `json:"document,omitempty"`
}

// Fault is a diagnostic of a document, with its mend.
type Fault struct {
	// Code of the diagnostic.
	Code string `json:"code"`
	// Message is one sentence in lower case.
	Message string `json:"message"`
	// Source is the URL of the document.
	Source string `json:"source,omitempty"`
	// Pointer is an RFC 6901 JSON pointer into the document.
	Pointer string `json:"pointer,omitempty"`
	// Line counts from 1; 0 is unknown.
	Line int `json:"line,omitempty"`
	// Mend tells the publisher how to correct it.
	Mend string `json:"mend,omitempty"`
	// Spec is the rule of the specification.
	Spec *wayfind.SpecRef `json:"spec,omitempty"`
}

// at names the place in the document.
func (f *Fault) at() string {
	switch {
	case f.Pointer != "":
		return " at " + f.Pointer
	case f.Line > 0:
		return fmt.Sprintf(" in line %d", f.Line)
	}
	return ""
}

// Step is a step to the next level.
type Step struct {
	// Level that it leads to.
	Level int `json:"level"`
	// Check is the ID of the rule that does not pass.
	Check string `json:"check"`
	// Text says the step in words.
	Text string `json:"text"`
	// Document to copy, if there is one.
	Document *Document `json:"document,omitempty"`
}

// Document is a file for the site, with the facts of the site where they are known.
type Document struct {
	// Place is its path on the site.
	Place string `json:"place"`
	// MediaType to serve it with.
	MediaType string `json:"mediaType"`
	// Content of the file.
	Content string `json:"content"`
	// Decide lists the parts that the publisher has to fill in.
	Decide string `json:"decide,omitempty"`
}

// Check judges a site.
func Check(in *Input) *Report {
	f := &facts{Input: in, found: map[string]finding{}}
	r := &Report{Origin: in.Site.Origin, Host: in.Site.Host, Elsewhere: in.Elsewhere, Base: in.Site.Base, Offer: in.Offer, Full: in.Full, Answers: f.said()}
	var unserved []string // rules that no level needs of files
	for _, rule := range Rules() {
		found := f.judged(&rule)
		f.found[rule.ID] = found
		r.Checks = append(r.Checks, result(f, &rule, found))
		if found.unserved {
			unserved = append(unserved, rule.ID)
		}
	}
	r.climb(unserved, f.isBlocked())
	return r
}

// judged is the finding of a rule, unless this run cannot ask.
func (f *facts) judged(rule *Rule) finding {
	switch {
	case rule.server && f.Files:
		return finding{status: Unasked, why: "files have no server yet", unserved: true}
	case f.isOneDocument() && f.isBeyond(rule):
		return finding{status: Unasked, why: "only the URL that you named was asked", unserved: true}
	case !rule.full || f.Full:
		return f.unhurried(rule, rule.judge(f))
	}
	return unasked("--full asks")
}

// unhurried returns a finding, unless a rule of a level passes because the time was over before all places
// were asked: a place that was not asked could break it.
func (f *facts) unhurried(rule *Rule, found finding) finding {
	n := 0
	for i := range f.Site.Probes {
		if p := &f.Site.Probes[i]; p.Verdict == wayfind.VerdictSkipped && p.Reason == string(wayfind.CodeDeadline) {
			n++
		}
	}
	if n == 0 || found.status != Pass || !slices.ContainsFunc(levels[:], func(l level) bool { return slices.Contains(l.checks, rule.ID) }) {
		return found
	}
	found.status, found.why = Unanswered, fmt.Sprintf("%s not asked, because the time was over", humanize.Count(n, "place"))
	return found
}

// isOneDocument reports whether the site is one document that the caller named by its URL, so that no
// place of the domain was asked.
func (f *facts) isOneDocument() bool {
	p := f.Site.Probes
	return f.Site.Base != "" && len(p) > 0 && p[0].URL == f.Site.Origin+f.Site.Base && p[0].Verdict == wayfind.VerdictFound &&
		!slices.ContainsFunc(p[1:], func(p wayfind.Probe) bool { return p.From == "" && p.Verdict != wayfind.VerdictSkipped })
}

// isBeyond reports whether a rule is about the domain, and not about the documents that were read.
func (f *facts) isBeyond(rule *Rule) bool {
	ofAnswers := slices.ContainsFunc(headerRules(), func(r Rule) bool { return r.ID == rule.ID })
	return (rule.Group != groupResult || rule.ID == "index") && !ofAnswers && len(f.sources(rule.ID)) == 0
}

func result(f *facts, rule *Rule, found finding) Result {
	out := Result{ID: rule.ID, Group: rule.Group, Title: rule.Title, Status: found.status, Why: found.why, Places: found.places,
		Asks: rule.Asks, Passes: rule.Passes, Gain: rule.Gain, Scanners: rule.Scanners, Faults: found.faults}
	if rule.Spec.Title != "" {
		spec := rule.Spec
		out.Spec = &spec
	}
	if found.status == Pass {
		return out
	}
	out.Mend = cmp.Or(found.mend, rule.Mend)
	if rule.copy != nil && found.status.Known() {
		out.Document = rule.copy(f)
	}
	return out
}

// Asked returns the origin whose places were asked: see wayfind.Site.Asked.
func (r *Report) Asked() string {
	return (&wayfind.Site{Origin: r.Origin, Host: r.Host}).Asked()
}

// Result finds the result of a rule by its ID, nil if there is none.
func (r *Report) Result(id string) *Result {
	i := slices.IndexFunc(r.Checks, func(c Result) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Checks[i]
}

// Barriers are the results that keep agents out: those of a rule against /.well-known/ and of a site that
// lets no client in.
func (r *Report) Barriers() (list []*Result) {
	for _, id := range [...]string{"well_known", "open"} {
		if c := r.Result(id); c.Status != Pass && (id == "open" || c.Status.Judged()) {
			list = append(list, c)
		}
	}
	return list
}

// With lists the results with a status, in the order of the table.
func (r *Report) With(s Status) (list []*Result) {
	for i := range r.Checks {
		if r.Checks[i].Status == s {
			list = append(list, &r.Checks[i])
		}
	}
	return list
}
