package robots

import (
	"slices"
	"strings"
)

// isShown reports whether a user agent is "*", or an agent of artificial intelligence: one
// that trains a model, searches for one or acts for a person. The list contains the agents
// that sites name in 2026.
func isShown(token string) bool {
	known := [...]string{
		"*", "ai2bot", "amazonbot", "anthropic", "anthropic-ai", "applebot-extended", "bytespider", "ccbot", "chatgpt-user", "claude-searchbot",
		"claude-user", "claude-web", "claudebot", "cohere-ai", "cohere-training-data-crawler", "deepseekbot", "devin", "diffbot", "duckassistbot",
		"facebookbot", "google-cloudvertexbot", "google-extended", "google-notebooklm", "googleother", "gptbot", "imagesiftbot", "meta-externalagent",
		"meta-externalfetcher", "mistralai-user", "novaact", "oai-searchbot", "omgili", "omgilibot", "operator", "pangubot", "perplexity-user",
		"perplexitybot", "timpibot", "youbot",
	}
	return slices.Contains(known[:], strings.ToLower(token))
}
