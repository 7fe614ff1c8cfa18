package call

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// schemaTicket is the schema of the file of --ticket.
const schemaTicket = "wayfind-ticket/1"

// ticketFile is an agreement to one request. --dry-run writes it, and the call uses it up. Its key
// seals no other ticket, so a user who may write the file may agree.
type ticketFile struct {
	Schema string `json:"schema"`
	Key    []byte `json:"key"`
	Ticket string `json:"ticket"`

	name string
}

// newTicketFile returns the ticket of a dry run. The file is not written yet.
func newTicketFile(name string) (*ticketFile, error) {
	if runtime.GOOS == "windows" {
		return nil, ui.Usagef("--ticket: %w", credentials.ErrPrivate)
	}
	if _, err := os.Lstat(name); err == nil {
		return nil, ui.Usagef("--ticket: %s is there already", name)
	}
	return &ticketFile{Schema: schemaTicket, Key: []byte(rand.Text() + rand.Text()), name: name}, nil
}

// openTicket reads the file of a ticket, which exists until the ticket is used.
func openTicket(name string) (*ticketFile, error) {
	raw, err := credentials.ReadPrivate(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ui.Usagef("--ticket: there is no %s: it was used, or --dry-run --ticket has not written it", name)
	}
	if err != nil {
		return nil, ui.Usagef("--ticket: %w", err)
	}
	t := &ticketFile{}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, ui.Usagef("--ticket: %s is no ticket", name) // the text of err may contain the ticket
	}
	if err := ui.CheckSchema(t.Schema, schemaTicket, errors.New("it is no ticket")); err != nil {
		return nil, ui.Usagef("--ticket: %s: %w", name, err)
	}
	t.name = name
	return t, nil
}

// options lets a Caller know the ticket.
func (t *ticketFile) options(o *call.Options) {
	o.TicketKey = t.Key
	o.Spend = func(_ context.Context, id string, _ time.Time) error { return t.spend(id) }
}

// write saves the ticket of a dry run in a file that only its owner may read.
func (t *ticketFile) write(a *ui.App, ticket string) error {
	t.Ticket = ticket
	raw, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := privatefile.Create(t.name)
	if err != nil {
		return ui.Usagef("--ticket: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return ui.Usagef("--ticket: %w", err)
	}
	fmt.Fprintf(a.Err, "ticket: %s; to send this request once, within %v: wayfind call --ticket %s …\n", ui.Show(t.name), call.TicketLifetime, ui.Show(t.name))
	return nil
}
