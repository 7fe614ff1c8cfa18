package hosts

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// setTOML puts a table into a TOML document. It replaces the table with its name and the tables
// below that.
func setTOML(text []byte, section, table string) ([]byte, error) {
	name := section + "." + Name
	odd := regexp.MustCompile(`(?m)^\s*("?` + section + `"?\s*=|"?` + section + `"?\s*\.\s*"?` + Name + `"?\s*[.=]|\[\s*` + section + `\s*\]|\[.*["'\s].*` + Name + `)`)
	if odd.Match(text) || strings.Contains(string(text), `"""`) || strings.Contains(string(text), "'''") {
		return nil, errors.New("it has servers in another form, or texts of several lines")
	}
	var kept []string
	at := -1
	for line, inside := range tableLines(text, name) {
		if inside && at < 0 {
			at = len(kept)
		}
		if !inside || isNote(line) {
			kept = append(kept, line)
		}
	}
	if at < 0 {
		if text := strings.Join(kept, ""); text != "" {
			table = ensureLine(text)[len(text):] + "\n" + table
		}
		at = len(kept)
	}
	return []byte(strings.Join(slices.Insert(kept, at, table), "")), nil
}

// tableLines yields the lines of a TOML document, and whether each belongs to the table with a name
// or to one below it.
func tableLines(text []byte, name string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		inside := false
		for _, line := range strings.SplitAfter(string(text), "\n") {
			if header, ok := strings.CutPrefix(strings.TrimSpace(line), "["); ok {
				header, _, _ = strings.Cut(strings.TrimPrefix(header, "["), "]")
				inside = header == name || strings.HasPrefix(header, name+".")
			}
			if !yield(line, inside) {
				return
			}
		}
	}
}

// tables returns the lines of a table and of those below it, without blank lines and comments.
func tables(text []byte, name string) (own []byte) {
	for line, inside := range tableLines(text, name) {
		if inside && !isNote(line) {
			own = append(own, line...)
		}
	}
	return own
}

// isNote reports whether a line is blank or a comment. Such lines are kept.
func isNote(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

func ensureLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// setYAML puts a block into a mapping of a YAML document. It replaces the block with its name.
func setYAML(text []byte, section, block string) ([]byte, error) {
	lines := strings.SplitAfter(string(text), "\n")
	head := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, section+":") })
	if head < 0 {
		if strings.Contains(string(text), `"`+section+`"`) || strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
			return nil, errors.New("it is written in another form")
		}
		return []byte(ensureLine(string(text)) + section + ":\n" + indentLines(block, "  ")), nil
	}
	if rest := strings.TrimSpace(lines[head][len(section)+1:]); rest != "" && rest[0] != '#' {
		return nil, fmt.Errorf("its %q is written in another form", section)
	}
	lines[head] = ensureLine(lines[head])
	indent, from, to := "", -1, len(lines)
	for i := head + 1; i < len(lines); i++ {
		line, own := lines[i], lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
		if isNote(line) {
			continue
		}
		if strings.HasPrefix(line, "- ") {
			return nil, fmt.Errorf("its %q is a list", section)
		}
		if indent == "" {
			indent = own
		}
		if own == "" || len(own) < len(indent) {
			to = i
			break
		}
		if from >= 0 && own == indent {
			to = i
			break
		}
		if own == indent && strings.HasPrefix(line[len(own):], Name+":") {
			from = i
		}
	}
	if indent == "" {
		indent = "  "
	}
	block = indentLines(block, indent)
	if from < 0 {
		return []byte(strings.Join(lines[:head+1], "") + block + strings.Join(lines[head+1:], "")), nil
	}
	var notes []string
	for _, line := range lines[from:to] {
		if isNote(line) {
			notes = append(notes, line)
		}
	}
	return []byte(strings.Join(lines[:from], "") + block + strings.Join(notes, "") + strings.Join(lines[to:], "")), nil
}

func indentLines(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(indent + line)
	}
	return b.String()
}
