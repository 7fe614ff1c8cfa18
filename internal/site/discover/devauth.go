package discover

import (
	"slices"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// plainValue is the length below which a value of a field without a credential is no secret:
// hiding each "true" would make answers unreadable.
const plainValue = 8

// devParts returns credentials in the form of package fetch, and their secret values.
func devParts(list []security.Credential) (parts []fetch.AuthPart, secrets secret.Veil) {
	for _, c := range list {
		p := AuthPart(c)
		p.Plain = len(c.Value) < plainValue && c.In == "" && !secret.Names(c.Field) && !slices.Contains(cache.IdentityFields(), p.Field)
		if !p.Plain {
			secrets = secrets.AndField(c.Value)
		}
		parts = append(parts, p)
	}
	return parts, secrets
}
