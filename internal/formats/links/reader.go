package links

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/internal/syntax/weblink"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one answer.
type reader struct {
	*parse.Reader
	in       *parse.Input
	reading  parse.Reading
	followed int
	listed   map[[2]string]bool // relations with their URLs
	gone     map[string]bool    // the URLs that are followed
}

// link is one link, of either notation.
type link struct {
	target, rel, mediaType, title string
	line                          int
}

// header adds a link of the Link field.
func (r *reader) header(v weblink.Link) {
	rel, ok := v.Params["rel"]
	if !ok || strings.TrimSpace(rel) == "" {
		r.ReportLine(ruleRel, 0, "the link to %q has no relation; it is ignored", v.Target)
		return
	}
	if anchor, ok := v.Params["anchor"]; ok && !r.own(anchor) {
		r.ReportLine(ruleAnchor, 0, "the link to %q is about %q; it is ignored", v.Target, anchor)
		return
	}
	title := v.Params["title"]
	if extended, ok := decode(v.Params["title*"]); ok {
		title = extended // RFC 8288 §3.4.1
	}
	r.add(link{target: v.Target, rel: rel, mediaType: v.Params["type"], title: title}, r.in.FinalURL)
}

// own reports whether the anchor of a link is of the host that answered. Only a host itself
// can declare links about it (§3.2).
func (r *reader) own(anchor string) bool {
	if strings.HasPrefix(anchor, "#") || anchor == "" {
		return true
	}
	u, err := resolve(anchor, r.in.FinalURL)
	return err == nil && r.in.FinalURL != nil && strings.EqualFold(u.Host, r.in.FinalURL.Host) && u.Scheme == r.in.FinalURL.Scheme
}

// decode reads a value of RFC 8187 in UTF-8.
func decode(text string) (string, bool) {
	charset, rest, _ := strings.Cut(text, "'")
	_, encoded, ok := strings.Cut(rest, "'")
	decoded, err := url.PathUnescape(encoded)
	return strings.ToValidUTF8(decoded, ""), ok && err == nil && strings.EqualFold(charset, "utf-8")
}

// add adds a link. The relation is a list, without regard to case (§2.1, §3.3).
func (r *reader) add(l link, base *url.URL) {
	rels := slices.DeleteFunc(strings.Fields(strings.ToLower(l.rel)), func(rel string) bool { return leftOut(rel, l.mediaType) })
	if len(rels) == 0 || l.target == "" || strings.HasPrefix(l.target, "#") {
		return
	}
	u, err := resolve(l.target, base)
	if err != nil {
		r.ReportLine(ruleBadURL.At("§3.1").AsWarning(), l.line, "the URL %q cannot be used: %s", l.target, err)
		return
	}
	to := u.String()
	for _, rel := range rels {
		r.list(l, strings.ToValidUTF8(rel, "\uFFFD"), to)
	}
}

// list makes a link under one relation a document, and follows it if its relation leads to
// descriptions.
func (r *reader) list(l link, rel, to string) {
	r.link(wayfind.Document{
		Rel: rel, URL: to, Title: strings.ToValidUTF8(l.title, "\uFFFD"), MediaType: mediaType(l.mediaType), Sources: []wayfind.Ref{{Line: l.line}},
	}, "", leadsOn(rel))
}

// link lists a document once, and follows it. format is the format that should read the
// document, or "" if any may read it.
func (r *reader) link(d wayfind.Document, format string, follow bool) {
	if r.listed[[2]string{d.Rel, d.URL}] {
		return
	}
	if len(r.reading.Documents) == maxListed {
		r.ReportLine(ruleTruncated, 0, "the first %d links are listed", maxListed)
		return
	}
	if r.listed == nil {
		r.listed, r.gone = map[[2]string]bool{}, map[string]bool{}
	}
	r.listed[[2]string{d.Rel, d.URL}] = true
	r.reading.Documents = append(r.reading.Documents, d)
	if !follow || r.gone[d.URL] {
		return
	}
	if r.followed == MaxFollowed {
		r.ReportLine(ruleTruncated, 0, "the first %d links are followed", MaxFollowed)
		return
	}
	r.followed++
	r.gone[d.URL] = true
	r.reading.Links = append(r.reading.Links, parse.Link{URLs: []string{d.URL}, Role: d.Rel, Format: format})
}

// mediaType returns the media type of a type parameter or attribute, without its parameters.
func mediaType(text string) string {
	text, _, _ = strings.Cut(strings.ToValidUTF8(text, "\uFFFD"), ";")
	return strings.ToLower(strings.TrimSpace(text))
}

// resolve returns the target of a reference. base is nil if it is unknown.
func resolve(text string, base *url.URL) (*url.URL, error) {
	if err := urlref.CheckLink(text); err != nil {
		return nil, err
	}
	ref, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case ref.Scheme != "":
		return urlref.AbsoluteURL(text)
	case base == nil:
		return nil, errors.New("it is relative to a place that is not known")
	}
	return base.ResolveReference(ref), nil
}
