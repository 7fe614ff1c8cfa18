package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/privatefile"
	"github.com/wayfindhq/wayfind/internal/text"
)

// saving calls work, and saves its requests and answers if the flag --save names a directory.
func (a *app) saving(cmd *cobra.Command, dir string, n *network, work func() error) error {
	switch {
	case !cmd.Flags().Changed("save"):
		return work()
	case dir == "":
		return usagef("--save needs the name of a directory")
	}
	s, err := newSaved(dir)
	if err != nil {
		return err
	}
	n.record = s.Add
	if err := work(); err != nil {
		return err
	}
	s.finish(a)
	return nil
}

// saved is the directory of --save and its content.
type saved struct {
	client.Recording
	dir string
	old *client.Recording // the recording that will be replaced; may be nil
}

// newSaved checks the directory before any request. It returns an error if the directory is not
// empty and contains no recording.
func newSaved(dir string) (*saved, error) {
	s := &saved{dir: dir}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, usagef("--save %s: %w", dir, err)
	case len(entries) == 0:
		return s, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usagef("--save %s: %w", dir, err)
	}
	defer root.Close()
	s.old, err = client.ReadRecording(root.FS())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(root, recordingIndex):
		return nil, usagef("--save %s: the directory is not empty, and its files are no recording; name a new one", dir)
	case err != nil:
		return nil, usagef("--save %s: %w", dir, err)
	}
	return s, nil
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// finish writes the recording and prints its directory.
func (s *saved) finish(a *app) {
	if err := s.write(); err != nil {
		a.tell(fmt.Errorf("saving to %s: %w", s.dir, err))
		return
	}
	fmt.Fprintf(a.err, "wayfind: requests and answers are in %s; known secrets are redacted: check for others before you share it\n",
		text.Printable(s.dir))
}

// write replaces the old files. It writes nothing outside the directory, whatever names and links
// are in it. The index is removed first and written last, so an interrupted write leaves no
// recording.
func (s *saved) write() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if s.old != nil {
		if err := s.removeOld(root); err != nil {
			return err
		}
	}
	files := s.Files()
	index := files[recordingIndex]
	delete(files, recordingIndex)
	for name, content := range files {
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := privatefile.WriteIn(root, name, content); err != nil {
			return err
		}
	}
	return privatefile.WriteIn(root, recordingIndex, index)
}

// removeOld removes the files of the old recording, and no others.
func (s *saved) removeOld(root *os.Root) error {
	if err := root.Remove(recordingIndex); err != nil {
		return err
	}
	for name := range s.old.Files() {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = root.Remove(path.Dir(name)) // fails while something is in it
	}
	return nil
}

// recordingIndex is the file of a Recording that lists all its other files.
const recordingIndex = "index.txt"
