package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// mergeAuth joins what two readings say about authenticating at one place.
// Required beats none, unknown never loosens, and two schemes are
// alternatives. Unless adds, b can only tighten. conflict says what they
// disagree on, "" when they do not.
func mergeAuth(a, b *wayfind.Auth, adds bool) (merged *wayfind.Auth, conflict string) {
	switch {
	case b == nil, !adds && open(b):
		return a, ""
	case a == nil:
		return b, ""
	case silent(a) && silent(b), reflect.DeepEqual(a, b):
		return a, ""
	case silent(a):
		return b, ""
	case silent(b):
		return a, ""
	case open(a) && open(b):
		return a, ""
	case open(a):
		return b, "one source says that nothing is needed, another that something is; the latter is kept"
	case open(b):
		return a, "one source says that nothing is needed, another that something is; the latter is kept"
	case !adds:
		return a, "a source of lower rank names other ways to authenticate; they are left out"
	}
	merged = &wayfind.Auth{Schemes: maps.Clone(a.Schemes), Requirements: slices.Clone(a.Requirements), Unknown: a.Unknown || b.Unknown}
	if merged.Schemes == nil {
		merged.Schemes = map[string]wayfind.Scheme{}
	}
	for _, requirement := range b.Requirements {
		renamed := make([]wayfind.Requirement, len(requirement))
		for i, r := range requirement {
			renamed[i] = wayfind.Requirement{Scheme: adopt(merged.Schemes, r.Scheme, b.Schemes[r.Scheme]), Scopes: r.Scopes}
		}
		at := slices.IndexFunc(merged.Requirements, func(have []wayfind.Requirement) bool {
			return slices.EqualFunc(have, renamed, func(x, y wayfind.Requirement) bool { return x.Scheme == y.Scheme })
		})
		if at >= 0 {
			merged.Requirements[at] = bothScopes(merged.Requirements[at], renamed)
			continue
		}
		merged.Requirements = append(merged.Requirements, renamed)
		conflict = "the sources name different ways to authenticate; they are alternatives"
	}
	return merged, conflict
}

// bothScopes asks for the scopes of both: fewer would loosen one of them.
func bothScopes(a, b []wayfind.Requirement) []wayfind.Requirement {
	both := slices.Clone(a)
	for i := range both {
		both[i].Scopes = joinStrings(both[i].Scopes, b[i].Scopes)
	}
	return both
}

// silent: it does not say what is needed.
func silent(a *wayfind.Auth) bool { return a.Unknown && len(a.Requirements) == 0 }

// open: an alternative needs nothing.
func open(a *wayfind.Auth) bool {
	for _, requirement := range a.Requirements {
		needs := slices.ContainsFunc(requirement, func(r wayfind.Requirement) bool { return a.Schemes[r.Scheme].Kind != wayfind.SchemeNone })
		if !needs {
			return true
		}
	}
	return false
}

// adopt puts a scheme under its name, or under "name~2" when that stands for
// another one, and returns the name.
func adopt(schemes map[string]wayfind.Scheme, name string, scheme wayfind.Scheme) string {
	for _, have := range slices.Sorted(maps.Keys(schemes)) {
		if isBearer(schemes[have]) && isBearer(scheme) {
			return have
		}
	}
	free := name
	for n := 2; ; n++ {
		have, taken := schemes[free]
		if !taken {
			schemes[free] = scheme
			return free
		}
		if reflect.DeepEqual(have, scheme) {
			return free
		}
		free = fmt.Sprintf("%s~%d", name, n)
	}
}

// isBearer: a token behind "Bearer" in Authorization, by either name for it
// (RFC 6750 §2.1).
func isBearer(s wayfind.Scheme) bool {
	if s.Kind == wayfind.SchemeHTTP {
		return strings.EqualFold(s.HTTPScheme, "bearer")
	}
	return s.Kind == wayfind.SchemeAPIKey && s.In == "header" && strings.EqualFold(s.Name, "Authorization") &&
		s.Prefix != nil && strings.EqualFold(*s.Prefix, "Bearer")
}

// mergeEffects keeps the more cautious word on each effect; what a document
// says counts more than what follows from the method. Unless adds, b can only
// make it more cautious.
func mergeEffects(a, b *wayfind.Effects, adds bool) *wayfind.Effects {
	if b == nil || a == nil && adds {
		return cmp.Or(a, b)
	}
	e := wayfind.Effects{}
	if a != nil {
		e = *a
		e.Defaulted = slices.Clone(a.Defaulted)
	}
	pick := func(field **bool, other *bool, cautious bool, name string) {
		guessed, guess := slices.Contains(e.Defaulted, name), slices.Contains(b.Defaulted, name)
		switch {
		case other == nil, *field != nil && !guessed && guess, !adds && *other != cautious:
			return
		case *field != nil && **field == cautious && (guess || !guessed), *field != nil && *other != cautious && guess == guessed:
			return
		}
		*field = other
		e.Defaulted = slices.DeleteFunc(e.Defaulted, func(s string) bool { return s == name })
		if guess {
			e.Defaulted = append(e.Defaulted, name)
		}
	}
	pick(&e.ReadOnly, b.ReadOnly, false, "readOnly")
	pick(&e.Destructive, b.Destructive, true, "destructive")
	pick(&e.Idempotent, b.Idempotent, false, "idempotent")
	pick(&e.Reversible, b.Reversible, false, "reversible")
	pick(&e.NeedsConfirmation, b.NeedsConfirmation, true, "needsConfirmation")
	if sensitivity(b.Sensitivity) > sensitivity(e.Sensitivity) {
		e.Sensitivity = b.Sensitivity
		e.Defaulted = slices.DeleteFunc(e.Defaulted, func(s string) bool { return s == "sensitivity" })
		if slices.Contains(b.Defaulted, "sensitivity") {
			e.Defaulted = append(e.Defaulted, "sensitivity")
		}
	}
	e.IdempotencyKey = cmp.Or(e.IdempotencyKey, b.IdempotencyKey)
	e.IdempotencyWindow = cmp.Or(e.IdempotencyWindow, b.IdempotencyWindow)
	e.Async = cmp.Or(e.Async, b.Async)
	if len(e.Defaulted) == 0 {
		e.Defaulted = nil
	}
	if a == nil && reflect.DeepEqual(e, wayfind.Effects{}) {
		return nil
	}
	return &e
}

// sensitivity ranks the words; one that is not known ranks above none.
func sensitivity(word string) int {
	switch word {
	case "":
		return 0
	case "standard":
		return 1
	case "destructive":
		return 3
	case "irreversible":
		return 4
	}
	return 2
}

// disagree reports whether two readings contradict each other, defaults that
// follow from the method aside.
func disagree(a, b *wayfind.Effects) bool {
	if a == nil || b == nil {
		return false
	}
	said := func(name string) bool {
		return !slices.Contains(a.Defaulted, name) && !slices.Contains(b.Defaulted, name)
	}
	differ := func(x, y *bool, name string) bool {
		return said(name) && x != nil && y != nil && *x != *y
	}
	return differ(a.ReadOnly, b.ReadOnly, "readOnly") || differ(a.Destructive, b.Destructive, "destructive") ||
		differ(a.Idempotent, b.Idempotent, "idempotent") || differ(a.Reversible, b.Reversible, "reversible") ||
		differ(a.NeedsConfirmation, b.NeedsConfirmation, "needsConfirmation") ||
		said("sensitivity") && a.Sensitivity != "" && b.Sensitivity != "" && a.Sensitivity != b.Sensitivity
}
