package phrase

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Auth says in one line how to authenticate.
func Auth(auth *wayfind.Auth) string {
	switch {
	case auth == nil:
		return ""
	case auth.Unknown:
		return "not said: assume that something is needed" + schemesText(auth)
	}
	var alternatives []string
	for _, requirement := range auth.Requirements {
		var parts []string
		for _, r := range requirement {
			text := schemeText(auth.Schemes[r.Scheme])
			if len(r.Scopes) > 0 {
				text += ", scopes " + show(strings.Join(r.Scopes, " "))
			}
			parts = append(parts, text)
		}
		alternatives = append(alternatives, strings.Join(parts, " and "))
	}
	return strings.Join(alternatives, "; or ")
}

func schemesText(auth *wayfind.Auth) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(auth.Schemes)) {
		parts = append(parts, schemeText(auth.Schemes[name]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

func schemeText(s wayfind.Scheme) string {
	var text string
	switch s.Kind {
	case wayfind.SchemeNone:
		return "nothing needed"
	case wayfind.SchemeAPIKey:
		text = "API key"
		if s.Name != "" {
			text += " in " + cmp.Or(show(s.In), "header") + " " + show(s.Name)
		}
		if s.Prefix != nil && *s.Prefix != "" {
			text += " as \"" + show(*s.Prefix) + " KEY\""
		}
	case wayfind.SchemeHTTP:
		text = "HTTP " + cmp.Or(show(s.HTTPScheme), "authentication")
	case wayfind.SchemeOAuth2:
		text = "OAuth 2"
		for _, f := range s.Flows {
			if f.AuthorizationURL != "" {
				text += " at " + show(f.AuthorizationURL)
			}
		}
	default:
		text = show(string(s.Kind))
	}
	if s.SetupURL != "" {
		text += ", get one at " + show(s.SetupURL)
	}
	return text
}
