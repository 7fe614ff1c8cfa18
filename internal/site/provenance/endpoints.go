package provenance

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// A document without a known origin has a URL on this host.
const (
	UnknownHost = "document.invalid"
	UnknownURL  = "https://" + UnknownHost + "/"
)

// IsUnknown reports whether u is the URL of a document without a known origin.
func IsUnknown(u string) bool { return strings.HasPrefix(u, UnknownURL) }

// Remarks returns diagnostics about statements of a document that only another site could
// prove, or that nothing can prove.
func Remarks(readings []reading.Located, sites *security.SuffixList) []wayfind.Diagnostic {
	return slices.Concat(foreignEndpoints(readings), openAuthorities(readings, sites), foreignPublishers(sites, readings))
}

// foreignEndpoints reports interfaces on another site than their document, if the format binds
// endpoints to the site of the document. A call to them requires the approval of the user. A
// catalogue may list endpoints on any site. A document without a known place is on no site.
func foreignEndpoints(readings []reading.Located) []wayfind.Diagnostic {
	var list []wayfind.Diagnostic
	for i := range readings {
		l := &readings[i]
		if !l.Format.Limits.SameSiteOnly || IsUnknown(l.Source.URL) || l.Source.Authority == wayfind.AuthorityCatalog {
			continue
		}
		spec := l.Format.Spec
		for _, s := range l.Reading.Services {
			for _, f := range s.Interfaces {
				if f.Trust != wayfind.TrustCrossSite && f.Trust != wayfind.TrustNeedsApproval {
					continue
				}
				d := ruleEndpointCrossSite.Diagnostic(l.Source.URL, "the endpoint %q is on another site than the document; it needs the approval of the user", f.URL+f.Template)
				d.Spec = &spec
				if len(f.Sources) > 0 {
					d.Line, d.Pointer = f.Sources[0].Line, f.Sources[0].Pointer
				}
				list = append(list, d)
			}
		}
	}
	return list
}

// openAuthorities reports hosts that a document names as the owners of names, although anyone
// can register a name under them.
func openAuthorities(readings []reading.Located, sites *security.SuffixList) []wayfind.Diagnostic {
	var list []wayfind.Diagnostic
	for i := range readings {
		spec := readings[i].Format.Spec
		for _, host := range readings[i].Authorities {
			below := "a." + host
			if domain, ok := sites.RegistrableDomain(below); !ok || domain != below {
				continue
			}
			d := rulePublicSuffix.Diagnostic(readings[i].Source.URL, "the host %q is a public suffix: names that belong to it prove nothing", host)
			d.Spec = &spec
			list = append(list, d)
		}
	}
	return list
}

var rulePublicSuffix = parse.Rule{Code: "authority.public_suffix", Severity: wayfind.SeverityWarning,
	Means: "The owner of a name is told by a host under which anyone can register one (a public suffix). The name proves nothing.",
	Mend:  "Use names that begin with a domain of your own, and serve their schemas from it."}

var ruleEndpointCrossSite = parse.Rule{Code: "endpoint.cross_site", Severity: wayfind.SeverityError,
	Means: "The document names an MCP endpoint on another site (another registrable domain), which is used only where a user approves.",
	Mend:  "Serve the endpoint under the domain of the document."}
