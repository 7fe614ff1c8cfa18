package diff

import (
	"cmp"
	"strings"
)

// compareVersions compares two versions by Semantic Versioning 2.0.0 §11, or as any number of
// numbers with dots. ok is false for versions of any other form, which can only be equal or
// different.
func compareVersions(a, b string) (order int, ok bool) {
	coreA, preA, okA := cutVersion(a)
	coreB, preB, okB := cutVersion(b)
	if !okA || !okB {
		return 0, false
	}
	for len(coreA) < len(coreB) {
		coreA = append(coreA, "0")
	}
	for len(coreB) < len(coreA) {
		coreB = append(coreB, "0")
	}
	for i := range coreA {
		if order := compareNumbers(coreA[i], coreB[i]); order != 0 {
			return order, true
		}
	}
	return comparePre(preA, preB), true
}

// cutVersion splits "v1.2.3-rc.1+build" into numbers and the parts of a pre-release.
func cutVersion(s string) (core, pre []string, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "+")
	numbers, rest, isPre := strings.Cut(s, "-")
	core = strings.Split(numbers, ".")
	for _, n := range core {
		if !allDigits(n) {
			return nil, nil, false
		}
	}
	if isPre {
		pre = strings.Split(rest, ".")
	}
	return core, pre, true
}

// comparePre compares pre-releases. A version without a pre-release is later than any
// pre-release.
func comparePre(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return -cmp.Compare(len(a), len(b))
	}
	for i := range min(len(a), len(b)) {
		numA, numB := allDigits(a[i]), allDigits(b[i])
		order := cmp.Compare(a[i], b[i])
		switch {
		case numA && numB:
			order = compareNumbers(a[i], b[i])
		case numA:
			order = -1
		case numB:
			order = 1
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b))
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// compareNumbers compares numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
