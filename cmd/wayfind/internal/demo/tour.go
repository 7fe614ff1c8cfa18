package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// The call of the tour: it reads, and needs no credential.
const (
	tourHost = "bookings.example"
	tourKey  = "awp:search_tables"
	tourCity = "Rome"
)

// runTour finds a site, makes a call that it describes, and asks again from the cache. now is the
// clock for the measured times. It may be nil.
func runTour(ctx context.Context, a *ui.App, c *client.Client, now func() time.Time) error {
	if now == nil {
		now = time.Now
	}
	a.Sentence("Sample sites run on this machine, with TLS. Nothing here leaves it.")
	typedLine(a, tourHost)
	var t client.Trace
	begin := now()
	site, err := c.Resolve(client.WithTrace(ctx, &t), tourHost)
	if err != nil {
		return err
	}
	first := now().Sub(begin)
	show.Answer(a, site, err, &t, show.Asked{})
	typedLine(a, "call "+tourHost+" "+tourKey+" city="+tourCity)
	if err := tourCall(ctx, a, c); err != nil {
		return err
	}
	typedLine(a, tourHost+"   (again)")
	begin = now()
	if site, err = c.Resolve(ctx, tourHost); err != nil {
		return err
	}
	again := now().Sub(begin)
	a.Sentence(fmt.Sprintf("%s, from the cache: %s, no request. The first answer took %s.", show.Summary(site), took(again), took(first)))
	a.Line("\nNext:\n")
	a.Table([][]string{
		{ui.Program() + " demo --serve", "keeps these sites up: ask them from another shell"},
		{ui.Program() + " demo --all", "all " + humanize.Count(len(Sites()), "site") + ", one for each format"},
		{ui.Program() + " example.com", "asks a domain of the Internet"},
		{ui.Program() + " --help", "the commands"},
	})
	return nil
}

// took rounds a measured duration.
func took(d time.Duration) time.Duration {
	if d >= time.Millisecond {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Nanosecond)
}

// typedLine prints the command line that a person would type.
func typedLine(a *ui.App, arguments string) { a.Line("\n$ wayfind %s\n", arguments) }

// tourCall makes the call of the tour.
func tourCall(ctx context.Context, a *ui.App, c *client.Client) error {
	caller, err := call.New(c, nil)
	if err != nil {
		return err
	}
	box, err := tools.Load(ctx, c, []string{tourHost}, &tools.Options{Keep: func(_ *wayfind.Service, c *wayfind.Capability) bool { return c.HasKey(tourKey) }})
	if err != nil {
		return err
	}
	for _, t := range box.Tools() {
		res, err := caller.Call(ctx, box, t.Name, []byte(`{"city": "`+tourCity+`"}`))
		show.Call(a, res, err)
	}
	return nil
}
