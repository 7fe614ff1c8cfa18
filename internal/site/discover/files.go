package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
)

// maxFiles bounds the documents that one call requests because references of other documents lead
// there, and maxFilesNamed the documents that are reported one by one.
const (
	maxFiles      = 100
	maxFilesNamed = 20
)

// collection contains the documents to which references lead.
type collection struct {
	*candidateFetch
	refresh bool
	at      reading.At
	format  *parse.Format
	left    int64 // bytes that may still be read
	files   []reading.File
	seen    map[string]bool
	large   []wayfind.Diagnostic
}

// wave requests documents at once, and returns the URLs to which their references lead.
func (c *collection) wave(ctx context.Context, urls []string) (next []string) {
	asked := make([]*Outcome, len(urls))
	whys := make([]string, len(urls))
	var group sync.WaitGroup
	for i, u := range urls {
		c.seen[u] = true
		candidate, why := c.candidate(u)
		if whys[i] = why; why == "" {
			group.Go(func() {
				asked[i] = c.Engine.outcomeOf(candidate, func() *Outcome { return c.ask(ctx, candidate) })
			})
		}
	}
	group.Wait()
	for i, u := range urls {
		file := reading.File{URL: u, Why: whys[i]}
		if o := asked[i]; o != nil {
			c.take(&file, o)
		}
		c.files = append(c.files, file)
		if file.Root.Exists() {
			for _, ref := range reading.Outside(file.Root, file.Final) {
				if !c.seen[ref] {
					c.seen[ref], next = true, append(next, ref)
				}
			}
		}
	}
	return next
}

// candidate returns the request for a document, or the reason why there is no request.
func (c *collection) candidate(ref string) (candidate *places.Candidate, why string) {
	u, err := c.Engine.Opts.Policy.ParseURL(ref, nil)
	switch {
	case err != nil:
		_, reason := verdict.OfError(err)
		return candidate, fmt.Sprintf("its URL is refused (%s)", reason)
	case !c.at.Near(u):
		return candidate, "it is on another site"
	case c.Files.Add(-1) < 0:
		return candidate, fmt.Sprintf("one call asks for at most %d such documents", maxFiles)
	}
	limits := c.format.Limits.WithDefaults()
	limits.SameSiteOnly = true
	return &places.Candidate{
		URL: u.String(), Formats: []*parse.Format{c.format}, Accept: places.AcceptOf(c.format), Limits: limits,
		Depth: c.candidateFetch.candidate.Depth + 1, From: c.candidateFetch.candidate.URL, Led: c.candidateFetch.candidate.Led || c.walk.CrossSite, Detail: true, File: true,
	}, ""
}

// ask requests a document, and again if only its verdict was kept.
func (c *collection) ask(ctx context.Context, candidate *places.Candidate) *Outcome {
	o := c.Ask(ctx, candidate, c.refresh)
	if o.Doc != nil && o.Doc.Input() == nil && verdict.Readable(o.Probe.Verdict) {
		return c.Ask(ctx, candidate, true)
	}
	return o
}

// take stores the answer for a document.
func (c *collection) take(file *reading.File, o *Outcome) {
	c.entries = slices.Concat(o.Entries, c.entries)
	if o.FreshUntil.After(c.Engine.Opts.Clock.Now()) && (c.until.IsZero() || o.FreshUntil.Before(c.until)) {
		c.until = o.FreshUntil
	}
	if o.Probe.TooLarge != nil {
		c.tooLarge(file, *o.Probe.TooLarge)
		return
	}
	if o.Doc == nil || o.Doc.Input() == nil || !verdict.Readable(o.Probe.Verdict) {
		file.Why = strings.TrimSpace(fmt.Sprintf("%s %s", o.Probe.Verdict, o.Probe.Reason))
		return
	}
	root, err := o.Doc.Input().Tree()
	if large, ok := errors.AsType[*wayfind.TooLarge](err); ok {
		c.tooLarge(file, *large)
		return
	}
	size := int64(len(root.Raw()))
	switch {
	case err != nil:
		file.Why = "it is neither JSON nor YAML"
	case root.Kind() != parse.Object:
		file.Why = "it is no object"
	case size > c.left:
		c.tooLarge(file, wayfind.TooLarge{Of: "bytes together with the documents before it", Size: size, Limit: max(c.left, 0)})
	default:
		c.left -= size
		file.Root, file.Final = root, o.Doc.Input().FinalURL
	}
}

func (c *collection) tooLarge(file *reading.File, limit wayfind.TooLarge) {
	file.Why = "it is too large: " + limit.Error()
	c.large = append(c.large, ruleFiles.Beyond(limit.Of, int(limit.Size), int(limit.Limit)).Diagnostic(file.URL, "a reference in %s leads to it, and it is not read: %s", c.candidateFetch.candidate.URL, file.Why))
}

// report adds notes about the documents that were read, and about those that were not.
func (c *collection) report() {
	var read []string
	unread := 0
	for _, file := range c.files {
		switch {
		case file.Root.Exists():
			read = append(read, file.URL)
		case strings.HasPrefix(file.Why, "it is too large"):
		default:
			if unread++; unread <= maxFilesNamed {
				c.notes = append(c.notes, ruleFiles.Diagnostic(c.candidateFetch.candidate.URL, "references lead to %s, which is not read: %s", file.URL, file.Why))
			}
		}
	}
	c.notes = append(c.notes, c.large...)
	if unread > maxFilesNamed {
		c.notes = append(c.notes, ruleFiles.Diagnostic(c.candidateFetch.candidate.URL, "references lead to %d more documents that are not read", unread-maxFilesNamed))
	}
	if read != nil {
		c.notes = append(c.notes, ruleFiles.AsInfo().Diagnostic(c.candidateFetch.candidate.URL, "%d documents that references lead to are read with it: %s",
			len(read), strings.Join(read[:min(len(read), maxFilesNamed)], ", ")))
	}
}

var ruleFiles = parse.Rule{Code: "document.files", Severity: wayfind.SeverityWarning,
	Means: "References in the document lead to other documents. Those of the same site are read with it, at most 100 in one call. The message names those that are not, with the reason.",
	Mend:  "Serve the documents on the same site over https, or publish one document that has all definitions."}
