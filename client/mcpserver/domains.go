package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

const (
	// restTimes is the smallest ratio of the pause after a reading of a domain to the duration of
	// the reading.
	restTimes = 20
	// joinRest is the ratio of the pause after joining the tools of all domains to the duration of
	// that work.
	joinRest = 3
)

// domain is a domain behind the server. It is read by itself, so that no other domain
// waits for it. The mutex of the server guards its fields.
type domain struct {
	name  string
	first bool          // it is a domain from the start
	part  *tools.Box    // the tools of the last reading or of the store; nil before
	live  bool          // part is from a reading
	read  bool          // a reading has ended since the last request for one
	shown bool          // the Box of the server has that reading
	known bool          // the Box of the server has the tools of some reading, or of the store
	again chan struct{} // holds a request for a reading
	told  chan struct{} // has an element if a server has said that its lists have changed
	stale []string      // the endpoints whose lists have changed since the last reading

	heard map[string]*upstream // the servers that are listened to, by their services; only follow uses it
}

// add adds a domain, or requests another reading of a domain that exists. It returns nil if there
// is no room for the domain, or if the server is closed.
func (s *Server) add(name string, first bool) *domain {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.domains, func(d *domain) bool { return d.name == name }); i >= 0 {
		d := s.domains[i]
		if d.shown {
			d.read, d.shown = false, false
			select {
			case d.again <- struct{}{}:
			default: // one is requested already
			}
		}
		return d
	}
	if len(s.domains) >= maxDomains || s.ctx.Err() != nil {
		return nil
	}
	d := &domain{name: name, first: first, again: make(chan struct{}, 1), told: make(chan struct{}, 1), heard: make(map[string]*upstream)}
	s.domains = append(s.domains, d)
	s.work.Go(func() { s.follow(d) })
	return d
}

// follow reads a domain, and reads it again whenever one of its sources is stale, a reading is
// requested, or one of its servers says that its lists have changed.
func (s *Server) follow(d *domain) {
	if stored := s.surface.opts.Stored; stored != nil {
		if part, err := tools.Load(s.ctx, stored, []string{d.name}, s.choosing()); err == nil && part.Len() > 0 {
			s.took(d, part, false)
		}
	}
	for {
		select {
		case s.turns <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		s.forget(d)
		began := time.Now()
		part, err := tools.Load(s.ctx, s.client, []string{d.name}, s.choosing())
		took := time.Since(began)
		<-s.turns
		if s.ctx.Err() != nil {
			return
		}
		if err != nil { // the Client is closed, or Options are invalid, which New checks
			s.surface.opts.Logger.Warn("the domain could not be read", "domain", d.label(), "err", err)
			return
		}
		s.took(d, part, true)
		s.listen(d, part)
		s.rest(d, max(pauseAfter(part), restTimes*took), max(leastPause, restTimes*took))
	}
}

// isAsked reports whether a domain was asked for its tools, whatever it answered.
func isAsked(part *tools.Box) bool {
	return !slices.ContainsFunc(part.Skipped(), func(s tools.Skipped) bool { return s.Whole() && !s.Asked })
}

// isWhole reports whether nothing that could have tools was silent: no document and no server. A refusal of
// ours is an answer.
func isWhole(part *tools.Box) bool {
	return !slices.ContainsFunc(part.Skipped(), func(s tools.Skipped) bool { return !s.Asked && !errors.Is(s.Err, wayfind.ErrRefused) })
}

// pauseAfter returns the time for which a reading is valid.
func pauseAfter(part *tools.Box) time.Duration {
	if part == nil || part.FreshUntil().IsZero() {
		return mostPause
	}
	return min(max(time.Until(part.FreshUntil()), leastPause), mostPause)
}

// naming returns the rules for names. Names contain the domain unless a person has chosen them, so
// that the name of an allowed tool never refers to another site.
func naming() *tools.NameOptions { return &tools.NameOptions{Max: tools.MaxPrefixed, Sites: true} }

// choosing returns the rules for the tools of one domain.
func (s *Server) choosing() *tools.Options {
	o, names := &s.surface.opts, naming()
	return &tools.Options{MaxName: names.Max, Sites: names.Sites, Only: o.Only, Except: o.Except, OperationNames: o.OperationNames}
}

// took stores the tools of a domain. If the domain could not be asked, it keeps its tools.
func (s *Server) took(d *domain, part *tools.Box, read bool) {
	asked := isAsked(part)
	if light, err := part.Join(&tools.Box{}, naming()); err == nil {
		part = light // without the Site, which is large
	}
	s.mu.Lock()
	if d.part == nil || asked {
		d.part, d.live = part, read
	}
	d.read = read
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default: // the next Box has it
	}
}

// publish joins the tools of all domains whenever a domain was read.
func (s *Server) publish() {
	for {
		select {
		case <-s.news:
		case <-s.ctx.Done():
			return
		}
		began := time.Now()
		s.join()
		timer := time.NewTimer(joinRest * time.Since(began))
		select {
		case <-timer.C:
		case <-s.ctx.Done():
		}
		timer.Stop()
	}
}

// label returns the name without the secrets of a URL, for texts and logs.
func (d *domain) label() string { return secret.Message{}.URL(d.name) }

// join makes a Box of the tools of all domains, which becomes the current Box of the server. It
// keeps the names of earlier Boxes, so that no tool gets the former name of another.
func (s *Server) join() {
	s.mu.Lock()
	domains, names := slices.Clone(s.domains), s.names
	var read, known []*domain
	var live []string // targets
	var parts, first []*tools.Box
	missing, whole := false, true // whether nothing is known of a first domain; whether all were read
	for _, d := range domains {
		if d.first {
			missing = missing || d.part == nil || !isWhole(d.part)
			whole = whole && d.live && isWhole(d.part)
		}
		if d.read {
			read = append(read, d)
		}
		if d.part != nil {
			parts, known = append(parts, d.part), append(known, d)
			if d.first {
				first = append(first, d.part)
			}
			if d.live {
				live = append(live, targetsOf(d.name)...)
			}
		}
	}
	s.mu.Unlock()
	if missing && len(s.surface.opts.Domains) > 1 {
		first = nil // a tool of the domain that is missing may have the name of another
	}
	box, old, err := s.boxOf(parts, first, names)
	if err != nil {
		s.surface.opts.Logger.Warn("the tools have no names", "err", err)
	} else {
		s.surface.grants.bind(box, old, live, whole)
		s.take(box, old)
	}
	s.mu.Lock()
	for _, d := range read {
		d.shown = d.read
	}
	for _, d := range known {
		d.known = true
	}
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if len(read) == len(domains) {
		s.warn(parts)
	}
	if whole {
		s.tellAllowed()
	}
}

// boxOf joins the tools of domains, with the names of a table. The tools of first have plain names
// where these are unique.
func (s *Server) boxOf(parts, first []*tools.Box, names []byte) (box *tools.Box, old saved, err error) {
	if len(first) > 0 {
		if names, old, err = withPlain(names, first, s.surface.opts.OperationNames); err != nil {
			return nil, nil, err
		}
	}
	if box, err = tools.Load(s.ctx, s.client, nil, &tools.Options{Names: names}); err != nil || len(parts) == 0 {
		return box, old, err
	}
	all, err := joined(parts)
	if err != nil {
		return nil, nil, err
	}
	box, err = box.Join(all, naming())
	return box, old, err
}

// joined returns one Box of many. It joins them in pairs, so that a tool is renamed only as often
// as the binary logarithm of the number of Boxes.
func joined(parts []*tools.Box) (*tools.Box, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	left, err := joined(parts[:len(parts)/2])
	if err != nil {
		return nil, err
	}
	right, err := joined(parts[len(parts)/2:])
	if err != nil {
		return nil, err
	}
	return left.Join(right, naming())
}

// warn logs each choice of [Options] that matches nothing in any domain.
func (s *Server) warn(parts []*tools.Box) {
	missed := make(map[string]int)
	for _, part := range parts {
		for _, skipped := range part.Skipped() {
			if skipped.Code == tools.CodeUnmatched && skipped.Asked {
				missed[skipped.Key]++
			}
		}
	}
	for key, n := range missed {
		if n == len(parts) {
			s.surface.opts.Logger.Warn("nothing matches " + key)
		}
	}
}

// await waits until a condition is met, or ctx or the server ends. It checks the condition again
// for each new Box.
func (s *Server) await(ctx context.Context, met func() bool) {
	for {
		s.mu.Lock()
		changed, is := s.changed, met()
		s.mu.Unlock()
		if is {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// unread returns the domains of which nothing is known yet. The caller holds the mutex.
func (s *Server) unread() (list []*domain) {
	for _, d := range s.domains {
		if !d.shown && !d.known {
			list = append(list, d)
		}
	}
	return list
}

// awaitTool waits until the Box has the tool with a name, or the domains that could have it are
// read. It waits for no other domain.
func (s *Server) awaitTool(ctx context.Context, name string) {
	s.await(ctx, func() bool {
		if _, err := s.Box().Tool(s.saved.Load().plain(name)); err == nil {
			return true
		}
		return !slices.ContainsFunc(s.owners(name), func(d *domain) bool { return !d.shown })
	})
}

// owners returns the domains that could have the tool with a name: those that the beginning of the
// name matches, or all domains if none does. The caller holds the mutex.
func (s *Server) owners(name string) []*domain {
	site, _, ok := strings.Cut(name, separator)
	if site = letters(site); !ok || site == "" {
		return s.domains
	}
	list := slices.DeleteFunc(slices.Clone(s.domains), func(d *domain) bool { return !strings.Contains(letters(d.label()), site) })
	if len(list) == 0 {
		return s.domains
	}
	return list
}

// letters returns the letters and digits of a name in lower case. The names of tools have no other
// characters of a domain.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// awaitAll waits at most firstWait until something is known of all domains.
func (s *Server) awaitAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	s.await(ctx, func() bool { return len(s.unread()) == 0 })
}

// missing returns a text for a model that names the domains whose tools are not among those of an
// answer. It is "" if none is missing.
func (s *Server) missing() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var late []string
	for _, d := range s.unread() {
		late = append(late, d.label())
	}
	if len(late) == 0 {
		return ""
	}
	slices.Sort(late)
	more := ""
	if n := len(late) - maxNamed; n > 0 {
		late, more = late[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return "Not read yet: " + strings.Join(late, ", ") + more + ". Search again later for their tools."
}

// maxNamed is the largest number of domains that an answer names.
const maxNamed = 10
