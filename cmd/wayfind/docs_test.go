package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/lint"
	verbparse "github.com/wayfindhq/wayfind/cmd/wayfind/internal/parse"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/formatschema"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// TestFormatsDoc writes docs/FORMATS.md from the list of formats and the table of verdicts, and
// fails if the page is stale.
func TestFormatsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Formats\n\nThe formats that wayfind reads, the places where it looks for them, and the time for\nwhich answers count. This page is generated: `go test ./cmd/wayfind -update`.\n")
	for _, f := range formats.All() {
		writeFormat(&b, f)
	}
	b.WriteString("\n## JSON Schemas\n\n`wayfind formats --schema NAME` prints a JSON Schema (2020-12) of a format whose documents are\n" +
		"JSON, for editors: `" + strings.Join(formatschema.Names(), "`, `") + "`.\n\nIt is made from the code that reads the format, names the section of the specification for each\n" +
		"member, and allows members that the format does not know. Write it to a file. Name that file in\nthe settings of the editor, in the document as `$schema`, or, in YAML, in the first line:\n\n" +
		"```yaml\n# yaml-language-server: $schema=./openapi.schema.json\n```\n\nA schema knows names and types. `wayfind lint` knows all rules.\n")
	b.WriteString("\n## Groups\n\nA group stands for its formats, after `--formats` and in `formats.Select`, which fills\n" +
		"`client.Options.Formats`. A linked document is read only if its own format is asked for\ntoo: `--formats field,openapi`.\n\n| group | description | formats |\n|---|---|---|\n")
	for _, g := range formats.Groups() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", g.Name, g.Title, strings.Join(g.Formats, "`, `"))
	}
	b.WriteString("\n## Not read\n\n| format | description | reason |\n|---|---|---|\n")
	for _, a := range formats.Absences() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Name, a.Title, a.Reason)
	}
	writeCacheRules(&b)
	writeVerdicts(&b)
	golden.Compare(t, []byte(b.String()), filepath.Join("..", "..", "docs", "FORMATS.md"))
}

// TestReadmeFormats: the formats that README.md names are those of the list.
func TestReadmeFormats(t *testing.T) {
	text := string(golden.Read(t, filepath.Join(golden.Root(t), "README.md")))
	_, section, ok := strings.Cut(text, "\n## Formats\n\n")
	list, _, ends := strings.Cut(section, "\n\n")
	if !ok || !ends {
		t.Fatal("README.md has no section of the formats")
	}
	var names, want []string
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		names = append(names, quoted[1])
	}
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		want = append(want, f.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("README.md names %q, want %q", names, want)
	}
}

// TestReadmeShowsTheDemo: the output in README.md is that of "wayfind demo".
func TestReadmeShowsTheDemo(t *testing.T) {
	text := string(golden.Read(t, filepath.Join(golden.Root(t), "README.md")))
	_, rest, _ := strings.Cut(text, "```text\n")
	shown, _, ok := strings.Cut(rest, "```\n")
	if tour := string(golden.Read(t, filepath.Join("testdata", "tour.txt"))); !ok || strings.Count(shown, "\n") < 12 || !strings.Contains(tour, shown) {
		t.Errorf("README.md shows what is not in testdata/tour.txt:\n%s", shown)
	}
}

func writeFormat(b *strings.Builder, f *parse.Format) {
	fmt.Fprintf(b, "\n## `%s`: %s\n\n%s", f.Name, f.Title, f.Spec.Title)
	if f.Spec.URL != "" {
		fmt.Fprintf(b, ", <%s>", f.Spec.URL)
	}
	if len(f.Locations) == 0 {
		b.WriteString("\n\nLooked for " + verbparse.LinkedOnly + ".\n")
	} else {
		b.WriteString("\n\n| place | asked | for | section |\n|---|---|---|---|\n")
	}
	for _, l := range f.Locations {
		asked := "at once"
		if l.After != "" {
			asked = "after a 404 at `" + l.After + "`"
		}
		if len(l.Unless) > 0 {
			asked = "last, unless a document of `" + strings.Join(l.Unless, "` or `") + "` was read"
		}
		if l.Beside {
			asked += ", if the site has a document"
		}
		place := "`" + l.Path + "`"
		if l.Base {
			place += " below the path of the target"
		}
		if l.Insert {
			place += " with the path of the target after it"
			asked += "; then without the path, unless there was a document"
		}
		fmt.Fprintf(b, "| %s | %s | `%s` | %s |\n", place, asked, l.Accept, l.Section)
	}
	limits := f.Limits.WithDefaults()
	redirects := fmt.Sprintf("at most %d redirects", limits.Redirects)
	if limits.SameSiteOnly {
		redirects += ", within the site only"
	}
	fmt.Fprintf(b, "\nRead: at most %d KiB and %d capabilities; %s.\n", limits.Bytes>>10, limits.Items, redirects)
}

// writeCacheRules prints every format's CachePolicy in one table: the client's
// overlay and gate read nothing else.
func writeCacheRules(b *strings.Builder) {
	b.WriteString("\n## How long an answer counts\n\nA document counts as long as HTTP says. Formats add:\n\n" +
		"| format | a document that says nothing | a 404 | a pause between two requests to a place | section |\n|---|---|---|---|---|\n")
	or := func(d time.Duration, text, otherwise string) string {
		if d == 0 {
			return otherwise
		}
		return text
	}
	for _, f := range formats.All() {
		c := f.Cache
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Name, or(c.Default, hours(c.Default), "as HTTP says"),
			or(c.Negative, hours(c.Negative)+" whatever its header says", "as below"),
			or(c.Floor, hours(c.Floor)+" whatever its header says", "none"), cmp.Or(c.Section, "–"))
	}
	b.WriteString("\n[CACHING.md](CACHING.md) says which rule wins when.\n")
}

func hours(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "1 hour"
	case d < time.Hour:
		return strings.TrimSuffix(fmt.Sprintf("%g minutes", d.Minutes()), map[bool]string{true: "s"}[d == time.Minute])
	}
	return fmt.Sprintf("%g hours", d.Hours())
}

func writeVerdicts(b *strings.Builder) {
	b.WriteString("\n## What an answer means\n\n| verdict | given for | is a document there? | remembered | error when nothing was found | exit status |\n|---|---|---|---|---|---|\n")
	for _, r := range verdict.Rows() {
		kind, exit := "–", "–"
		for _, k := range verdict.Kinds() {
			if r.Verdict.Kind() == k.Err {
				kind, exit = "`"+k.Name+"`", strconv.Itoa(int(k.Exit))
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Verdict, r.When(), r.Means(), r.Remembered(), kind, exit)
	}
	var order []string
	for _, k := range verdict.Kinds() {
		order = append(order, "`"+k.Name+"`")
	}
	writePlaces(b, order)
}

// writePlaces writes the table of what one place does to its domain.
func writePlaces(b *strings.Builder, order []string) {
	b.WriteString(`
## What a domain is

A domain is the sum of its places. A place is *well-known* if it is named for agents (below
` + "`/.well-known/`, `/agents.md`, `/llms.txt`" + `), and *ordinary* if an application may use the path for
itself (` + "`/agents`, `/ai`, `/openapi.json`). `/agent.json` is between the two: it is named for agents,\nand other programs have files of that name. The table says" + ` what an answer does if nothing was found
anywhere:

- *decides*: it is the error of the domain. Of several, the first in this order is:
  ` + strings.Join(order, ", ") + `.
- *decides with a second wall*: if another place, or the canary, is behind a wall too.
- *decides if most are silent*: if fewer than half of the well-known places gave an answer, and most of
  those without an answer failed as this one did.
- *decides if nothing was asked*: if the policy refused all well-known places.
- *incomplete*: the place is listed in ` + "`Site.Incomplete`" + `, and the exit status is 5, unless the whole
  domain has another error. With *a second one*, a place that answered counts only if another place
  has the same verdict.

| verdict |`)
	for _, kind := range verdict.Places() {
		fmt.Fprintf(b, " %s |", kind)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(verdict.Places())) + "\n")
	for _, line := range verdict.Lines() {
		name := "`" + string(line.Verdict) + "`"
		if len(line.Reasons) > 0 {
			name += " (`" + strings.Join(line.Reasons, "`, `") + "`)"
		}
		reason := append(line.Reasons, "")[0]
		fmt.Fprintf(b, "| %s |", name)
		for _, kind := range verdict.Places() {
			fmt.Fprintf(b, " %s |", verdict.PartOf(kind, line.Verdict, reason))
		}
		b.WriteString("\n")
	}
}

// TestDiagnosticsDoc writes docs/DIAGNOSTICS.md from the rules behind client.Explain, and fails if
// the page is stale.
func TestDiagnosticsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Diagnostics are findings about documents. They are in ` + "`Site.Diagnostics`" + `, and ` + "`wayfind lint`" + `
shows them to publishers. An error breaks a MUST of the specification. A warning breaks
a SHOULD, or the matter is dangerous or doubtful. A note is worth knowing, and nothing is
wrong; in JSON and in Go its severity is "info". This page is generated: ` + "`go test ./cmd/wayfind -update`" + `.

The severity is the gravest that a code is reported with: the same matter can be
less grave in another case. A dash means that the section varies.
` + "`wayfind lint FILE|URL`" + ` names the severity, the section and the place of each finding.

## Mended by --fix

` + "`wayfind lint --fix` prints a diff of these mends, for patch(1). They take no decision: the\n" +
		`reader has taken the value for it already, or there is one spelling only. They are for
JSON, but for byte order marks. Nothing is mended where a member of the right name is
there already, or where the result would be no JSON.

| code ends in | mend |
|---|---|
`)
	for _, m := range lint.Mendings() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(m.Rules, "`, `"), m.What)
	}
	b.WriteString(`
## Any document

`)
	writeRules(&b, "", client.Rules())
	b.WriteString("\n## Any format\n\nThe format's name stands before the dot: `adp.missing`, `awp.missing` and so on.\n\n")
	writeRules(&b, "<format>.", parse.ReaderRules())
	for _, f := range formats.All() {
		fmt.Fprintf(&b, "\n## `%s`: %s\n\n%s", f.Name, f.Title, f.Spec.Title)
		if f.Spec.URL != "" {
			fmt.Fprintf(&b, ", <%s>", f.Spec.URL)
		}
		b.WriteString("\n\n")
		writeRules(&b, f.Name+".", f.Rules)
		writeExamples(&b, f)
	}
	golden.Compare(t, []byte(b.String()), filepath.Join("..", "..", "docs", "DIAGNOSTICS.md"))
}

// writeExamples writes the text that lint suggests for each missing member.
func writeExamples(b *strings.Builder, f *parse.Format) {
	if len(f.Examples) == 0 {
		return
	}
	fmt.Fprintf(b, "\nExamples of members that `%s.missing` can name:\n\n```\n", f.Name)
	for _, key := range slices.Sorted(maps.Keys(f.Examples)) {
		fmt.Fprintf(b, "%q: %s\n", key[strings.LastIndexByte(key, '.')+1:], f.Examples[key])
	}
	b.WriteString("```\n")
}

func writeRules(b *strings.Builder, prefix string, rules []parse.Rule) {
	cell := strings.NewReplacer("|", `\|`)
	b.WriteString("| code | severity | section | meaning | mend |\n|---|---|---|---|---|\n")
	for _, r := range rules {
		severity := "–"
		if r.Severity != "" {
			severity = humanize.Severity(r.Severity)
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s | %s |\n", prefix, r.Code, severity, cmp.Or(r.Section, "–"), cell.Replace(r.Means), cell.Replace(r.Mend))
	}
}

// TestSecurityCodes: the codes that docs/SECURITY.md lists are those there are.
func TestSecurityCodes(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, table, found := strings.Cut(read("docs/SECURITY.md"), "| case | code |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	known := read("docs/DIAGNOSTICS.md") + read("error.go") + read("resolve/reason.go")
	codes := 0
	for _, row := range strings.Split(table, "\n")[1:] {
		_, cell, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for i, code := range strings.Split(cell, "`") {
			if i%2 == 0 {
				continue
			}
			codes++
			if !strings.Contains(known, "| `"+code+"` |") && !strings.Contains(known, `= "`+code+`"`) {
				t.Errorf("%s is no code", code)
			}
		}
	}
	if !found || codes < 25 {
		t.Errorf("%d codes", codes)
	}
}
