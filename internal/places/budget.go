package places

// Budget shares the URLs that one call may ask. Places of formats and pages
// that serve to judge answers come first. Links share the rest, in their order.
type Budget struct {
	// Left is the number of URLs that may still be asked.
	Left int
	// Kept is how many of them are for places that are asked later, whatever these
	// answer.
	Kept int
}

// Take decides which of the candidates that are ready are asked now, and which
// are not asked at all. The others wait, because places that are not ready yet
// (among waiting) may need the rest of the budget.
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
		reserved = 0 // no request is under way that could make a place ready
	}
	n := min(len(links), max(0, b.Left-b.Kept-reserved))
	now, links = append(now, links[:n]...), links[n:]
	b.Left -= n
	n = min(len(links), max(0, b.Left-b.Kept))
	return now, links[:n:n], append(never, links[n:]...)
}
