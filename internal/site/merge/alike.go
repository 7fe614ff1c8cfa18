package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxAlike bounds the reports of names that look alike in one Site.
const maxAlike = 16

// alike reports names of a Site that can be mistaken for each other, and IDs with invisible blanks,
// so that a user who approves or pins one thing does not get another.
func (m *merger) alike() {
	var ids, names []string
	for i := range m.site.Services {
		s := &m.site.Services[i]
		ids, names = append(ids, s.ID), append(names, s.Name)
		for j := range s.Capabilities {
			c := &s.Capabilities[j]
			ids, names = append(ids, c.ID), append(names, c.Name)
		}
	}
	for _, name := range slices.Concat(ids, names) {
		m.work.Text(len(name))
	}
	told := 0
	tell := func(message string) {
		if told++; told <= maxAlike {
			m.site.Diagnostics = append(m.site.Diagnostics, ruleConfusable.Diagnostic("", "%s", message))
		}
	}
	for _, id := range ids {
		if text.HasHiddenBlank(id) {
			tell(fmt.Sprintf("the ID %+.80q has invisible blanks", id))
		}
	}
	for _, group := range text.Alike(ids) {
		tell("the IDs " + quoted(group) + " look alike and are different")
	}
	for _, group := range text.Alike(names) {
		tell("the names " + quoted(group) + " look alike and are different")
	}
}

// quoted returns the first few of names, quoted.
func quoted(names []string) string {
	const most = 4
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, fmt.Sprintf("%+.80q", name))
	}
	if len(names) > most {
		list = append(list, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}
