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

// Options are the options of New. All are required except Log, Live, Replayed, Refresh, Caller, Placeholder,
// Others, OpenedTwice, Version and Words. With Log only Target and Watch are used.
type Options struct {
	// Target is the target that is asked.
	Target string
	// Log is true if the page shows the requests of Watch alone: there is no Client, and nothing is
	// asked.
	Log bool
	// Live is true if the requests of a Log are of a process that goes on.
	Live bool
	// Refresh makes the first request a Refresh.
	Refresh bool
	// Words puts an error into words for a person. The default is its text.
	Words func(error) string
	// Version is the version of this program, for HAR files.
	Version string
	// Client is the client that asks. Its Options.Observe must be Watch.Observe, and its
	// Lab.Record must be Documents.Add.
	Client    *client.Client
	Watch     *Watch
	Documents *Documents
	// Replayed is true if the Client uses a recording. Calls are then not made.
	Replayed bool
	// Caller are the options for calls. Its Confirm is not used: a call is confirmed on the
	// page, by the ticket of its preview.
	Caller *call.Options
	// Placeholder returns the credentials of Caller, and placeholders for credentials that
	// Caller does not have. It is used for previews only: such a request is shown, and never
	// sent. If it is nil, there is no preview without a credential.
	Placeholder func(context.Context, *call.CredentialRequest) (*call.Grant, error)
	// Others are states with which the answer can be compared, in addition to the earlier
	// answers of the session.
	Others []Other
	// OpenedTwice is called if the address for the command line of a browser was opened again
	// after it had led to the page: another program may have the page now.
	OpenedTwice func()
}

// Other is a state to compare the answer with: a Site, or pins.
type Other struct {
	// Name is used in URLs, and Title on the page.
	Name, Title string
	Site        *wayfind.Site
	Pins        *pins.Set
}

// Inspector contains the state that the page shows.
type Inspector struct {
	Options
	caller *call.Caller
	shown  *call.Caller // for previews with placeholders
	tools  shelf
	works  works
	texts  texts

	history history

	mu    sync.Mutex
	state State
	site  *wayfind.Site
	past  []pastAnswer  // of the session, the newest last
	asked []Asked       // the newest last
	news  chan struct{} // closed and replaced at each change of state
}

// State is the progress of the answer.
type State struct {
	// Target is the target that is asked.
	Target string `json:"target"`
	// Asking is true while an answer is being requested.
	Asking bool `json:"asking"`
	// Answer is the number of answers; 0 before the first.
	Answer int `json:"answer"`
	// Error is the reason why there is no answer, or no complete one.
	Error string `json:"error,omitempty"`
}

// New returns an Inspector. It does not send any request.
func New(o Options) (*Inspector, error) {
	if o.Words == nil {
		o.Words = error.Error
	}
	if o.Log {
		return &Inspector{Options: o, state: State{Target: o.Target}, news: make(chan struct{})}, nil
	}
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

// Ask asks the target, without the cache if refresh is true, unless an answer is already being
// requested. It returns when there is an answer, with its error.
func (i *Inspector) Ask(ctx context.Context, refresh bool) error {
	if i.Log {
		return errLog
	}
	if !i.beginAsking() {
		return nil
	}
	i.Documents.begin()
	state, _ := i.State()
	site, err := i.resolve(ctx, refresh || i.Refresh && state.Answer == 0)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.Documents.end(site)
	i.state.Asking, i.state.Error = false, ""
	if err != nil {
		i.state.Error = i.Words(err)
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

// changed notifies the waiting goroutines. The lock must be held.
func (i *Inspector) changed() {
	close(i.news)
	i.news = make(chan struct{})
}

// errLog is the error if a log is shown, and something else is wanted.
var errLog = errors.New("this page shows a request log and cannot send requests")

// errNoAnswer is the error if the target has not answered yet.
var errNoAnswer = errors.New("there is no answer yet")

// Site returns the newest answer.
func (i *Inspector) Site() (*wayfind.Site, error) {
	site, _, err := i.newest()
	return site, err
}

// newest returns the newest answer, and its number in the session, starting at 1.
func (i *Inspector) newest() (site *wayfind.Site, number int, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.site == nil {
		return nil, 0, errNoAnswer
	}
	return i.site, i.state.Answer, nil
}
