package robots

import (
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// other reads the records that §2.2.4 leaves to other specifications. They do not end a group.
func (r *reader) other(l line) {
	switch strings.ToLower(l.field) {
	case "content-signal":
		r.signal(l)
	case "content-usage":
		r.usage(l)
	case "crawl-delay":
		r.delay(l)
	case "agentmap":
		r.document("agentmap", l)
	default:
		r.ReportLine(ruleUnknownField, l.number, "the field %q is not read: %q", l.field, l.value)
	}
}

// maxDelay is the longest pause that is a rate. A pause of more than a day means that the
// agent is not welcome, and is kept as text.
const maxDelay = 24 * time.Hour

// delay reads a pause between two requests, in seconds.
func (r *reader) delay(l line) {
	p := wayfind.Policy{Kind: kindDelay, Text: l.text, Sources: at(l.number)}
	seconds, err := strconv.ParseFloat(l.value, 64)
	switch {
	case err != nil || !(seconds >= 0) || strings.Trim(l.value, "0123456789.") != "":
		r.ReportLine(ruleCrawlDelay, l.number, "the delay %q is no number of seconds", l.value)
	case seconds > maxDelay.Seconds():
		r.ReportLine(ruleCrawlDelay, l.number, "the delay of %q seconds is longer than a day", l.value)
	case seconds > 0:
		p.Limit = &wayfind.Limit{N: 1, Per: time.Duration(math.Round(seconds * float64(time.Second)))}
	}
	r.policy(p)
}

// document reads the URL of another document. A sitemap is for crawlers and is only listed; an
// Agentmap is followed.
func (r *reader) document(rel string, l line) {
	u, ok := r.resolve(l)
	if !ok {
		return
	}
	if len(r.reading.Documents) >= parse.DefaultItems {
		r.ReportLine(ruleTruncated, l.number, "the first %d documents are listed", parse.DefaultItems)
		return
	}
	r.reading.Documents = append(r.reading.Documents, wayfind.Document{Rel: rel, URL: u, Sources: at(l.number)})
	if rel != "agentmap" {
		return
	}
	if r.agentmap++; r.agentmap > maxAgentmaps {
		r.ReportLine(ruleTruncated, l.number, "the first %d agentmaps are gone to", maxAgentmaps)
		return
	}
	r.reading.Links = append(r.reading.Links, parse.Link{URLs: []string{u}, Role: rel})
}

// resolve returns the URL of a record, which should be absolute.
func (r *reader) resolve(l line) (text string, ok bool) {
	err := urlref.CheckLink(l.value)
	ref, malformed := url.Parse(l.value)
	switch {
	case err != nil:
	case malformed != nil:
		err = errors.New("it is not a URL")
	case ref.Scheme != "":
		_, err = urlref.AbsoluteURL(l.value)
	case r.base == nil:
		err = errors.New("it is relative to a site that is not known")
	default:
		r.ReportLine(ruleRelativeURL, l.number, "the URL %q is not absolute; it was read as one of this site", l.value)
		return r.base.ResolveReference(ref).String(), true
	}
	if err != nil {
		r.ReportLine(ruleBadURL.At("§2.2.4").AsWarning(), l.number, "the URL %q cannot be used: %s", l.value, err)
		return "", false
	}
	return l.value, true
}
