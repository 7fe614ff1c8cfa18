package document

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/resolve"
)

// NamesFile reports whether an argument names a file and not a domain. No top-level domain has the
// name of one of these file extensions.
func NamesFile(name string) bool {
	if slices.Contains([]string{"-", ".", ".."}, name) || strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "//") {
		return true
	}
	first, _, isPath := strings.Cut(filepath.ToSlash(name), "/")
	if isPath && (first == "." || first == "..") {
		return true
	}
	if strings.HasPrefix(name, ".") {
		_, err := os.Stat(name)
		return err == nil
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".yaml", ".yml", ".txt":
		info, err := os.Stat(name)
		return err == nil && info.Mode().IsRegular()
	}
	return false
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
