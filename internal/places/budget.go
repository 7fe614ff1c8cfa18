package places

// Budget shares what may be asked in one call. Places of formats come first, and
// what serves to judge answers; links share what is left, in the order in which
// they are given.
type Budget struct {
	// Left is how many URLs may still be asked.
	Left int
	// Kept is how many of them are for places that are asked later, whatever these
	// answer.
	Kept int
}

// Take says which of the candidates that are ready are asked now, and which are
// not asked at all. The others wait: what is left may be needed by places that are
// not ready yet, which are among waiting.
func (b *Budget) Take(ready, waiting []Candidate) (now, wait, never []Candidate) {
	reserved := 0
	for i := range waiting {
		if waiting[i].From == "" {
			reserved++
		}
	}
	now = ready[:0:0]
	var links []Candidate
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
		reserved = 0 // nothing is asked that could make a place ready
	}
	n := min(len(links), max(0, b.Left-b.Kept-reserved))
	now, links = append(now, links[:n]...), links[n:]
	b.Left -= n
	n = min(len(links), max(0, b.Left-b.Kept))
	return now, links[:n:n], append(never, links[n:]...)
}
