package provenance

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// A document whose origin was not given has a URL on this host.
const (
	UnknownHost = "document.invalid"
	UnknownURL  = "https://" + UnknownHost + "/"
)

// IsUnknown reports whether a URL stands for a document whose origin was not
// given.
func IsUnknown(u string) bool { return strings.HasPrefix(u, UnknownURL) }

// Remarks are about the statements of a document that only another site, or no one,
// could prove.
func Remarks(readings []reading.Located, sites *security.SuffixList) []wayfind.Diagnostic {
	return slices.Concat(foreignEndpoints(readings), openAuthorities(readings, sites), foreignPublishers(sites, readings))
}

// foreignEndpoints reports interfaces on another site than a document whose format
// binds it to its own: they count only for a user who approves. A catalogue may
// list endpoints anywhere. A document whose place is not known is on no site.
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

// openAuthorities reports hosts that a document names as owners of names, and
// under which anyone can register one.
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
