package sitecheck

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Input is all that the rules look at.
type Input struct {
	// Site as Resolve returned it.
	Site *wayfind.Site
	// Elsewhere is the host to which all places redirect, and which was not asked; "" if there is none.
	Elsewhere string
	// Answers by the URL that was requested, each hop of a redirect on its own. A rule
	// about headers judges only answers that are here.
	Answers map[string]Answer
	// Full: the caller has sent [Requests]. Extra has the results by their paths.
	Full  bool
	Extra map[string]Extra
	// Heads are the URLs of the documents that were asked for with HEAD, with the reason why an
	// answer was not judged, "" if it was. The rules that it breaks are in Site.Diagnostics.
	Heads map[string]string
	// Files: the site is a directory that no server has yet. Rules about the server are
	// not asked then, and no level needs them.
	Files bool
	// Formats that were looked for.
	Formats []string
	// Offer is the result for an agent.
	Offer Offer
	// Explain gives the mend of a diagnostic, "" if there is none.
	Explain func(wayfind.Diagnostic) string
}

// Answer is the header of an answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// facts are an Input with the findings so far.
type facts struct {
	*Input
	found map[string]finding
	known []*parse.Format // all formats, once they were asked for
}

// status is the status of a rule that was judged before.
func (f *facts) status(id string) Status { return f.found[id].status }

// host is the host that was asked, with its port if there is one.
func (f *facts) host() string {
	_, host, _ := strings.Cut(f.Site.Asked(), "://")
	return host
}

// at is a URL of the origin that was asked.
func (f *facts) at(path string) string { return f.Site.Asked() + path }

// short is a URL without the origin that was asked.
func (f *facts) short(u string) string {
	if rest, ok := strings.CutPrefix(u, f.Site.Asked()+"/"); ok {
		return "/" + rest
	}
	return u
}

// sources are the documents that a format read.
func (f *facts) sources(format string) (list []*wayfind.Source) {
	for i := range f.Site.Sources {
		if s := &f.Site.Sources[i]; s.Format == format {
			list = append(list, s)
		}
	}
	return list
}

// places are the URLs of some sources.
func places(list []*wayfind.Source) (urls []string) {
	for _, s := range list {
		urls = append(urls, s.URL)
	}
	return urls
}

// isOf reports whether a diagnostic is about the document of a source.
func isOf(s *wayfind.Source, d *wayfind.Diagnostic) bool {
	return d.Source != "" && (d.Source == s.URL || d.Source == s.FinalURL || slices.Contains(s.AlsoAt, d.Source))
}

// faults are the MUSTs that the documents of a format break. One document can be read
// by two formats, and a code of another format is no fault here. The header of the answer has
// rules of its own, which are judged without --full too.
func (f *facts) faults(format string) (list []Fault) {
	for _, s := range f.sources(format) {
		for i := range f.Site.Diagnostics {
			d := &f.Site.Diagnostics[i]
			owner, _, _ := strings.Cut(d.Code, ".")
			if d.Severity == wayfind.SeverityError && owner != "served" && isOf(s, d) && (owner == format || !slices.Contains(f.Formats, owner)) {
				list = append(list, f.fault(d))
			}
		}
	}
	return list
}

func (f *facts) fault(d *wayfind.Diagnostic) Fault {
	out := Fault{Code: d.Code, Message: d.Message, Source: d.Source, Pointer: d.Pointer, Line: d.Line, Spec: d.Spec}
	if f.Explain != nil {
		out.Mend = f.Explain(*d)
	}
	return out
}

// reads judges a standard by the documents that its format read.
func reads(format string) func(*facts) finding {
	return func(f *facts) finding { return f.reading(format, isStranger) }
}

// readsIfThere is reads for a format that is not missed where it is absent, with the reason.
func readsIfThere(format, why string, wrong func(*wayfind.Probe) bool) func(*facts) finding {
	return func(f *facts) finding {
		found := f.reading(format, wrong)
		if found.status == Absent {
			return inapplicable(why)
		}
		return found
	}
}

// readsAtSharedPlace is reads for a format whose places other documents stand at too: one
// that it does not read is no fault.
func readsAtSharedPlace(format string) func(*facts) finding {
	return func(f *facts) finding {
		return f.reading(format, none)
	}
}

// none says of no answer that it is a fault.
func none(*wayfind.Probe) bool { return false }

// reading judges a standard. wrong reports an answer that is a fault although it was not
// read as a document of the format.
func (f *facts) reading(format string, wrong func(*wayfind.Probe) bool) finding {
	if !slices.Contains(f.Formats, format) {
		return unasked("--formats leaves it out")
	}
	list, faults := f.sources(format), f.faults(format)
	switch {
	case len(faults) > 0:
		return f.broken(list, faults)
	case len(list) > 0:
		s := list[0]
		return passes(fmt.Sprintf("%s is read as %s", f.short(s.URL), humanize.Format(s.Format, s.Version, s.Dialect)), places(list)...)
	}
	return f.unread(wrong, func(p *wayfind.Probe) bool { return slices.Contains(p.Formats, format) })
}

// lintOf returns the command that lists the faults of a document.
func lintOf(u string) string {
	if strings.HasPrefix(u, "http:") {
		u = "--dev " + u
	}
	return "wayfind lint " + u
}

// broken is the finding of documents that break a MUST.
func (f *facts) broken(list []*wayfind.Source, faults []Fault) finding {
	first := faults[0]
	why := fmt.Sprintf("%s: %s (%s)", f.short(first.Source)+first.at(), first.Message, first.Code)
	if n := len(faults) - 1; n > 0 {
		why += fmt.Sprintf(", and %d more", n)
	}
	return finding{status: Fail, why: why, places: places(list), faults: faults, document: true}
}

// unread judges a standard of which no document was read, by the answers at its places.
func (f *facts) unread(wrong, ours func(*wayfind.Probe) bool) finding {
	var silent, skipped, other *wayfind.Probe
	asked, gone := false, absent("")
	for i := range f.Site.Probes {
		p := &f.Site.Probes[i]
		if !ours(p) || p.Reason == resolve.ReasonHost {
			continue
		}
		switch {
		case f.isMistyped(p):
			return finding{status: Fail, why: f.short(p.URL) + " is Markdown that is served as text/html, as which clients do not read it", places: []string{p.URL}, mend: f.setting(setupType, p), document: true}
		case p.Verdict.Unreadable(), wrong(p):
			return finding{status: Fail, why: fmt.Sprintf("%s is no such document: %s%s; %q says why", f.short(p.URL), words(string(p.Verdict)), reason(p), lintOf(p.URL)), places: []string{p.URL}, document: true}
		case p.Verdict == wayfind.VerdictSkipped:
			skipped = cmp.Or(skipped, p)
		case !p.Verdict.Answered():
			silent = cmp.Or(silent, p)
		default:
			asked = true
			if isUnfollowed(p) && p.Verdict == wayfind.VerdictAbsent {
				gone = f.moved(p)
			}
			if !isVoid(p) {
				other = cmp.Or(other, p)
			}
		}
	}
	switch {
	case silent != nil:
		return finding{status: Unanswered, why: fmt.Sprintf("%s: %s%s", f.short(silent.URL), words(string(silent.Verdict)), reason(silent))}
	case skipped != nil && !asked:
		return unasked(fmt.Sprintf("%s was not asked%s", f.short(skipped.URL), reason(skipped)))
	case other != nil:
		return absent(fmt.Sprintf("%s is another document: %s%s", f.short(other.URL), words(string(other.Verdict)), reason(other)))
	}
	return gone
}

// isStranger reports an answer with a document that belongs to another format, or to none,
// at a place of one format alone.
func isStranger(p *wayfind.Probe) bool {
	return len(p.Formats) == 1 && !isVoid(p) && p.Verdict.Answered()
}

// isVoid reports an answer without a document: a page, a no, or no success. A document that
// was found has a source.
func isVoid(p *wayfind.Probe) bool {
	return p.Status < 200 || p.Status > 299 || slices.Contains([]wayfind.Verdict{wayfind.VerdictSoft404, wayfind.VerdictAbsent, wayfind.VerdictFound}, p.Verdict)
}

func reason(p *wayfind.Probe) string {
	switch {
	case p.Reason == "" && p.Status == 0:
		return ""
	case p.Reason == "":
		return fmt.Sprintf(" (status %d)", p.Status)
	}
	return " (" + words(p.Reason) + ")"
}

// words is a code in words.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

// pathOf is the path of a URL.
func pathOf(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return parsed.Path
}

// policies are the wishes of a kind.
func (f *facts) policies(kind string) (list []*wayfind.Policy) {
	for i := range f.Site.Policies {
		if p := &f.Site.Policies[i]; p.Kind == kind {
			list = append(list, p)
		}
	}
	return list
}
