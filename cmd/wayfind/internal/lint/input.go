package lint

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// lintKind is what a word of "wayfind lint" names.
type lintKind int

const (
	lintFile   lintKind = iota // a file, or standard input
	lintFound                  // a file that was found in a directory
	lintURL                    // one document of a server
	lintDomain                 // all documents of a domain
	lintMoved                  // a place whose redirect discovery must not follow
)

// lintInput is one document to read, or a domain.
type lintInput struct {
	kind lintKind
	name string
	root string // the directory in which a file was found
}

// maxLintFiles bounds the files of one directory.
const maxLintFiles = 10_000

// inputs reads the words of the command line. A URL that cannot be asked makes the whole
// line a mistake, before any request.
func (l *linter) inputs(words []string) (list []lintInput, err error) {
	for _, word := range words {
		own, err := l.input(word)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return list, nil
}

func (l *linter) input(word string) ([]lintInput, error) {
	if word == "-" {
		return []lintInput{{kind: lintFile, name: word}}, nil
	}
	if info, err := os.Stat(word); err == nil {
		if info.IsDir() {
			return filesIn(word)
		}
		return []lintInput{{kind: lintFile, name: word}}, nil
	}
	target, _, err := resolve.ParseTargetFor(word, l.Guard)
	switch {
	case err == nil && strings.Contains(word, "://"):
		kind := lintURL
		if target.Base == "" {
			kind = lintDomain
		}
		return []lintInput{{kind: kind, name: word}}, nil
	case document.HasScheme(word, "http"):
		if _, notDev := security.ParseDev(word); notDev == nil {
			return nil, ui.Usagef("%q cannot be asked: only https is allowed; for a server under development that you name, add --dev", word)
		}
		return nil, ui.Usagef("%q cannot be asked: only https is allowed", word)
	case document.HasScheme(word, "https"):
		return nil, err
	}
	if names, err := filepath.Glob(word); err == nil && len(names) > 0 {
		return eachFile(names), nil
	}
	return []lintInput{{kind: lintFile, name: word}}, nil
}

// eachFile are the files among some names.
func eachFile(names []string) (list []lintInput) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			list = append(list, lintInput{kind: lintFile, name: name})
		}
	}
	return list
}

// filesIn are the files below a directory that a document can be in, in order of their
// names. Folders of tools are left out, and links are not followed.
func filesIn(dir string) (list []lintInput, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return ui.Usage(err)
		case entry.IsDir() && name != dir && (base == "node_modules" || strings.HasPrefix(base, ".") && base != ".well-known"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !mayHoldDocument(name, entry):
		case len(list) == maxLintFiles:
			return ui.Usagef("%s has more than %d files that documents can be in: name a smaller directory", dir, maxLintFiles)
		default:
			list = append(list, lintInput{lintFound, name, dir})
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = ui.Usagef("%s has no file that a document can be in: .json, .yaml, .yml, .md, .txt, or a file in .well-known", dir)
	}
	return list, err
}

// mayHoldDocument reports a file whose name and size a document can have.
func mayHoldDocument(name string, entry fs.DirEntry) bool {
	if info, err := entry.Info(); err == nil && (info.Size() == 0 || info.Size() > document.MaxInput()) {
		return false
	}
	return slices.Contains([]string{".json", ".yaml", ".yml", ".md", ".txt"}, strings.ToLower(filepath.Ext(name))) ||
		slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(name)), "/"), ".well-known")
}

// documentsOf are the places of a domain where a document was found, whole or broken, and
// those that a document may be behind which its format forbids to move.
func documentsOf(site *wayfind.Site) (list []lintInput) {
	for i := range site.Probes {
		switch p := &site.Probes[i]; {
		case p.Reason == resolve.ReasonAside: // a page that is no document, and need not be one
		case p.Verdict == wayfind.VerdictFound, p.Verdict.Unreadable(), p.Verdict == wayfind.VerdictOtherFormat:
			list = append(list, lintInput{kind: lintURL, name: p.URL})
		case p.Reason == string(wayfind.CodeRedirectLimit):
			list = append(list, lintInput{kind: lintMoved, name: p.URL})
		}
	}
	return list
}

// unreadFile is a file of a directory that no format reads.
type unreadFile struct {
	name   string
	broken bool
}

// pathsIn returns the paths of the URLs of the documents that a document names.
func pathsIn(site *wayfind.Site) (list []string) {
	var urls []string
	for i := range site.Documents {
		urls = append(urls, site.Documents[i].URL)
	}
	for i := range site.Services {
		s := &site.Services[i]
		urls = append(urls, s.DetailURLs...)
		for j := range s.Capabilities {
			urls = append(urls, s.Capabilities[j].DetailURLs...)
		}
	}
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil && len(u.Path) > 1 {
			list = append(list, u.Path)
		}
	}
	return list
}

// lintNamed lints the broken files that a document of the directories names: clients request
// them. Other broken files are no matter of agents, such as a configuration with comments.
func (l *linter) lintNamed(ctx context.Context) {
	l.unread = slices.DeleteFunc(l.unread, func(f unreadFile) bool {
		if !f.broken || !slices.ContainsFunc(l.named, func(path string) bool { return servedAt(f.name, path) }) {
			return false
		}
		l.lintOrFail(ctx, lintInput{kind: lintFile, name: f.name})
		return true
	})
}

// unreadIn names the first files of a directory that no format reads: most such files are no
// documents for agents, and one may be broken.
func (l *linter) unreadIn() {
	const named = 3
	if len(l.unread) == 0 {
		return
	}
	var first []string
	for _, f := range l.unread[:min(named, len(l.unread))] {
		first = append(first, document.Name(f.name))
	}
	list := strings.Join(first, ", ")
	if more := len(l.unread) - named; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	fmt.Fprintf(l.Err, "wayfind: no format reads %s of the directories: %s; \"wayfind lint FILE\" says why\n", humanize.Count(len(l.unread), "file"), list)
}
