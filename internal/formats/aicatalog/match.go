package aicatalog

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

func match(in *parse.Input) parse.Claim {
	root, err := in.JSONThatFits()
	if err != nil {
		return parse.Claim{}
	}
	entries, home := root.Get("entries"), atHome(in)
	_, versioned := root.Get("specVersion").Str()
	switch {
	case isSkills(root.Get("skills")):
	case entries.Sampled(isEntry) > 0, entries.Kind() == parse.Array && entries.Len() == 0 && (versioned || home):
		return parse.Claim{Level: parse.Exact, Dialect: dialectOf(root)}
	case home:
		return foreign(root)
	}
	return parse.Claim{}
}

// atHome reports whether the document is at a place of catalogues, where common words
// are enough to recognise it.
func atHome(in *parse.Input) bool {
	for _, u := range [...]*url.URL{in.URL, in.FinalURL} {
		if u == nil {
			continue
		}
		for _, path := range [...]string{PathARD, PathCatalog, PathMCP} {
			if strings.HasSuffix(u.Path, path) {
				return true
			}
		}
	}
	return false
}

func isEntry(n parse.Node) bool {
	return isText(n, "identifier", "urn", "id") && isText(n, "type", "mediaType")
}

// isText reports whether an object has text in the first of the members that is
// present.
func isText(n parse.Node, members ...string) bool {
	text, _ := n.Get(n.Pick(members...)).Str()
	return text != ""
}

// isSkills recognises the list in an index of skills. The index may have a list of
// entries as well.
func isSkills(list parse.Node) bool {
	first := list.Index(0)
	return isText(first, "name") && isText(first, "url", "path", "digest")
}

// foreign names the documents at a place of catalogues that are not catalogues.
func foreign(root parse.Node) parse.Claim {
	for _, wrong := range [...]string{"resources", "capabilities", "agentCards", "mcpServers", "records", "services", "agents", "pages", "entries"} {
		list := root.Get(wrong)
		switch {
		case list.Kind() != parse.Array:
		case wrong == "entries":
			return parse.Claim{Other: true, Dialect: "catalog-like", Why: "No entry has an identifier and a type."}
		default:
			return parse.Claim{Other: true, Dialect: "catalog-like", Why: "It has \"" + wrong + "\" instead of \"entries\"."}
		}
	}
	return parse.Claim{}
}

// dialectOf returns the dialect of a catalogue.
func dialectOf(root parse.Node) string {
	version := root.Get("specVersion")
	if text, _ := version.Str(); text == "draft" {
		return dialectMCP
	}
	if root.Get("entries").Sampled(func(e parse.Node) bool { return isText(e, "mediaType") && !isText(e, "type") }) > 0 {
		return dialectApril
	}
	if k := version.Kind(); k == parse.Missing || k == parse.Null {
		return dialectARD
	}
	return ""
}

// majorMinor reads a version. A part that is not a number is -1, and so is minor if
// the version does not have exactly two parts.
func majorMinor(version string) (major, minor int) {
	first, rest, ok := strings.Cut(version, ".")
	if major = number(first); major < 0 || !ok {
		return major, -1
	}
	return major, number(rest)
}

func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
