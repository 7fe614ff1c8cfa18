package merge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
)

const catalog = "https://example.com/catalog.json"

// listing is a catalogue with these entries, which was read.
func listing(entries ...wayfind.Document) *merge.Outcome {
	return found(&parse.Format{Name: "catalog", Index: true}, wayfind.Source{URL: catalog, SHA256: "catalog", Authority: wayfind.AuthorityCatalog}, &parse.Reading{Documents: entries})
}

// listed is an entry at a line of the catalogue.
func listed(url, digest string, line int) wayfind.Document {
	return wayfind.Document{URL: url, Digest: digest, Sources: []wayfind.Ref{{Source: catalog, Pointer: "/entries/0", Line: line}}}
}

// ended is the outcome of a document without a reading.
func ended(url string, verdict wayfind.Verdict, reason string) *merge.Outcome {
	return &merge.Outcome{Candidate: &places.Candidate{URL: url, Depth: 1}, Probe: wayfind.Probe{URL: url, Verdict: verdict, Reason: reason}}
}

const doc = "https://example.com/doc.json"

// read is the outcome of a document whose bytes have a digest.
func read(digest string) *merge.Outcome {
	return found(&parse.Format{Name: "doc"}, wayfind.Source{URL: doc, SHA256: digest, Authority: wayfind.AuthorityLinked}, &parse.Reading{})
}

// An entry of a catalogue has the verdict of its document. A document that does not have the
// promised format is a fault of the catalogue, reported at the line of the entry.
func TestAnEntryHasTheVerdictOfItsDocument(t *testing.T) {
	moved := read("aa")
	moved.Probe.Redirects = []string{"https://example.com/old.json"}
	canary := ended(doc, wayfind.VerdictAbsent, "")
	canary.Candidate.Canary = true
	for _, row := range []struct {
		name    string
		entry   wayfind.Document
		outcome *merge.Outcome
		verdict wayfind.Verdict // of the entry
		said    string          // code and end of the message
	}{
		{"no digest", listed(doc, "", 7), read("aa"), wayfind.VerdictFound, ""},
		{"its digest", listed(doc, "sha256:aa", 7), read("aa"), wayfind.VerdictFound, ""},
		{"another digest", listed(doc, "sha256:bb", 7), read("aa"), wayfind.VerdictFound, "follow.digest its bytes have another digest"},
		{"another kind of digest", listed(doc, "sha512:aa", 7), read("aa"), wayfind.VerdictFound, "follow.digest its bytes have another digest"},
		{"a digest, and nothing was read", listed(doc, "sha256:bb", 7), ended(doc, wayfind.VerdictFound, ""), wayfind.VerdictFound, ""},
		{"another spelling", listed("https://EXAMPLE.com:443/doc.json#part", "sha256:bb", 7), read("aa"), wayfind.VerdictFound, "follow.digest its bytes have another digest"},
		{"a redirect", listed("https://example.com/old.json", "sha256:bb", 7), moved, wayfind.VerdictFound, "follow.digest its bytes have another digest"},
		{"missing", listed(doc, "", 7), ended(doc, wayfind.VerdictAbsent, ""), wayfind.VerdictAbsent, "follow.failed absent"},
		{"missing, for a reason", listed(doc, "", 7), ended(doc, wayfind.VerdictUnreachable, "timeout"), wayfind.VerdictUnreachable, "follow.failed unreachable (timeout)"},
		{"skipped", listed(doc, "", 7), ended(doc, wayfind.VerdictSkipped, "budget"), wayfind.VerdictSkipped, ""},
		{"an endpoint", listed(doc, "", 7), ended(doc, wayfind.VerdictEndpointLike, ""), wayfind.VerdictEndpointLike, ""},
		{"not asked for", listed(doc, "", 7), ended("https://example.com/other.json", wayfind.VerdictAbsent, ""), "", ""},
		{"asked for as a canary", listed(doc, "", 7), canary, "", ""},
		{"no URL", listed("::", "", 7), ended(doc, wayfind.VerdictAbsent, ""), "", ""},
		{"a part of the catalogue", listed(catalog+"#part", "sha256:bb", 7), ended(doc, wayfind.VerdictAbsent, ""), "", ""},
		{"of no known line", wayfind.Document{URL: doc}, ended(doc, wayfind.VerdictAbsent, ""), wayfind.VerdictAbsent, ""},
	} {
		site := siteOf(listing(row.entry), row.outcome)
		if got := site.Documents[0].Verdict; got != row.verdict {
			t.Errorf("%s: the entry says %q, want %q", row.name, got, row.verdict)
		}
		code, end, _ := strings.Cut(row.said, " ")
		if row.said == "" {
			if len(site.Diagnostics) != 0 {
				t.Errorf("%s: %+v", row.name, site.Diagnostics)
			}
			continue
		}
		if len(site.Diagnostics) != 1 {
			t.Errorf("%s: %+v, want one", row.name, site.Diagnostics)
			continue
		}
		d := site.Diagnostics[0]
		if d.Code != code || !strings.HasSuffix(d.Message, ": "+end) || d.Source != catalog || d.Pointer != "/entries/0" || d.Line != 7 {
			t.Errorf("%s: %+v, want %s", row.name, d, row.said)
		}
	}
}

// If several entries name one document, each has its verdict, and the fault is reported once.
func TestTwoEntriesOfADocumentReportItsFaultOnce(t *testing.T) {
	entries := []wayfind.Document{listed(doc, "", 7), listed(doc, "", 9), listed(catalog, "", 11)}
	site := siteOf(listing(entries...), ended(doc, wayfind.VerdictAbsent, ""))
	var got []any
	for _, d := range site.Documents {
		got = append(got, string(d.Verdict))
	}
	for _, d := range site.Diagnostics {
		got = append(got, d.Line)
	}
	if d := cmp.Diff([]any{"absent", "absent", "found", 7}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if entries[0].Verdict != "" {
		t.Error("the reading was changed")
	}
}
