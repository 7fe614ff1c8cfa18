package agentsmd_test

import "testing"

// A heading underlined with "=" is a level 1 heading like a heading with "#" (CommonMark §4.3),
// and is the name of the site (agents.md §2).
func TestAnUnderlinedTitleNamesTheSite(t *testing.T) {
	for _, title := range []string{"# Example Shop\n", "Example Shop\n============\n"} {
		r := read(t, title+"\n## Can\n\n- Search products\n")
		if name := r.Services[0].Name; name != "Example Shop" {
			t.Errorf("%q gives the name %q", title, name)
		}
	}
}
