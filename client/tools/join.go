package tools

import "cmp"

// Join returns a Box with the tools of both Boxes: for example of a list that was loaded in
// parts. Every tool of b keeps its name, and so does a tool of other whose name is not used. If
// both Boxes have a tool, the tool of b is used. An entry of Skipped is omitted if the other
// Box has the tool, or has tools of the domain. Nil opts use the defaults.
//
// The error is the error of [Names].
func (b *Box) Join(other *Box, opts *NameOptions) (*Box, error) {
	b.must()
	other.must()
	opts = cmp.Or(opts, &NameOptions{})
	l := newLoader(nil, &Options{MaxName: opts.Max, Sites: opts.Sites}, newBudget())
	l.box.given = joinedNames(b.table().subjects(), other.table().subjects(), opts.Given)
	origins := make(map[string]bool)
	for _, box := range []*Box{b, other} {
		l.took(box)
		for _, t := range box.tools {
			origins[t.Origin] = true
			if !l.seen[t.subject()] {
				l.admit(t)
			}
		}
	}
	l.joinSkipped(origins, b.skipped, other.skipped)
	if err := l.name(nil); err != nil {
		return nil, err
	}
	l.box.order(nil)
	return l.box, nil
}

// joinedNames joins several tables of names. If several tables have a name, or a name for a
// subject, the first table is used.
func joinedNames(tables ...map[string]string) map[string]string {
	all, named := make(map[string]string), make(map[string]bool)
	for _, table := range tables {
		var own []string
		for name, id := range table {
			if _, taken := all[name]; !taken && !named[id] {
				all[name] = id
				own = append(own, id)
			}
		}
		for _, id := range own {
			named[id] = true
		}
	}
	return all
}

// joinSkipped adds the entries of several Boxes, each once, unless there is a tool for them.
func (l *loader) joinSkipped(origins map[string]bool, lists ...[]Skipped) {
	type entry struct{ domain, key, url, code string }
	known := make(map[entry]bool)
	for _, list := range lists {
		for _, s := range list {
			id := entry{s.Domain, s.Key, s.URL, s.Code}
			origin := "https://" + s.Domain
			if known[id] || l.seen[NameKey(origin, s.Key)] || s.Whole() && origins[origin] {
				continue
			}
			known[id] = true
			l.skip(s)
		}
	}
}
