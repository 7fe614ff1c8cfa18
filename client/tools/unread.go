package tools

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/schema"
)

// unread reports the documents that cannot be read, and those that the documents of a
// site lead to and that gave no reading.
func (l *loader) unread(site *wayfind.Site) {
	domain := hostOf(site.Origin)
	for i := range site.Probes {
		p := &site.Probes[i]
		if p.Verdict == wayfind.VerdictMalformed || p.From != "" && p.Verdict != wayfind.VerdictFound {
			l.skip(unreadProbe(domain, p))
		}
	}
	for i := range site.Documents {
		d := &site.Documents[i]
		if d.Verdict != "" || !slices.Contains([]string{"catalog-entry", "service-desc"}, d.Rel) || leads(site, d.URL) || inside(d) {
			continue
		}
		s := problem(domain, string(wayfind.CodeCrossSite), errors.New("a catalogue names it on another site, which is not asked"))
		if d.Trust == wayfind.TrustSameOrigin || d.Trust == wayfind.TrustSameSite {
			s = problem(domain, string(wayfind.VerdictSkipped), errors.New("a catalogue names it, and it is not asked for"))
		}
		s.URL = d.URL
		l.skip(s)
	}
}

// leads reports whether a document belongs to a service that Describe completes.
func leads(site *wayfind.Site, url string) bool {
	return slices.ContainsFunc(site.Services, func(s wayfind.Service) bool { return slices.Contains(s.DetailURLs, url) })
}

// inside reports whether an entry of a catalogue has its document within it.
func inside(d *wayfind.Document) bool {
	return slices.ContainsFunc(d.Sources, func(r wayfind.Ref) bool { return strings.HasPrefix(d.URL, r.Source+"#") })
}

// unreadProbe is the entry for a document that gave no reading.
func unreadProbe(domain string, p *wayfind.Probe) Skipped {
	code, text := cmp.Or(p.Reason, string(p.Verdict)), p.Error
	if text == "" {
		text = fmt.Sprintf("the document that %s names was not read: %s", cmp.Or(p.From, "the site"), p.Verdict)
	}
	size, limit := sizes(code, p.Error)
	return Skipped{Domain: domain, URL: p.URL, Code: code, Reason: clip(text, 300), Size: size, Limit: limit, Asked: p.Verdict.Answered(),
		Err: wayfind.NewError("load", p.URL, wayfind.Code(code), errors.New(text)).WithKind(p.Verdict.Kind())}
}

// tooLarge is the part of an error that names a size and a limit, of which a Probe and a
// refusal of a schema have no more than the text.
var tooLarge = regexp.MustCompile(`(?:(\d+) bytes[\w ,-]* at most|more than) (\d+)`)

// sizes are the size of a document and the limit that it passed, zero if they are not
// known.
func sizes(code, text string) (size, limit int64) {
	if code != string(wayfind.CodeTooLarge) && code != string(wayfind.CodeLimit) && code != string(schema.CodeSize) {
		return 0, 0
	}
	if m := tooLarge.FindStringSubmatch(text); m != nil {
		size, _ = strconv.ParseInt(m[1], 10, 64) // empty where it is not known
		limit, _ = strconv.ParseInt(m[2], 10, 64)
	}
	return size, limit
}
