package humanize

import "github.com/wayfindhq/wayfind"

// Severity returns a severity in the words for people, which are those of SARIF: "error",
// "warning" or "note". In JSON, a note is "info".
func Severity(s wayfind.Severity) string {
	switch s {
	case wayfind.SeverityError, wayfind.SeverityWarning:
		return string(s)
	}
	return "note"
}
