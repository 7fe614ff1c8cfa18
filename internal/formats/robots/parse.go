package robots

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one file.
type reader struct {
	*parse.Reader
	// base is the URL of the file, or nil if it is unknown.
	base   *url.URL
	groups []*group
	// policies are the policies in the order of the file. Their agents are known at the end of
	// their group.
	policies []draft
	reading  parse.Reading
	agentmap int
}

// group is a group of rules (§2.2).
type group struct {
	agents []string
	lines  []string
	// closed is set if there was a rule, so that the next user agent begins a group.
	closed bool
	// shown is set if the group is for "*" or for an agent that [isShown] accepts.
	shown bool
	// full is set if the group has more than maxAgents agents.
	full bool
}

// maxAgents is the number of user agents of a group that are listed. The longest lists that
// sites copy from each other have about 150.
const maxAgents = 250

// draft is a policy with its group, which is nil outside of groups.
type draft struct {
	wayfind.Policy
	group *group
}

// The kinds of policies.
const (
	kindGroup       = "robots"
	kindDelay       = "crawl_delay"
	kindSignal      = "content_signal"
	kindUsage       = "content_usage"
	kindReservation = "tdm"
)

// wish reports whether a policy is about the use of content, which is listed for any agent.
func (d *draft) wish() bool { return d.Kind == kindSignal || d.Kind == kindUsage }

// maxAgentmaps is the number of files of an Agentmap that are followed: each is a request.
const maxAgentmaps = 10

// parseDocument reads a file. The file is unusable if it has no record.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	if carriesWishes(in.Header) && match(in).Aside {
		return parseFields(in), nil
	}
	if in.HTML() {
		return nil, wayfind.NewError("parse", "", wayfind.CodeHTML, errors.New("the document is a web page"))
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: in.FinalURL}
	r.MediaType(in, parse.Node{}, "§2.3", "text/plain")
	for l := range split(r.text(in.Body)) {
		r.line(l)
	}
	return r.finish(), nil
}

// PoliciesFor returns the policies of the groups that name a product token, in any case and
// for any agent, while a reading lists only groups for "*" and for known agents. It returns
// none for tokens that a reading lists. Text is as it was written, and Sources have only
// lines.
func PoliciesFor(body []byte, token string) []wayfind.Policy {
	if isShown(token) || (&parse.Input{Body: body}).HTML() {
		return nil
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()})}
	for l := range split(r.text(body)) {
		r.line(l)
	}
	var own []wayfind.Policy
	for _, d := range r.policies {
		if d.group == nil || d.group.shown || d.wish() || len(own) == parse.DefaultItems {
			continue
		}
		if slices.ContainsFunc(d.group.agents, func(a string) bool { return strings.EqualFold(a, token) }) {
			own = append(own, d.finished())
		}
	}
	return own
}

func at(line int) []wayfind.Ref { return []wayfind.Ref{{Line: line}} }

// text returns the part of a file that is used, as UTF-8.
func (r *reader) text(body []byte) string {
	whole, dropped := cut(body)
	if dropped {
		r.ReportLine(ruleTruncated.At("§2.5"), 0, "the file is longer than %d bytes; the first %d were read, as far as lines are whole", MaxBytes-1, len(whole))
	}
	text := strings.TrimPrefix(string(whole), "\ufeff")
	if len(text) < len(whole) {
		r.ReportLine(ruleBOM, 1, "a byte order mark stands before the text; it was ignored")
	}
	if !utf8.ValidString(text) {
		r.ReportLine(ruleEncoding, 0, "the file is not UTF-8; other bytes were replaced")
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return text
}

// line reads one line. An invalid line does not affect the next one (§2.3.1.5).
func (r *reader) line(l line) {
	if l.long {
		r.ReportLine(ruleLineTooLong, l.number, "the line is longer than %d bytes; the rest of it was not read", maxLine)
	}
	if l.text == "" {
		return
	}
	is := kindOf(l.text)
	switch {
	case is == none:
		r.ReportLine(ruleSyntax, l.number, "the line %q is no record; it is ignored", l.text)
		return
	case !l.colon:
		r.ReportLine(ruleNoColon, l.number, "a colon is missing behind %q; the line was read as if it were there", l.field)
	}
	if want := is.field(); want != "" && strings.ToLower(l.field) != want {
		r.ReportLine(ruleTypo, l.number, "the field %q was read as %q", l.field, want)
	}
	switch is {
	case userAgent:
		r.userAgent(l)
	case allow, disallow:
		r.rule(l)
	case sitemap:
		r.document("sitemap", l)
	case other:
		r.other(l)
	}
}

// group returns the group of the current line, or nil before the first group.
func (r *reader) group() *group {
	if len(r.groups) == 0 {
		return nil
	}
	return r.groups[len(r.groups)-1]
}

// userAgent begins a group, or adds an agent to a group without rules.
func (r *reader) userAgent(l line) {
	g := r.group()
	if g == nil || g.closed {
		g = &group{}
		r.groups = append(r.groups, g)
		r.policy(wayfind.Policy{Kind: kindGroup, Sources: at(l.number)})
	}
	g.lines = append(g.lines, l.text)
	token := product(l.value)
	switch {
	case token == "":
		r.ReportLine(ruleUserAgent, l.number, "the user agent %q is not a product token; it matches no crawler", l.value)
		return
	case token != l.value:
		r.ReportLine(ruleUserAgent, l.number, "the user agent %q was read as %q", l.value, token)
	case token != "*" && strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "":
		r.ReportLine(ruleUserAgent.AsInfo(), l.number, "the user agent %q holds other characters than letters, dashes and underscores", token)
	}
	g.shown = g.shown || isShown(token)
	if len(g.agents) == maxAgents {
		if !g.full {
			r.ReportLine(ruleTruncated.At("§2.2.1"), l.number, "the first %d user agents of a group are listed", maxAgents)
		}
		g.full = true
		return
	}
	g.agents = append(g.agents, token)
}

// rule reads an allow or disallow line (§2.2.2).
func (r *reader) rule(l line) {
	g := r.group()
	if g == nil {
		r.ReportLine(ruleOrphanRule, l.number, "a rule stands before the first user agent; it is ignored")
		return
	}
	g.closed = true
	g.lines = append(g.lines, l.text)
	switch {
	case strings.ContainsFunc(l.value, isControl):
		r.ReportLine(rulePath, l.number, "the path %q holds a control character", l.value)
	case l.value != "" && l.value[0] != '/' && l.value[0] != '*':
		r.ReportLine(rulePath, l.number, "the path %q does not begin with a slash; it matches nothing", l.value)
	}
}

// policy adds a policy of the open group.
func (r *reader) policy(p wayfind.Policy) {
	r.policies = append(r.policies, draft{p, r.group()})
}

// finish assembles the reading.
func (r *reader) finish() *parse.Reading {
	left := 0
	for _, d := range r.policies {
		switch {
		case !d.wish() && d.group != nil && !d.group.shown:
			if d.Kind == kindGroup {
				left++
			}
			continue
		case len(r.reading.Policies) == parse.DefaultItems:
			r.ReportLine(ruleTruncated.At("§2.2"), d.Sources[0].Line, "the first %d policies are listed", parse.DefaultItems)
		}
		if len(r.reading.Policies) < parse.DefaultItems {
			r.reading.Policies = append(r.reading.Policies, d.finished())
		}
	}
	if left > 0 {
		r.ReportLine(ruleOtherCrawlers, 0, "groups for other crawlers are not listed: %d", left)
	}
	switch {
	case len(r.groups) == 0 && r.policies == nil && r.reading.Documents == nil:
		r.reading.Unusable = "no line is a record of robots.txt"
		r.ReportLine(ruleNoRecord, 0, "no line is a record of robots.txt")
	case len(r.groups) == 0:
		r.ReportLine(ruleNoGroup, 0, "there are no groups: everything is allowed")
	}
	r.reading.Diagnostics = r.Diagnostics()
	return &r.reading
}

// finished returns the policy with the facts of its group.
func (d *draft) finished() wayfind.Policy {
	p := d.Policy
	if d.group == nil {
		return p
	}
	p.Agents = slices.Clone(d.group.agents)
	if p.Kind == kindGroup {
		p.Text = strings.Join(d.group.lines, "\n")
	}
	return p
}
