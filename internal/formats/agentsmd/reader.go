package agentsmd

import (
	"errors"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	*parse.Reader
	in      *parse.Input
	text    *parse.Markdown
	front   parse.YAML
	outline outline
	reading parse.Reading
	service wayfind.Service
	// kept contains the sections that the model has no place for.
	kept []parse.Raw
}

// at returns the source of a fact. The client adds the URL.
func (r *reader) at(line int) []wayfind.Ref { return []wayfind.Ref{{Line: line}} }

func (r *reader) policy(p wayfind.Policy) { r.reading.Policies = append(r.reading.Policies, p) }

// extend keeps sections as written.
func (r *reader) extend(sections ...parse.Section) {
	for _, s := range sections {
		r.kept = append(r.kept, rawjson.Obj(
			rawjson.Member{Name: "title", Value: rawjson.Quote(s.Title)},
			rawjson.Member{Name: "level", Value: rawjson.QuoteInt(int64(s.Level))},
			rawjson.Member{Name: "line", Value: rawjson.QuoteInt(int64(s.Line))},
			rawjson.Member{Name: "text", Value: rawjson.Quote(s.Text)},
		))
	}
}

// parseDocument reads a document. All sections are optional (§3): it is unusable if it has no
// identity, no contact, no capability, no policy and no MCP gateway.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	text, err := in.Markdown()
	if err != nil {
		return nil, err
	}
	if in.HTML() {
		return nil, wayfind.NewError("parse", "", wayfind.CodeHTML, errors.New("the document is a web page"))
	}
	if !text.Whole() { // the missing part may contain restrictions
		return nil, wayfind.NewError("parse", "", wayfind.CodeLimit, &wayfind.TooLarge{Of: "bytes of Markdown", Size: int64(len(in.Body)), Limit: parse.DefaultBytes})
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, text: text, outline: outlineOf(text.Sections())}
	if err := r.frontMatter(); err != nil {
		return nil, err
	}
	r.MediaType(in, parse.Node{}, "§1", "text/markdown", "text/plain")
	r.MarkdownFindings(text)
	r.identity()
	r.headings()
	r.cans(r.cannots())
	r.behaviours()
	r.contacts()
	r.gateways()
	return r.finish(), nil
}

// finish puts the parts of the reading together.
func (r *reader) finish() *parse.Reading {
	if r.kept != nil {
		parse.Keep(&r.service.Extensions, "sections", rawjson.Arr(r.kept...))
	}
	if r.service.Capabilities == nil && r.service.Interfaces == nil && r.reading.Policies == nil {
		rule := ruleNothingSaid.AsWarning()
		if r.service.Name == "" && r.service.Contact == nil {
			rule, r.reading.Unusable = ruleNothingSaid, "no section says what agents can or cannot do"
		}
		r.ReportLine(rule, 0, "no section says what agents can or cannot do, and there is no MCP gateway")
	}
	r.reading.Authority = wayfind.AuthorityProse
	r.reading.Services = []wayfind.Service{r.service}
	r.reading.Diagnostics = r.Diagnostics()
	return &r.reading
}

// frontMatter reads the version from the front matter, and keeps the members that the
// protocol does not define (App. B). Front matter with refused syntax is an error. If
// it is merely not YAML, the rest of the document is still read.
func (r *reader) frontMatter() error {
	front, err := r.text.FrontMatter()
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		if e.Code != wayfind.CodeYAMLSyntax {
			return err
		}
		if line, reason := parse.SyntaxCause(err); line > 0 {
			r.ReportLine(ruleFrontMatter, line, "the front matter is no YAML: %q; it was not read", reason)
		}
		return nil
	}
	r.front = front
	known := []string{"version", "mcp"}
	if r.isFlat() {
		known = append(known, gatewayKeys()...)
	}
	if more, _ := r.UnknownKeys(front, nil, known...); more != nil {
		var members []rawjson.Member
		for key := range front.Members() {
			members = append(members, rawjson.Member{Name: key, Value: more[key]})
		}
		parse.Keep(&r.service.Extensions, "frontMatter", rawjson.Obj(members...))
	}
	r.version()
	return nil
}

// maxVersion bounds a version, in bytes.
const maxVersion = 32

// version reads the version of the specification. All versions are read by the rules
// of 1.x (§8).
func (r *reader) version() {
	n := r.front.Get("version")
	text, ok := n.Str()
	switch {
	case !n.Exists():
		return
	case !ok:
		r.ReportLine(ruleWrongType.At("App. B"), n.Line(), "version is %v where a string belongs; it is ignored", n.Kind())
		return
	case text == "" || len(text) > maxVersion || strings.Trim(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-_") != "":
		r.ReportLine(ruleVersion, n.Line(), "version %q is none; it is ignored", text)
		return
	}
	r.reading.Version = text
	if _, err := strconv.ParseFloat(text, 64); err == nil && !n.Quoted() {
		r.ReportLine(ruleWrongType.At("App. B").AsWarning(), n.Line(), "version is a number where a string belongs; it was read as %q", text)
	}
	if text != "1" && !strings.HasPrefix(text, "1.") {
		r.ReportLine(ruleVersion.AsWarning(), n.Line(), "version is %q; the document was read as 1.x", text)
	}
}

// identity reads the first heading of level 1 and the paragraph below it (§3).
func (r *reader) identity() {
	title := r.outline.title
	if title == nil {
		r.ReportLine(ruleIdentity, 0, "no heading of level 1 names the site")
		return
	}
	r.service.Name = strings.Trim(title.Title, "*_` ")
	r.service.Sources = r.at(title.Line)
	if len(title.Blocks) == 0 {
		return
	}
	if first := title.Blocks[0]; first.Kind == parse.BlockParagraph {
		r.service.Description = unquoted(first.Text)
		if len(title.Blocks) == 1 {
			return
		}
	}
	r.extend(*title)
}

// unquoted removes the marks of a quote.
func unquoted(text string) string {
	if !strings.HasPrefix(text, ">") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(strings.TrimLeft(l, "> "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// headings reports misleading headings, and keeps the text below headings that the
// protocol does not define.
func (r *reader) headings() {
	r.extend(r.outline.loose...)
	for _, s := range r.outline.titles {
		r.ReportLine(ruleSecondTitle, s.Line, "a second heading of level 1: %q", s.Title)
		if len(s.Blocks) > 0 {
			r.extend(s)
		}
	}
	for _, g := range r.outline.groups {
		if g.meaning != "" {
			continue
		}
		r.extend(g.sections...)
		if m := hides(g.head().Title); m != "" {
			r.ReportLine(ruleHiddenHeading, g.head().Line, "the heading %q has invisible characters; it is not %q", g.head().Title, m)
		}
	}
}
