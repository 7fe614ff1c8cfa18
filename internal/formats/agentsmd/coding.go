package agentsmd

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// isCoding reports whether a file contains instructions for coding agents in a
// repository. Such a file, "AGENTS.md", has no specification but customs. If the title
// has that name, one more sign is enough. Otherwise three signs are needed, and one of
// them must be other than a heading, because documentation for users has the same
// headings.
func isCoding(sections []parse.Section) bool {
	titled, words, commands := false, false, false
	for i, s := range sections {
		title := lower(s.Title)
		titled = titled || i < 2 && s.Level == 1 && (strings.Contains(title, "agents.md") || title == "repository guidelines")
		words = words || has(lower(s.Text), "this repository", "this repo", "the repository", "codebase", "coding agent", "ai coding")
		for _, b := range s.Blocks {
			commands = commands || hasCommand(b)
		}
	}
	signs := codingHeadings(sections)
	for _, yes := range [...]bool{titled, words, commands} {
		if yes {
			signs++
		}
	}
	if titled {
		return signs >= 2
	}
	return signs >= 3 && (words || commands) && !isIndex(sections)
}

// hasCommand reports whether a line of code, or code within a text, begins with a
// command that builds or tests a program.
func hasCommand(b parse.Block) bool {
	text, before := lower(b.Text), "`"
	if b.Kind == parse.BlockCode {
		text, before = "\n"+text, "\n"
	}
	for _, command := range [...]string{"go test", "go build", "npm run", "npm test", "npm install", "pnpm ", "yarn ", "bun run", "cargo ", "pytest", "uv run",
		"make ", "./gradlew", "mvn ", "docker compose", "git commit", "git push", "pre-commit ", "golangci-lint", "ruff ", "eslint "} {
		if strings.Contains(text, before+command) {
			return true
		}
	}
	return false
}

// isIndex reports whether the lists of a text are mostly links, as in llms.txt. A file
// for coding agents has few links.
func isIndex(sections []parse.Section) bool {
	items, links := 0, 0
	for _, s := range sections {
		for _, b := range s.Blocks {
			if b.Kind == parse.BlockItem {
				items++
				if strings.HasPrefix(strings.TrimLeft(b.Text, "*_"), "[") && strings.Contains(b.Text, "](") {
					links++
				}
			}
		}
	}
	return links > 2 && links*2 > items
}

// codingHeadings returns the number of subjects from software development that the
// headings mention.
func codingHeadings(sections []parse.Section) int {
	subjects := [...][]string{
		{"test", "tests", "testing"},
		{"style", "conventions", "guidelines", "standards"},
		{"build", "building", "compile"},
		{"setup", "development", "environment"},
		{"commands"},
		{"pull request", "pull requests", "prs", "pr", "commit", "commits", "contributing", "git", "branching"},
		{"repository", "repo", "codebase", "project structure", "project overview", "directory", "architecture", "packages"},
		{"lint", "linting", "formatting"},
		{"release", "releasing", "releases", "ci", "deploy", "deployment"},
	}
	found := 0
	for _, words := range subjects {
		for _, s := range sections {
			if s.Level > 0 && says(lower(s.Title), words...) {
				found++
				break
			}
		}
	}
	return found
}

// has reports whether a text contains one of the words.
func has(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
