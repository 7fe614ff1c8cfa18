package diff

import (
	"cmp"

	"github.com/wayfindhq/wayfind"
)

// versionReasons compares versions. A publisher is expected to serve newer versions. An older
// version may have errors that the newer one has fixed.
func versionReasons(old, now string) []Reason {
	switch order, ok := compareVersions(now, old); {
	case !ok:
		return []Reason{unlike("it has another version")}
	case order < 0:
		return []Reason{more("its version went back")}
	}
	return nil
}

// installReasons compares software that a document asks the caller to run.
func installReasons(old, now []wayfind.LocalInstall) (reasons []Reason) {
	inBoth(byName(old, software), byName(now, software), func(_, _ wayfind.LocalInstall, inOld, inNew bool) {
		switch {
		case !inOld:
			reasons = append(reasons, more("it names software to run that it did not name"))
		case !inNew:
			reasons = append(reasons, less("it does not name some software to run any more"))
		default:
			reasons = append(reasons, more("software runs with another command or other arguments"))
		}
	})
	return reasons
}

// featureReasons compares abilities. Each ability is a way to exchange data.
func featureReasons(old, now *wayfind.Features) []Reason {
	a, b := cmp.Or(old, &wayfind.Features{}), cmp.Or(now, &wayfind.Features{})
	reasons := setReasons(abilities(a), abilities(b), "it has an ability that it did not have", "it has an ability less")
	if a.Pagination != b.Pagination {
		reasons = append(reasons, unlike("long answers come in other pages"))
	}
	return reasons
}

// abilities returns the abilities that a service declares.
func abilities(f *wayfind.Features) (names []string) {
	for _, ability := range []struct {
		name string
		has  *bool
	}{{"streaming", f.Streaming}, {"batch", f.Batch}, {"webhooks", f.Webhooks}, {"idempotency", f.Idempotency}} {
		if ability.has != nil && *ability.has {
			names = append(names, ability.name)
		}
	}
	return names
}
