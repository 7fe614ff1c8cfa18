package provenance

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// maxPublishers is the maximum number of other publishers that are named for one catalogue.
const maxPublishers = 20

// foreignPublishers reports entries whose publisher is on another site than the list. Anyone
// can write the name of a bank into a list. The report has no effect, because the URL of the
// entry decides.
func foreignPublishers(sites *security.SuffixList, readings []reading.Located) []wayfind.Diagnostic {
	var list, away []wayfind.Diagnostic
	for i := range readings {
		l := &readings[i]
		if !l.Format.Index || IsUnknown(l.Source.URL) {
			continue
		}
		home := ""
		if u, err := url.Parse(l.Source.URL); err == nil {
			home = u.Hostname()
		}
		entries, first, order := map[string]int{}, map[string]*wayfind.Document{}, []string{}
		for j := range l.Documents {
			d := &l.Documents[j]
			if d.Publisher == nil {
				continue
			}
			host := publisherHost(d.Publisher.Identifier)
			if host == "" || sites.SameSite(home, host) {
				if len(away) < maxPublishers {
					away = append(away, elsewhere(sites, l.Source.URL, host, d)...)
				}
				continue
			}
			if entries[host]++; entries[host] == 1 {
				first[host], order = d, append(order, host)
			}
		}
		for _, host := range order[:min(len(order), maxPublishers)] {
			d := rulePublisherMismatch.Diagnostic(l.Source.URL, "%q is named as the publisher of %d of the entries, but the list is on %q", host, entries[host], home)
			if refs := first[host].Sources; len(refs) > 0 {
				d.Pointer, d.Line = refs[0].Pointer, refs[0].Line
			}
			list = append(list, d)
		}
		if more := len(order) - maxPublishers; more > 0 {
			list = append(list, rulePublisherMismatch.Diagnostic(l.Source.URL, "%d further publishers are on other sites than the list", more))
		}
	}
	return append(list, away...)
}

// elsewhere reports an entry whose publisher is the site of the list, but whose URL is on
// another site, which answers instead of the publisher.
func elsewhere(sites *security.SuffixList, source, host string, d *wayfind.Document) []wayfind.Diagnostic {
	u, err := url.Parse(d.URL)
	if host == "" || err != nil || u.Hostname() == "" || sites.SameSite(host, u.Hostname()) {
		return nil
	}
	said := rulePublisherElsewhere.Diagnostic(source, "%q is the publisher of an entry, but its URL is on %q", host, u.Hostname())
	if len(d.Sources) > 0 {
		said.Pointer, said.Line = d.Sources[0].Pointer, d.Sources[0].Line
	}
	return []wayfind.Diagnostic{said}
}

// publisherHost returns the host in the identifier of a publisher: a domain, a URL or a did:web.
// It returns "" if there is no host. A text that is not a host name is returned in lower case. It
// equals no host.
func publisherHost(identifier string) string {
	text := identifier
	for _, prefix := range [...]string{"did:web:", "https://", "http://", "urn:air:"} {
		if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			text = text[len(prefix):]
			break
		}
	}
	if i := strings.IndexAny(text, ":/?#%"); i >= 0 { // did:web escapes the colon before a port
		if text == identifier {
			return "" // some other URN or DID
		}
		text = text[:i]
	}
	if !strings.Contains(text, ".") {
		return ""
	}
	if u, err := security.ParseURL("https://"+text+"/", nil); err == nil {
		return u.Hostname()
	}
	return strings.ToLower(text)
}

var rulePublisherMismatch = parse.Rule{Code: "publisher.mismatch", Severity: wayfind.SeverityWarning,
	Means: "An entry of a catalogue names a publisher of another site than the one that serves the catalogue. It is a claim, and proves nothing about that publisher.",
	Mend:  "Name the domain that serves the catalogue as the publisher, or let the publisher serve a catalogue of its own."}

var rulePublisherElsewhere = parse.Rule{Code: "publisher.elsewhere", Severity: wayfind.SeverityInfo,
	Means: "An entry of a catalogue names the site that serves it as the publisher, and its URL leads to another site. That site answers, and not the publisher.",
	Mend:  "Serve the document at the publisher's own domain, or name the other site as the publisher."}
