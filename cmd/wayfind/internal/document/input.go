// Package document reads the files that a person names in place of domains.
package document

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// HasScheme reports whether a word is a URL with this scheme.
func HasScheme(name, scheme string) bool {
	before, _, ok := strings.Cut(name, "://")
	return ok && strings.EqualFold(before, scheme)
}

// MaxInput returns the largest size of a document of any format, in bytes.
func MaxInput() (most int64) {
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		most = max(most, f.Limits.WithDefaults().Bytes)
	}
	return most
}

// Read reads a file, or standard input for "-". It returns an error if the input is empty or
// larger than any format accepts.
func Read(a *ui.App, name string) ([]byte, error) {
	r := a.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, ui.Hint(ui.Usage(err), notAFile(name, err))
		}
		defer f.Close()
		r = f
	}
	body, err := io.ReadAll(io.LimitReader(r, MaxInput()+1))
	switch {
	case err != nil:
		return nil, ui.Usagef("cannot read %s: %w", name, err)
	case len(body) == 0:
		return nil, ui.Usagef("%s is empty: give a document to read", Name(name))
	case int64(len(body)) > MaxInput():
		return nil, ui.Usagef("%s is larger than %d MiB, which no format reads", Name(name), MaxInput()>>20)
	}
	return body, nil
}

// notAFile returns a hint how to read a name that is a URL or a domain and not a file.
func notAFile(name string, err error) string {
	_, _, wrong := resolve.ParseTarget(name)
	switch {
	case !errors.Is(err, fs.ErrNotExist), wrong != nil, slices.Contains(fileEndings, strings.ToLower(path.Ext(name))) && !HasScheme(name, "https"):
		return ""
	case HasScheme(name, "https"):
		return `; "wayfind lint" reads URLs`
	}
	return fmt.Sprintf("; a document of a site is named by its URL, such as https://%[1]s/.well-known/agent; \"wayfind %[1]s\" asks all places", name)
}

// Name returns the name of a file for a message.
func Name(name string) string {
	if name == "-" {
		return "standard input"
	}
	return fmt.Sprintf("%q", name)
}
