package humanize

import (
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
)

// Auth describes in one line how to authenticate, and where an agent registers.
func Auth(auth *wayfind.Auth) string {
	if auth == nil {
		return ""
	}
	text := needText(auth)
	if r := auth.Registration; r != nil && r.Endpoint != "" {
		text += "; agents register at " + show(r.Endpoint)
	} else if r != nil {
		text += "; for agents, see " + show(r.GuideURL)
	}
	return strings.TrimPrefix(text, "; ")
}

func needText(auth *wayfind.Auth) string {
	if auth.Unknown {
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
	text := authkind.Of(s).Text(s, show)
	if s.SetupURL != "" && s.Kind != wayfind.SchemeNone {
		text += ", get one at " + show(s.SetupURL)
	}
	return text
}
