package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
)

// compareDigests compares the digests that a document of a directory states with the files of the
// directory that it names, and reports those that differ.
func (l *linter) compareDigests(result *client.ParseResult) {
	rule, ok := client.Explain("follow.digest", l.formats)
	if !ok {
		return
	}
	for i := range result.Site.Documents {
		d := &result.Site.Documents[i]
		u, err := url.Parse(d.URL)
		if err != nil || !strings.HasPrefix(d.Digest, "sha256:") || len(u.Path) < 2 {
			continue
		}
		file := l.fileAt(u.Path)
		if file == "" {
			continue
		}
		body, err := os.ReadFile(file)
		if sum := sha256.Sum256(body); err != nil || d.Digest == "sha256:"+hex.EncodeToString(sum[:]) {
			continue
		}
		said := rule.Diagnostic("", "%s does not have the digest that stands here", document.Name(file))
		if len(d.Sources) > 0 {
			said.Pointer, said.Line = d.Sources[0].Pointer, d.Sources[0].Line
		}
		result.Diagnostics = append(result.Diagnostics, said)
	}
}

// fileAt returns the file of the directories that is served at a path, "" if there is none or more than
// one.
func (l *linter) fileAt(at string) (file string) {
	for _, name := range l.files[path.Base(at)] {
		if !servedAt(name, at) {
			continue
		}
		if file != "" {
			return ""
		}
		file = name
	}
	return file
}

// servedAt reports whether a file of a directory can be what a site serves at a path. Which folder is the
// root of the site is not known.
func servedAt(file, path string) bool { return strings.HasSuffix("/"+filepath.ToSlash(file), path) }
