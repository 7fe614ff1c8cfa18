package paramspec

import "strings"

// The functions of this file rewrite publishers' notations for variables to
// {name}, the notation of [parse.ParseTemplate]. Text without such a notation is
// returned unchanged.

var (
	doubleBraces = strings.NewReplacer("{{", "{", "}}", "}")
	otherBraces  = strings.NewReplacer("${", "{", "<", "{", ">", "}")
)

// Braces rewrites {{name}}, ${name} and <name>.
func Braces(text string) string {
	if strings.Contains(text, "{{") {
		text = doubleBraces.Replace(text)
	}
	return otherBraces.Replace(text)
}

// Colons rewrites segments of a path that begin with a colon, as in "/products/:id" and
// "/products/:id.json". It keeps ports and verbs ("/x:search"). A name ends at the first
// character that is not a letter, digit or underscore.
//
// If known is not nil, only names for which known returns true are rewritten; such a name may
// be a whole segment of any characters.
func Colons(text string, known func(name string) bool) string {
	begin, end := pathOf(text)
	segments := strings.Split(text[begin:end], "/")
	for i, s := range segments {
		segment, ok := strings.CutPrefix(s, ":")
		if !ok {
			continue
		}
		word := leadingWord(segment)
		switch {
		case known == nil && word != "" && (word[0] < '0' || word[0] > '9'), known != nil && known(word):
			segments[i] = "{" + word + "}" + segment[len(word):]
		case known != nil && known(segment):
			segments[i] = "{" + segment + "}"
		}
	}
	return text[:begin] + strings.Join(segments, "/") + text[end:]
}

// pathOf returns the bounds of the path of a URL or reference: after the authority, before the
// query and the fragment.
func pathOf(text string) (begin, end int) {
	end = len(text)
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		end = i
	}
	scheme, rest, ok := strings.Cut(text[:end], "://")
	if !ok || strings.Contains(scheme, "/") {
		return 0, end
	}
	authority, _, _ := strings.Cut(rest, "/")
	return len(scheme) + len("://") + len(authority), end
}

// leadingWord returns the letters, digits and underscores that text begins with.
func leadingWord(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, wordCharacters))]
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// Placeholders rewrites placeholders in the base of many URLs: the notations of [Braces], and
// words like YOUR_DOMAIN and your-company if they are labels of the host or, in capitals,
// segments of the path.
func Placeholders(base string) string {
	base = Braces(base)
	scheme, rest, ok := strings.Cut(base, "://")
	if !ok {
		return base
	}
	host, path, slash := strings.Cut(rest, "/")
	host = mapWords(host, ".", func(w string) bool { return isShouted(w) || isYours(w) })
	if slash {
		path = "/" + mapWords(path, "/", func(w string) bool { return isShouted(w) && strings.HasPrefix(w, "YOUR") })
	}
	return scheme + "://" + host + path
}

// mapWords puts braces around the words that are placeholders.
func mapWords(text, separator string, is func(string) bool) string {
	words := strings.Split(text, separator)
	for i, w := range words {
		if is(w) {
			words[i] = "{" + strings.ReplaceAll(w, "-", "_") + "}"
		}
	}
	return strings.Join(words, separator)
}

// isShouted reports whether word looks like YOUR_DOMAIN or TENANT_ID: capitals with an
// underscore, which no host name has.
func isShouted(word string) bool {
	return strings.Contains(word, "_") && strings.Trim(word, "_0123456789") != "" &&
		!strings.ContainsFunc(word, func(c rune) bool {
			return c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
		})
}

// isYours reports whether word looks like your-domain or yourcompany. Only some nouns are
// placeholders: your-move.example is a host like any other.
func isYours(word string) bool {
	noun, ok := strings.CutPrefix(strings.ToLower(word), "your")
	switch strings.TrimLeft(noun, "-_") {
	case "domain", "subdomain", "host", "hostname", "server", "site", "instance", "tenant", "region", "company",
		"org", "organization", "organisation", "account", "workspace", "project", "store", "shop", "app", "team",
		"environment", "env", "cluster", "service", "api":
		return ok
	}
	return false
}
