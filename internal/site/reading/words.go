package reading

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Words cleans the texts of a part of an answer that no format reads, for example a hit of a
// registry. The zero value is ready.
type Words struct {
	removed text.Removed
	suspect suspicions
}

// Text cleans one text of one line. field is its name.
func (w *Words) Text(words, field string) string {
	clean, removed := text.Clean(words, false, 0)
	clean, _ = secret.Redact("", clean) // it is reported for the document
	clean, cut := text.Clean(clean, false, maxLine)
	removed.Add(cut)
	w.removed.Add(removed)
	w.suspect.look(clean, field)
	return clean
}

// Suspicious returns the classes of passages that address a model, sorted.
func (w *Words) Suspicious() []string { return w.suspect.classes() }

// Diagnostics returns diagnostics about removed characters and about texts that address a model.
func (w *Words) Diagnostics() []wayfind.Diagnostic {
	var diags []wayfind.Diagnostic
	if w.removed.Any() {
		diags = append(diags, ruleOfRemoved(w.removed).Diagnostic("", "text was cleaned (%s)", w.removed))
	}
	return append(diags, w.suspect.diagnostics()...)
}
