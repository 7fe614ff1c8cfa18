package document

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/resolve"
)

// NamesFile reports whether an argument names a file and not a domain: a path, or the name of a file here
// with the extension of a document.
func NamesFile(name string) bool {
	if slices.Contains([]string{"-", ".", ".."}, name) || IsPath(name) {
		return true
	}
	if strings.HasPrefix(name, ".") {
		_, err := os.Stat(name)
		return err == nil
	}
	return slices.Contains(fileEndings, strings.ToLower(filepath.Ext(name))) && isFile(name)
}

// fileEndings are the extensions of documents. Beside them, a name is that of a domain.
var fileEndings = []string{".json", ".jsonl", ".yaml", ".yml", ".md", ".txt", ".html"}

// IsFile reports whether a file has a name; "-" is standard input.
func IsFile(name string) bool { return name == "-" || isFile(name) }

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// IsPath reports whether an argument names a file by a path: it begins with "/", "./" or "../".
func IsPath(name string) bool {
	if strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "//") {
		return true
	}
	first, _, isPath := strings.Cut(filepath.ToSlash(name), "/")
	return isPath && (first == "." || first == "..")
}

// HasName reports whether a word has the name of a document, and not that of a domain: .md is the ending of
// a country. To look such a name up would tell it to strangers.
func HasName(word string) bool {
	ending := strings.ToLower(filepath.Ext(word))
	return ending != ".md" && slices.Contains(fileEndings, ending) && !strings.ContainsAny(word, "/\\:")
}

// Absent returns an error if a word has the name of a document and there is no such file.
func Absent(word string) error {
	if !HasName(word) || isFile(word) {
		return nil
	}
	return ui.Usagef("there is no file %s, and no public domain ends in %s; a private one is named as https://%[1]s", ui.Show(word), strings.ToLower(filepath.Ext(word)))
}

// IsBoth reports whether a name without a path is that of a file here, and may be that of a domain.
func IsBoth(name string) bool {
	if NamesFile(name) || strings.ContainsAny(name, "/\\") || !isFile(name) {
		return false
	}
	_, _, err := resolve.ParseTarget(name)
	return err == nil
}

// NamesSite reports whether a word names a file or a directory and not a domain.
func NamesSite(word string) bool {
	if NamesFile(word) || IsRecording(word) {
		return true
	}
	info, err := os.Stat(word)
	if err != nil || !info.IsDir() {
		return false
	}
	_, _, err = resolve.ParseTarget(word)
	return err != nil
}

// IsRecording reports whether a word names the directory of a recording.
func IsRecording(word string) bool {
	root, err := os.OpenRoot(word)
	if err != nil {
		return false
	}
	defer root.Close()
	return Exists(root, RecordingIndex)
}

// Exists reports whether a directory has a file of this name.
func Exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// RecordingIndex is the file of a Recording that lists all its other files.
const RecordingIndex = "index.txt"
