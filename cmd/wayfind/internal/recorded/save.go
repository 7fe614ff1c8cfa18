package recorded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Saving calls work, and saves its requests and answers if the flag --save names a directory.
func Saving(a *ui.App, cmd *cobra.Command, dir string, n *session.Network, work func() error) error {
	switch {
	case !cmd.Flags().Changed("save"):
		return work()
	case dir == "":
		return ui.Usagef("--save needs the name of a directory")
	}
	s, err := newSaved(dir)
	if err != nil {
		return err
	}
	n.Record = s.Add
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
		return nil, ui.Usagef("--save %s: %w", dir, err)
	case len(entries) == 0:
		return s, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, ui.Usagef("--save %s: %w", dir, err)
	}
	defer root.Close()
	switch _, err = client.ReadRecording(root.FS()); {
	case errors.Is(err, fs.ErrNotExist) && !document.Exists(root, document.RecordingIndex):
		return nil, ui.Usagef("--save %s: the directory is not empty, and its files are no recording; name a new one", dir)
	case err != nil:
		return nil, ui.Usagef("--save %s: %w", dir, err)
	}
	return s, nil
}

// finish writes the recording and prints its directory.
func (s *saved) finish(a *ui.App) {
	if err := s.Save(s.dir); err != nil {
		a.Tell(fmt.Errorf("saving to %s: %w", s.dir, err))
		return
	}
	fmt.Fprintf(a.Err, "wayfind: requests and answers are in %s; known secrets are redacted: check for others before you share it\n",
		text.Printable(s.dir))
}
