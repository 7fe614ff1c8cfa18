package merge

import (
	"maps"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// addBeside adds the readings of things beside documents. Servers send the same fields with every
// answer, so a document that is named at two places is listed once. A wish in two answers is listed
// once, with the paths of both.
func (m *merger) addBeside(outcomes []*Outcome) {
	type document struct{ rel, url string }
	var known map[document]bool
	wishes := len(m.site.Policies)
	for _, o := range outcomes {
		for _, r := range o.Beside {
			if known == nil {
				known = make(map[document]bool, len(m.site.Documents))
				for _, d := range m.site.Documents {
					known[document{d.Rel, d.URL}] = true
				}
			}
			m.work.Add(1 + len(r.Documents) + len(r.Policies))
			news := false
			for _, d := range m.tell(r.Documents) {
				if is := (document{d.Rel, d.URL}); !known[is] {
					known[is], news = true, true
					m.site.Documents = append(m.site.Documents, d)
				}
			}
			for _, p := range r.Policies {
				news = m.addWish(wishes, p) || news
			}
			if news {
				m.site.Sources = append(m.site.Sources, r.Source)
			}
		}
	}
}

// addWish adds a policy to the policies from index first on, or adds its paths to an equal one
// there.
func (m *merger) addWish(first int, p wayfind.Policy) (news bool) {
	for i := first; i < len(m.site.Policies); i++ {
		have := &m.site.Policies[i]
		m.work.Text(len(p.Text))
		if have.Kind != p.Kind || have.Text != p.Text || !maps.Equal(have.Values, p.Values) || !slices.Equal(have.Agents, p.Agents) {
			continue
		}
		if len(have.Paths) == 0 || len(p.Paths) == 0 { // the policy is about the whole site
			have.Paths = nil
			return false
		}
		m.work.Add(len(have.Paths))
		more := slices.DeleteFunc(slices.Clone(p.Paths), func(path string) bool { return slices.Contains(have.Paths, path) })
		have.Paths, have.Sources = slices.Concat(have.Paths, more), slices.Concat(have.Sources, p.Sources)
		return len(more) > 0
	}
	m.site.Policies = append(m.site.Policies, p)
	return true
}
