package describe

import (
	"context"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
)

// fileCandidate returns the candidate for the file that a capability consists of.
func fileCandidate(f *parse.Format, u string, file *wayfind.Artifact) *places.Candidate {
	candidate := detailCandidate(f, u)
	candidate.Accept = "*/*"
	if file.MediaType != "" {
		candidate.Accept = file.MediaType + ", */*;q=0.5"
	}
	return candidate
}

// isFile reports whether the answer is a file that discovery cannot read, such as Markdown that is
// sent as JSON. A file need not be a document.
func (d *describer) isFile(o *discover.Outcome) bool {
	capability := d.detail.Capability
	return capability != nil && capability.Artifact != nil && o.Probe.Verdict.Unreadable() && len(o.Doc.Input().Body) > 0
}

// outdated reports whether a stored answer differs from the digest in the present listing, which
// may be newer.
func outdated(o *discover.Outcome, file *wayfind.Artifact) bool {
	return differs(o, file) && o.Fact.From != cache.FromNetwork && o.Fact.From != cache.FromValidated
}

// differs reports whether the bytes differ from the digest in the listing. Without a digest they do
// not differ.
func differs(o *discover.Outcome, file *wayfind.Artifact) bool {
	return file != nil && file.SHA256 != "" && o.Doc != nil && o.Doc.Digest() != file.SHA256
}

// checkDigest compares the bytes of a file with the digest in its listing before any of them is
// shown.
func (d *describer) checkDigest(o *discover.Outcome) error {
	if file := d.detail.Capability.Artifact; differs(o, file) {
		return wayfind.NewError("describe", o.Candidate.URL, wayfind.CodeDigest,
			fmt.Errorf("the listing says SHA-256 %s, and the bytes have %s; ask the domain again if the listing is old", file.SHA256, o.Doc.Digest()))
	}
	return nil
}

// content adds the file itself to the detail.
func (d *describer) content(ctx context.Context, o *discover.Outcome) error {
	capability := d.detail.Capability
	file := capability.Artifact
	return d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) {
		content, suspicious, diags := o.Doc.Content(w)
		content.Verified = file.SHA256 != "" && content.SHA256 == file.SHA256
		if !content.Verified {
			diags = append(diags, ruleUnverified.Diagnostic("", "the listing gives no digest of the file"))
		}
		for i := range diags {
			diags[i].Source = o.Candidate.URL
		}
		d.detail.Content = content
		d.detail.Diagnostics = append(d.detail.Diagnostics, diags...)
		both := slices.Concat(capability.Suspicious, suspicious)
		slices.Sort(both)
		capability.Suspicious = slices.Compact(both)
	})
}

var ruleUnverified = parse.Rule{Code: "file.unverified", Severity: wayfind.SeverityWarning,
	Means: "The listing gives no digest of a file, so no one can tell whether its bytes are those that the publisher meant.",
	Mend:  "Publish the SHA-256 of the file beside its URL."}
