package merge

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// mergeEffects keeps the more cautious statement on each effect. A statement of a document takes
// precedence over a default that follows from the method. If adds is false, b can only make the
// result more cautious.
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

// sensitivity returns the rank of a word; an unknown word ranks above no word.
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

// disagree reports whether two readings contradict each other. Defaults that follow from the method
// are ignored.
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
