package inspect

import (
	"context"
	"errors"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Options of New. All but Replayed, Caller, Placeholder, Others and OpenedTwice are needed.
type Options struct {
	// Target that is asked.
	Target string
	// Client that asks. Its Options.Observe is that of Watch, and its Lab.Record is
	// Documents.Add.
	Client    *client.Client
	Watch     *Watch
	Documents *Documents
	// Replayed: the Client asks a recording, and calls are not made.
	Replayed bool
	// Caller says how calls are made. Its Confirm is not used: a call is confirmed on
	// the page, by the ticket of its preview.
	Caller *call.Options
	// Placeholder gives the credentials of Caller, and stand-ins for those that it does
	// not have, for previews alone: such a request is shown, and never sent. Nil: there is
	// no preview without a credential.
	Placeholder func(context.Context, *call.CredentialRequest) (*call.Grant, error)
	// Others are states that the answer can be compared with, beside the earlier ones
	// of the session.
	Others []Other
	// OpenedTwice is told that the address for the command line of a browser was opened
	// once more after it had led to the page: another program may have the page now.
	OpenedTwice func()
}

// Other is a state to compare the answer with: a Site, or pins.
type Other struct {
	// Name in a URL, and Title on the page.
	Name, Title string
	Site        *wayfind.Site
	Pins        *pins.Set
}

// Inspector holds the state that the page shows.
type Inspector struct {
	Options
	caller *call.Caller
	shown  *call.Caller // for previews with placeholders
	tools  shelf
	works  works
	texts  texts

	mu    sync.Mutex
	state State
	site  *wayfind.Site
	past  []pastAnswer  // of the session, the newest last
	asked []Asked       // the newest last
	news  chan struct{} // closed and replaced with each change of state
}

// State says how far the answer is.
type State struct {
	// Target that is asked.
	Target string `json:"target"`
	// Asking: an answer is on its way.
	Asking bool `json:"asking"`
	// Answer counts the answers; 0 before the first.
	Answer int `json:"answer"`
	// Error is why there is no answer, or none that is whole.
	Error string `json:"error,omitempty"`
}

// New makes an Inspector. It asks nothing yet.
func New(o Options) (*Inspector, error) {
	opts := call.Options{}
	if o.Caller != nil {
		opts = *o.Caller
	}
	opts.Confirm = nil
	caller, err := call.New(o.Client, &opts)
	if err != nil {
		return nil, err
	}
	i := &Inspector{Options: o, caller: caller, state: State{Target: o.Target}, news: make(chan struct{})}
	if o.Placeholder != nil {
		opts.Credentials = o.Placeholder
		i.shown, err = call.New(o.Client, &opts)
	}
	return i, err
}

// State returns the state, and a channel that is closed when it changes.
func (i *Inspector) State() (State, <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state, i.news
}

// Ask asks the target, again with refresh, unless an answer is on its way. It returns
// when there is one, with the error of it.
func (i *Inspector) Ask(ctx context.Context, refresh bool) error {
	if !i.beginAsking() {
		return nil
	}
	i.Documents.begin()
	site, err := i.resolve(ctx, refresh)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.Documents.end(site)
	i.state.Asking, i.state.Error = false, ""
	if err != nil {
		i.state.Error = err.Error()
	}
	if site != nil {
		i.remember()
		i.site = site
		i.state.Answer++
	}
	i.changed()
	return err
}

func (i *Inspector) beginAsking() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.state.Asking {
		return false
	}
	i.state.Asking = true
	i.changed()
	return true
}

// changed tells those who wait. It is called with the lock held.
func (i *Inspector) changed() {
	close(i.news)
	i.news = make(chan struct{})
}

// errNoAnswer reports that the target has not answered yet.
var errNoAnswer = errors.New("there is no answer yet")

// Site returns the newest answer.
func (i *Inspector) Site() (*wayfind.Site, error) {
	site, _, err := i.newest()
	return site, err
}

// newest returns the newest answer, and which of the session it is, from 1.
func (i *Inspector) newest() (site *wayfind.Site, number int, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.site == nil {
		return nil, 0, errNoAnswer
	}
	return i.site, i.state.Answer, nil
}
