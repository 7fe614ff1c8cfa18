package call

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// spentFolder is the folder of used tickets in wayfind's state. A ticket is a file, which can be
// copied: that it was used is remembered elsewhere.
const spentFolder = "tickets"

// errCopy is the error if a copy of a ticket is used.
var errCopy = errors.New("a copy of it was used")

// spend remembers that a ticket was used, and removes its file. Of several processes with copies of the
// file, one succeeds.
func (t *ticketFile) spend(id string) error {
	dir := session.State()
	if dir == "" {
		return errors.New("there is no directory of the user in which wayfind could remember that the ticket was used")
	}
	dir = filepath.Join(dir, spentFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("that the ticket was used cannot be remembered: %w", err)
	}
	forget(dir)
	sum := sha256.Sum256([]byte(id))
	err := privatefile.WriteNew(filepath.Join(dir, hex.EncodeToString(sum[:])), nil)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errCopy
	case err != nil:
		return fmt.Errorf("that the ticket was used cannot be remembered: %w", err)
	}
	return os.Remove(t.name) // the copy of a file that is gone was its last
}

// forget removes the notes of tickets that are no longer valid.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 2*call.TicketLifetime {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
