package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Absolute returns the words with absolute paths in place of relative ones.
func Absolute(words []string) ([]string, error) {
	list := slices.Clone(words)
	for i, word := range list {
		if !document.IsPath(word) {
			continue
		}
		whole, err := filepath.Abs(word)
		if err != nil {
			return nil, ui.Usage(err)
		}
		list[i] = whole
	}
	return list, nil
}

// AddFiles gives the Client the documents that words name as files, and returns the words with their
// targets in place of the files.
func (s *Session) AddFiles(ctx context.Context, words []string) ([]string, error) {
	list := slices.Clone(words)
	for i, word := range list {
		if !document.IsPath(word) {
			continue
		}
		target, err := s.addFile(ctx, word)
		if err != nil {
			return nil, err
		}
		list[i] = target
	}
	return list, nil
}

func (s *Session) addFile(ctx context.Context, name string) (target string, err error) {
	body, err := document.Read(s.app, name)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return "", ui.Usage(err)
	}
	s.files = append(s.files, root)
	target, err = s.AddDocument(ctx, &client.Document{Name: filepath.Base(name), Body: body, Files: root.FS()})
	if err != nil {
		return "", ui.Usagef("%s: %w; see: wayfind parse %s", ui.Show(name), err, ui.Show(name))
	}
	fmt.Fprintf(s.app.Err, "wayfind: file %s is read as %s\n", ui.Show(name), ui.Show(target))
	return target, nil
}
