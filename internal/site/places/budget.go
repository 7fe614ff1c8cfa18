package places

// Budget shares the URLs that one call may request. Places of formats, and pages that help to
// judge answers, come first. Links share the rest, in their order.
type Budget struct {
	// Left is the number of URLs that may still be requested.
	Left int
	// Kept is the number of these URLs that are reserved for places that are requested later in
	// any case.
	Kept int
}

// Take divides the candidates that are ready into those that are requested now, those that
// wait, and those that are never requested. A candidate waits if places that are not ready yet
// (in waiting) may need the rest of the budget.
func (b *Budget) Take(ready, waiting []*Candidate) (now, wait, never []*Candidate) {
	reserved := 0
	for i := range waiting {
		if waiting[i].From == "" {
			reserved++
		}
	}
	now = make([]*Candidate, 0, len(ready))
	var links []*Candidate
	for _, c := range ready {
		switch {
		case c.From != "":
			links = append(links, c)
		case b.Left > 0:
			b.Left--
			now = append(now, c)
		default:
			never = append(never, c)
		}
	}
	if len(now) == 0 {
		reserved = 0 // there is no current request that could make a place ready
	}
	n := min(len(links), max(0, b.Left-b.Kept-reserved))
	now, links = append(now, links[:n]...), links[n:]
	b.Left -= n
	n = min(len(links), max(0, b.Left-b.Kept))
	return now, links[:n:n], append(never, links[n:]...)
}
