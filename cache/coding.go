package cache

import (
	"net/http"
	"strings"
)

const acceptEncoding = "Accept-Encoding"

// codingsOf returns the codings of a response whose Vary does not name Accept-Encoding, in lower
// case. Such content answers requests that accept all of these codings, and requests with the same
// Accept-Encoding as the first request. So a caller of net/http without Accept-Encoding gets no
// bytes that it cannot read.
func codingsOf(response http.Header) []string {
	if response["Content-Encoding"] == nil || namesField(response["Vary"], acceptEncoding) {
		return nil
	}
	var codings []string
	for coding := range listOf(response["Content-Encoding"]) {
		if coding = canonicalCoding(coding); coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return codings
}

// acceptsCoding reports whether the lines of an Accept-Encoding list a coding, by its
// name or else by "*" (RFC 9110 §12.5.3).
func acceptsCoding(lines []string, coding string) bool {
	others := false
	for member := range listOf(lines) {
		name, weight, _ := strings.Cut(member, ";")
		switch canonicalCoding(name) {
		case coding:
			return !isZeroWeight(weight)
		case "*":
			others = !isZeroWeight(weight)
		}
	}
	return others
}

// canonicalCoding returns the canonical name of a content coding. Names are case-insensitive, and
// two of them have an old form (RFC 9110 §8.4.1).
func canonicalCoding(name string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "x-")
}

// isZeroWeight reports whether a weight means "not acceptable" (RFC 9110 §12.4.2).
func isZeroWeight(parameter string) bool {
	name, value, _ := strings.Cut(parameter, "=")
	value = strings.TrimSpace(value)
	return strings.EqualFold(strings.TrimSpace(name), "q") && value != "" && strings.Trim(value, "0.") == ""
}

// namesField reports whether a list of names contains a name.
func namesField(lines []string, field string) bool {
	for name := range listOf(lines) {
		if strings.EqualFold(name, field) {
			return true
		}
	}
	return false
}

// listOf yields the members of a list of tokens.
func listOf(lines []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range lines {
			for member := range strings.SplitSeq(line, ",") {
				if member = strings.Trim(member, " \t"); member != "" && !yield(member) {
					return
				}
			}
		}
	}
}
