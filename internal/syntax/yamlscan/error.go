package yamlscan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
)

// maxReason is the maximum length of a quotation in an error. Errors of yaml.v3 may repeat the
// whole text.
const maxReason = 256

// SyntaxError is the place and the reason for which [Scan] refuses a text.
type SyntaxError struct {
	// Line is the number of the line, from 1, in the document that contains the text.
	Line int
	// Reason is the reason in a few words. It may contain foreign text.
	Reason string
	// Beyond is the limit that the text exceeds, or nil for another reason.
	Beyond *wayfind.TooLarge
}

// Unwrap returns the limit for errors.As.
func (e *SyntaxError) Unwrap() error {
	if e.Beyond == nil {
		return nil
	}
	return e.Beyond
}

// Error returns reason and place.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s (line %d)", e.Reason, e.Line) }

// fail returns the error for a text that is refused at a line.
func fail(code wayfind.Code, line int, format string, args ...any) error {
	return wayfind.NewError("parse", "", code, &SyntaxError{Line: line, Reason: cut(fmt.Sprintf(format, args...))})
}

// beyond returns the error for a text that exceeds a limit at a line.
func beyond(line int, limit wayfind.TooLarge) error {
	return wayfind.NewError("parse", "", wayfind.CodeLimit, &SyntaxError{Line: line, Reason: limit.Error(), Beyond: &limit})
}

// errGaveUp is the cause if yaml.v3 panics.
var errGaveUp = errors.New("the text cannot be read")

// syntax converts an error of yaml.v3, "yaml: line 3: did not find …". If references are
// allowed, they are not the reason.
func syntax(text string, first int, err error, references bool) error {
	if line := refers(text); line > 0 && !references {
		return fail(wayfind.CodeYAMLForbidden, first+line-1, "an anchor, an alias or a tag")
	}
	reason, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		if number, after, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				reason, line = after, n
			}
		}
	}
	line = min(max(line, 1), 1+strings.Count(text, "\n"))
	return fail(wayfind.CodeYAMLSyntax, first+line-1, "%s", reason)
}

// cut shortens foreign text between characters.
func cut(s string) string {
	if len(s) <= maxReason {
		return s
	}
	n := maxReason - len("...")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
