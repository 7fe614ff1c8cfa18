package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/textpos"
	"github.com/wayfindhq/wayfind/parse"
)

// edit replaces a part of a document.
type edit struct {
	at, end int
	text    string
}

// mechanical are the edits that mend findings without a decision. None of them
// breaks or joins lines.
func mechanical(t *textpos.Text, list []lintFinding) []edit {
	var edits []edit
	for i := range list {
		f := &list[i]
		if _, name, _ := strings.Cut(f.Code, "."); name == "bom" {
			if bytes.HasPrefix(t.Body(), []byte(byteOrderMark)) {
				edits = append(edits, edit{0, len(byteOrderMark), ""})
			}
			continue
		}
		if f.Pointer == "" {
			continue
		}
		n := t.At(f.Pointer)
		if !n.Exists() {
			continue
		}
		if text := mended(f, n); text != "" && text != string(n.Raw()) {
			edits = append(edits, edit{n.Offset(), n.Offset() + len(n.Raw()), text})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	edits = slices.Compact(edits)
	return slices.DeleteFunc(edits, func(e edit) bool { // none inside another
		return slices.ContainsFunc(edits, func(o edit) bool { return o != e && o.at <= e.at && e.end <= o.end })
	})
}

const byteOrderMark = "\ufeff"

// mended is a value as it should be written, "" where that takes a decision.
func mended(f *lintFinding, n parse.Node) string {
	text, isText := n.Str()
	switch _, rule, _ := strings.Cut(f.Code, "."); {
	case rule == "method_case" && isText:
		return quoted(strings.ToUpper(text))
	case (rule == "base_url_slash" || rule == "slash") && isText:
		return quoted(strings.TrimRight(text, "/"))
	case rule == "wrong_type" && (strings.Contains(f.Message, " where string belongs") || strings.Contains(f.Message, " where the string ")) && (n.Kind() == parse.Number || n.Kind() == parse.Bool):
		return quoted(string(n.Raw()))
	case rule == "wrong_type" && strings.Contains(f.Message, " where number belongs") && isText:
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return text
		}
	case rule == "wrong_type" && strings.Contains(f.Message, " where boolean belongs") && (text == "true" || text == "false"):
		return text
	}
	return ""
}

func quoted(s string) string {
	b, _ := encodeCompact(s) // a string can always be written
	return string(b)
}

// printFix prints the difference that the mechanical edits of a document make, for
// patch(1).
func (l *linter) printFix(r *lintReport) {
	t := textpos.New(l.body)
	edits := mechanical(t, r.Diagnostics)
	if len(edits) == 0 {
		fmt.Fprintf(l.err, "wayfind: %s: nothing can be mended without a decision; \"wayfind lint\" lists the faults\n", show(r.Name))
		return
	}
	var after []byte
	last := 0
	for _, e := range edits {
		after = append(append(after, t.Body()[last:e.at]...), e.text...)
		last = e.end
	}
	after = append(after, t.Body()[last:]...)
	fmt.Fprint(l.out, unified(show(r.Name), t.Lines(), slices.Collect(strings.Lines(string(after)))))
}

// unified is the unified difference of two texts with as many lines.
func unified(name string, before, after []string) string {
	const context = 3
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for i := 0; i < len(before); {
		if before[i] == after[i] {
			i++
			continue
		}
		from, to := max(0, i-context), i+1
		for j := i; j < len(before) && j < to+2*context; j++ {
			if before[j] != after[j] {
				to = j + 1
			}
		}
		end := min(len(before), to+context)
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", from+1, end-from, from+1, end-from)
		for j := from; j < end; j++ {
			if before[j] == after[j] {
				b.WriteString(hunkLine(" ", before[j]))
				continue
			}
			k := j
			for k < end && before[k] != after[k] {
				k++
			}
			for _, l := range before[j:k] {
				b.WriteString(hunkLine("-", l))
			}
			for _, l := range after[j:k] {
				b.WriteString(hunkLine("+", l))
			}
			j = k - 1
		}
		i = end
	}
	return b.String()
}

// hunkLine is a line of a difference. It is foreign text: what a terminal would act
// on is escaped, and such a line does not apply.
func hunkLine(mark, line string) string {
	text, whole := strings.CutSuffix(line, "\n")
	text, carriage := strings.CutSuffix(text, "\r")
	out := mark + strings.ReplaceAll(show(strings.ReplaceAll(text, "\t", tabMark)), tabMark, "\t")
	if carriage {
		out += "\r"
	}
	if !whole {
		return out + "\n\\ No newline at end of file\n"
	}
	return out + "\n"
}

// tabMark stands for a tab while the rest of a line is escaped.
const tabMark = "\ue000"
