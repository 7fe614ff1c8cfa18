package call

import (
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// kindsOf returns the kinds of schemes that would be accepted.
func kindsOf(auth *wayfind.Auth, list [][]wayfind.Requirement) string {
	var kinds []string
	for _, needed := range list {
		for _, q := range needed {
			scheme := auth.Schemes[q.Scheme]
			kind := string(scheme.Kind)
			// Other names are foreign text, which must not be in an Error.
			if http := strings.ToLower(scheme.HTTPScheme); http == "bearer" || http == "basic" {
				kind += " " + http
			}
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

// parameterMarks removes the separators in the name of a parameter.
var parameterMarks = strings.NewReplacer("-", "", "_", "", ".", "")

// isNamedLikeCredential reports whether a required parameter of the header or the query has
// the name of a credential. A model would need the credential to set such a parameter.
func isNamedLikeCredential(p wayfind.Param) bool {
	if p.In != "header" && p.In != "query" || p.Required == nil || !*p.Required {
		return false
	}
	name := parameterMarks.Replace(strings.ToLower(p.Name))
	return slices.Contains([]string{"apikey", "xapikey", "token", "accesstoken", "authtoken", "xauthtoken", "authorization", "password", "secret", "clientsecret"}, name)
}
