// Package publish has the parts that the verbs for publishers share: annotations of GitHub, and the
// header of an answer.
package publish

import (
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// The words of --format that are reports.
const (
	OutputSARIF  = "sarif"
	OutputGitHub = "github"
)

// GitHubText is the message of a command: a line break and a per cent sign are
// written as those commands want it, the rest as a terminal may see it.
func GitHubText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "%", "%25"), "\n")
	for i := range lines {
		lines[i] = ui.Show(lines[i])
	}
	return strings.Join(lines, "%0A")
}

var propertyEscapes = strings.NewReplacer(":", "%3A", ",", "%2C")

// GitHubProperty escapes a property of a command, in which colons and commas have a meaning too.
func GitHubProperty(s string) string {
	return propertyEscapes.Replace(GitHubText(s))
}
