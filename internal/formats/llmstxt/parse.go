package llmstxt

import (
	"errors"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one file.
type reader struct {
	*parse.Reader
	// base is the URL of the file, or nil if it is unknown.
	base *url.URL
	// refs are the targets of the reference links of the file.
	refs    references
	reading parse.Reading
	service wayfind.Service
	// listed has the URLs of the documents. again is the number of duplicates, more the number of
	// documents beyond the limit, and hints the number of
	// links to other descriptions.
	listed             map[string]bool
	again, more, hints int
	// kept is text that the model has no field for, left the number of bytes that may still be
	// kept, dropped the number of texts without room, and cut the line of the first one.
	kept               []parse.Raw
	left, dropped, cut int
	// repeated has the texts about documents that are already listed.
	repeated []parse.Raw
	// heading and optional describe the current section.
	heading  string
	optional bool
	// opens is true in a section about APIs, and open are its links to documents that may be of any format.
	opens bool
	open  []parse.Link
}

// maxKept is the length of the text that is kept in addition to the links, in bytes. An index
// has less text, and a copy of a site should not go into a model.
const maxKept = 32 << 10

// parseDocument reads a file. The file is unusable if it has neither a title nor a link.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	text, err := in.Markdown()
	if err != nil {
		return nil, err
	}
	if in.HTML() {
		return nil, wayfind.NewError("parse", "", wayfind.CodeHTML, errors.New("the document is a web page"))
	}
	r := &reader{Reader: newReporter(), base: in.FinalURL, listed: make(map[string]bool), left: maxKept}
	r.MarkdownFindings(text)
	sections := text.Sections()
	r.refs = referencesOf(sections)
	title := r.title(sections)
	if written, ok := text.FrontText(); ok {
		r.ReportLine(ruleFrontMatter, 1, "front matter stands before the text; it was not read")
		r.keep("", 0, 1, written)
	}
	for i, s := range sections {
		blocks := s.Blocks
		if i == title {
			blocks = r.summary(s)
		}
		r.section(s, blocks, i == title)
	}
	r.unused()
	return r.finish(), nil
}

func newReporter() *parse.Reader { return parse.NewReader(&parse.Format{Name: name, Spec: spec()}) }

func at(line int) []wayfind.Ref { return []wayfind.Ref{{Line: line}} }

// title reads the first heading of level 1, the only part that a file must have, and returns
// its index, or -1 if there is none.
func (r *reader) title(sections []parse.Section) int {
	found := -1
	for i, s := range sections {
		switch {
		case s.Level != 1:
		case found >= 0:
			r.ReportLine(ruleSecondTitle, s.Line, "a second heading of level 1: %q; it was read as a section", s.Title)
		default:
			found = i
			r.service.Name = plainText(s.Title)
			r.service.Sources = at(s.Line)
		}
	}
	switch {
	case found < 0:
		r.ReportLine(ruleNoTitle, 0, "no heading of level 1 names the site")
	case r.service.Name == "":
		r.ReportLine(ruleNoTitle, sections[found].Line, "the heading of level 1 is empty")
	case found > 0 && len(sections[0].Blocks) > 0:
		r.ReportLine(ruleLateTitle, sections[found].Line, "the title does not stand first")
	}
	return found
}

// summary reads the first block below the title: the quote or, if there is none, the first
// paragraph. It returns the blocks after it.
func (r *reader) summary(s parse.Section) []parse.Block {
	quotes := 0
	var lines []string
	for _, b := range s.Blocks {
		if !isQuote(b) {
			break
		}
		if quotes > 0 {
			lines = append(lines, "")
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			lines = append(lines, strings.TrimSpace(strings.TrimLeft(line, "> ")))
		}
		quotes++
	}
	r.service.Description = strings.TrimSpace(strings.Join(lines, "\n"))
	switch {
	case quotes > 0:
		return s.Blocks[quotes:]
	case len(s.Blocks) > 0 && s.Blocks[0].Kind == parse.BlockParagraph:
		r.ReportLine(ruleNoSummary, s.Line, "no quote below the title says what the site is about; the first paragraph was taken")
		r.service.Description = s.Blocks[0].Text
	default:
		r.ReportLine(ruleNoSummary, s.Line, "no quote below the title says what the site is about")
	}
	return s.Blocks
}

// section reads the links of a section, and keeps its text if it contains more than links.
func (r *reader) section(s parse.Section, blocks []parse.Block, titled bool) {
	switch {
	case titled || s.Level == 0:
		r.heading, r.optional = "", false
	case s.Level <= 2:
		r.heading, r.optional = plainText(s.Title), s.Level == 2 && s.Title == "Optional"
	default:
		r.heading = plainText(s.Title)
	}
	r.opens = namesAPIs(r.heading)
	prose, documents := false, len(r.reading.Documents)
	for _, b := range blocks {
		if b.Kind == parse.BlockCode || b.Kind == parse.BlockHTML {
			prose = true
			continue
		}
		b.Text = r.refs.withoutDefinitions(b.Text)
		if strings.TrimSpace(b.Text) != "" && !r.block(b) {
			prose = true
		}
	}
	title := s.Title
	if titled || len(r.reading.Documents) > documents {
		title = "" // it is the name of the service, or the section of documents
	}
	switch {
	case prose:
		if s.Level >= 2 {
			r.ReportLine(ruleProse, s.Line, "the section %q holds more than a list of links", s.Title)
		}
		r.keep(title, s.Level, s.Line, s.Text)
	case title != "": // a heading above others
		r.keep(title, s.Level, s.Line, "")
	}
}

// keep keeps a heading and a text that the model has no field for, as long as there is room.
func (r *reader) keep(title string, level, line int, text string) {
	if !r.fits(len(title)+len(text), line) {
		return
	}
	members := []rawjson.Member{{Name: "level", Value: rawjson.QuoteInt(int64(level))}, {Name: "line", Value: rawjson.QuoteInt(int64(line))}}
	if title != "" {
		members = append([]rawjson.Member{{Name: "title", Value: rawjson.Quote(title)}}, members...)
	}
	if text != "" {
		members = append(members, rawjson.Member{Name: "text", Value: rawjson.Quote(text)})
	}
	r.kept = append(r.kept, rawjson.Obj(members...))
}

// fits takes the room for a text, or counts the text as dropped.
func (r *reader) fits(size, line int) bool {
	if size <= r.left {
		r.left -= size
		return true
	}
	if r.dropped++; r.dropped == 1 {
		r.cut = line
	}
	return false
}

// whole returns the diagnostics about the file as a whole. It has its own Reader, because
// there may be hundreds of notes on sections.
func (r *reader) whole() []wayfind.Diagnostic {
	w := &reader{Reader: newReporter()}
	if r.again > 0 {
		w.ReportLine(ruleDuplicateLink, 0, "links that are listed already: %d", r.again)
	}
	if r.more > 0 {
		w.ReportLine(ruleTruncated.Beyond("links", parse.DefaultItems+r.more, parse.DefaultItems), 0, "the first %d links are listed, %d more are not", parse.DefaultItems, r.more)
	}
	if r.hints > maxHints {
		w.ReportLine(ruleMoreHints.Beyond("links to other descriptions", r.hints, maxHints), 0, "of %d links to other descriptions the first %d are followed", r.hints, maxHints)
	}
	if r.dropped > 0 {
		w.ReportLine(ruleProseCut, 0, "of the text beside links %d bytes are kept; sections without their text, from line %d on: %d", maxKept, r.cut, r.dropped)
	}
	return w.Diagnostics()
}

// finish assembles the reading.
func (r *reader) finish() *parse.Reading {
	r.follow()
	for name, list := range map[string][]parse.Raw{"sections": r.kept, "repeatedLinks": r.repeated} {
		if list != nil {
			parse.Keep(&r.service.Extensions, name, rawjson.Arr(list...))
		}
	}
	if r.service.Name == "" && r.service.Description == "" && r.reading.Documents == nil {
		r.reading.Unusable = "there is neither a title nor a link"
		r.ReportLine(ruleNothingSaid, 0, "there is neither a title nor a link")
	}
	r.reading.Authority = wayfind.AuthorityProse
	r.reading.Services = []wayfind.Service{r.service}
	r.reading.Diagnostics = append(r.Diagnostics(), r.whole()...)
	return &r.reading
}

// plainText returns a title on one line, without the marks around it.
func plainText(text string) string {
	return strings.Join(strings.Fields(strings.Trim(text, "*_` ")), " ")
}
