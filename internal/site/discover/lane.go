package discover

import (
	"net/url"

	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// lane returns the lane of the next URL. It is gate.Led if any link or redirect on the way was on
// another site than the site of the call.
func (t *candidateFetch) lane() gate.Lane {
	own := t.Session.own(t.walk.URL) && !t.walk.CrossSite && !t.candidate.Led
	switch {
	case !own:
		return gate.Led
	case isPlace(t.candidate) && len(t.walk.Chain) == 0:
		return gate.Place
	}
	return gate.Own
}

// isPlace reports whether neither a document nor the caller chose a candidate's URL.
func isPlace(c *places.Candidate) bool {
	return c.Robots || c.Depth == 0 && !c.Page && !c.Live && !c.Detail && !c.Canary
}

// own reports whether a URL belongs to the site that the call is about and no other site led the
// call there.
func (s *Session) own(u *url.URL) bool {
	return !s.Led && (s.home == u.Hostname() || s.Engine.SameSite(s.home, u.Hostname()))
}

// Lane implements live.Call.
func (s *Session) Lane(u *url.URL) gate.Lane {
	if s.own(u) {
		return gate.Own
	}
	return gate.Led
}

// lane returns the lane of a request. Without a session, the caller named the origin, and a pause
// after one answer applies to the whole origin, whatever the path.
func (p *OneOrigin) lane(u *url.URL) gate.Lane {
	switch {
	case p.Led:
		return gate.Led
	case p.Agreed || p.session == nil:
		return gate.Place
	}
	return p.session.Lane(u)
}
