package lint

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
	"github.com/wayfindhq/wayfind/parse"
)

// maxMended bounds the readings of a document that is being mended.
const maxMended = 5

// printFix prints the difference that the mechanical edits of a document make, for
// patch(1).
func (l *linter) printFix(ctx context.Context, r *lintReport) {
	t := textpos.New(l.body)
	after := l.mendWhole(ctx, r)
	if after == nil {
		fmt.Fprintf(l.Err, "wayfind: %s: nothing can be mended without a decision; \"wayfind lint\" lists the faults\n", ui.Show(r.Name))
		return
	}
	fmt.Fprint(l.Out, unified(ui.Show(r.Name), t.Lines(), slices.Collect(strings.Lines(string(after)))))
}

// mendWhole returns the text of a document after all edits, or nil if there is none. What a misspelt
// member hid is read once it is mended, and mended too.
func (l *linter) mendWhole(ctx context.Context, r *lintReport) (after []byte) {
	body := l.body
	defer func() { l.body = body }()
	o := l.file
	if document.HasScheme(r.Name, "https") {
		o.URL = r.Name
	}
	for range maxMended {
		next := applied(l.body, mends(&mended{textpos.New(l.body), l.host(r.Name)}, r.Diagnostics))
		if _, err := (&parse.Input{Body: next}).JSON(); err != nil || bytes.Equal(next, l.body) {
			return after
		}
		l.body, after = next, next
		result, err := document.Parse(ctx, r.Name, next, o)
		if err != nil {
			return after
		}
		r = l.report(r.Name, result)
	}
	return after
}

// applied is a text with its edits, which are in order.
func applied(body []byte, edits []edit) (after []byte) {
	last := 0
	for _, e := range edits {
		after = append(append(after, body[last:e.at]...), e.text...)
		last = e.end
	}
	return append(after, body[last:]...)
}

// host is that of the document: of its URL, or of the one that a file is for.
func (l *linter) host(name string) string {
	if !document.HasScheme(name, "https") {
		name = l.file.URL
	}
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	return strings.ToLower(u.Host)
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

// hunkLine returns a line of a difference. The line is foreign text, so control characters are
// escaped, except tabs and line ends. A patch with an escaped line does not apply.
func hunkLine(mark, line string) string {
	text, whole := strings.CutSuffix(line, "\n")
	text, carriage := strings.CutSuffix(text, "\r")
	out := mark + strings.ReplaceAll(ui.Show(strings.ReplaceAll(text, "\t", tabMark)), tabMark, "\t")
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
