package inspect

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxCalls is the maximum number of calls in the history. The oldest are dropped.
const maxCalls = 50

// history contains the calls of the session.
type history struct {
	mu   sync.Mutex
	made []called // the oldest first
	next int
}

type called struct {
	Called
	arguments string
	outcome   *Outcome
}

// Called is a call of the session.
type Called struct {
	// Number identifies it.
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	// Result is the status, or the reason why the call was refused, in words.
	Result string `json:"result"`
	// Failed is true if the call was refused or did not succeed.
	Failed bool `json:"failed,omitempty"`
}

// CallMade is a call of the session with its arguments and its result.
type CallMade struct {
	Tool      string   `json:"tool"`
	Arguments string   `json:"arguments"`
	Outcome   *Outcome `json:"outcome"`
}

// add adds a call.
func (y *history) add(c called) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.next++
	c.Number = y.next
	c.result()
	if len(y.made) == maxCalls {
		y.made = slices.Delete(y.made, 0, 1)
	}
	y.made = append(y.made, c)
}

// result sets the result in words.
func (c *called) result() {
	o := c.outcome
	c.Failed = o.Refusal != nil
	switch {
	case o.Refusal != nil:
		c.Result = strings.TrimSpace(statusText(o.Status) + " " + strings.ReplaceAll(o.Refusal.Code.String(), "_", " "))
	case o.Work != "":
		c.Result = "the work goes on"
	case o.Status != 0:
		c.Result = statusText(o.Status)
	default:
		c.Result = "done"
	}
}

// waited replaces the outcome of a call whose work was waited for.
func (y *history) waited(work string, o *Outcome) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for n := range y.made {
		if c := &y.made[n]; c.outcome.Work == work {
			c.outcome = o
			c.result()
		}
	}
}

// rows returns the calls, the newest first.
func (y *history) rows() []Called {
	y.mu.Lock()
	defer y.mu.Unlock()
	list := []Called{}
	for _, c := range slices.Backward(y.made) {
		list = append(list, c.Called)
	}
	return list
}

var errNoCall = errors.New("this call is not kept any longer: the history has the newest " + strconv.Itoa(maxCalls))

// one returns a call.
func (y *history) one(number string) (*CallMade, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for n := range y.made {
		if c := &y.made[n]; strconv.Itoa(c.Number) == number {
			return &CallMade{c.Tool, c.arguments, c.outcome}, nil
		}
	}
	return nil, errNoCall
}
