package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// queueFlags are the flags that select the queue.
type queueFlags struct {
	server string
	name   string
	lease  time.Duration
	bytes  int64
}

// Crawl returns the verb crawl.
func Crawl(a *ui.App) *cobra.Command {
	var f queueFlags
	cmd := &cobra.Command{
		Use:   "crawl",
		Short: "ask a list of domains with several machines",
		Long: `crawl asks a list of domains with any number of workers, which share a queue. Workers
may come, go and be killed at any time: each domain has one result in the end.

Two things must be there first: the queue, in NATS JetStream (nats-server 2.11 or later,
started with -js), and a cache that all workers share, in Redis. On one machine a
directory is enough for the cache. For one worker no server is needed: --queue
crawl.jsonl keeps the queue in a file, and "work --alone" needs no shared cache.

  wayfind crawl load --queue nats://queue.internal:4222 domains.txt
  wayfind crawl work --queue nats://queue.internal:4222 --cache redis://cache.internal
  wayfind crawl status --queue nats://queue.internal:4222
  wayfind crawl results --queue nats://queue.internal:4222 --out results.jsonl

Those who run a crawl answer for it: the terms of the sites that it asks apply to
them, besides robots.txt.`,
		Args: commandline.NoWords,
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`name a command: "wayfind crawl load", "work", "status", "results" or "retry"`)
		},
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.server, "queue", "", "use the NATS server at `URL`, several with commas, or the queue of one process in a file (default: $"+commandline.QueueVariable+")")
	flags.StringVar(&f.name, "name", nats.DefaultName, "use the queue `NAME`: a server holds any number of them")
	flags.DurationVar(&f.lease, "lease", 0, "give a worker's domain to another one when the worker was away for this `TIME`, which is fixed when the queue is made (default: that of the queue, 2m for a new one)")
	flags.Int64Var(&f.bytes, "queue-bytes", 0, "let the queue and the results take this `NUMBER` of bytes each from now on, -1 what the server allows (default: as before)")
	cmd.AddCommand(crawlLoadCommand(a, &f), crawlWorkCommand(a, &f), crawlStatusCommand(a, &f), crawlResultsCommand(a, &f), crawlRetryCommand(a, &f))
	return cmd
}

// open connects to the queue.
func (f *queueFlags) open(ctx context.Context) (crawl.Queue, error) {
	if f.server == "" {
		return nil, ui.Usagef("name the queue with --queue nats://HOST:4222, --queue FILE or %s", commandline.QueueVariable)
	}
	if f.isFile() {
		q, err := crawl.OpenFile(f.server, &crawl.FileOptions{Lease: f.lease, Head: readQueued})
		if other, ok := errors.AsType[*wayfind.Error](err); ok {
			err = other.Err // a file that is not a queue is a mistake of the caller
		}
		if err != nil {
			return nil, ui.Usagef("--queue %s: %w", f.server, err)
		}
		return q, nil
	}
	q, err := nats.Open(ctx, f.server, &nats.Options{Name: f.name, Lease: f.lease, MaxBytes: f.bytes})
	if err != nil {
		return nil, ui.Usagef("--queue: %w", err)
	}
	return q, nil
}

// isFile reports whether the queue is in a file.
func (f *queueFlags) isFile() bool { return f.server != "" && !strings.Contains(f.server, "://") }

// with opens a queue that is there, calls use and closes the queue. A mistyped file is an error,
// and no new queue.
func (f *queueFlags) with(ctx context.Context, use func(q crawl.Queue) error) error {
	f.server = cmp.Or(f.server, os.Getenv(commandline.QueueVariable))
	if _, err := os.Stat(f.server); f.isFile() && errors.Is(err, fs.ErrNotExist) {
		return ui.Usagef("--queue %s: there is no such file; \"wayfind crawl load --queue %[1]s LIST\" makes it", f.server)
	}
	return f.withNew(ctx, use)
}

// withNew is with for a queue that is made if it is not there.
func (f *queueFlags) withNew(ctx context.Context, use func(q crawl.Queue) error) error {
	f.server = cmp.Or(f.server, os.Getenv(commandline.QueueVariable))
	q, err := f.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(use(q), q.Close())
}

func crawlLoadCommand(a *ui.App, f *queueFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "load FILE|-",
		Short: "offer the domains of a list",
		Long: `load offers every domain of a list, one on each line, to the workers. A domain that
waits, is worked on or has a result is not offered again, in any spelling.

Exit status: 0 all lines were read, 1 some name no domain, 2 wrong usage, 3 the
queue failed or is full.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one file with domains, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := openList(a, args[0])
			if err != nil {
				return err
			}
			defer list.Close()
			return f.withNew(cmd.Context(), func(q crawl.Queue) error { return crawlLoad(cmd.Context(), a, q, list) })
		},
	}
}

// offersAtOnce is the number of lines that are offered at a time, because each offer waits for the
// server.
const offersAtOnce = 64

// crawlLoad offers the lines of a list.
func crawlLoad(ctx context.Context, a *ui.App, q crawl.Queue, list io.Reader) error {
	var added, known, bad atomic.Int64
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(offersAtOnce)
	for l := range lines(within, list) {
		if l.err != nil {
			return errors.Join(l.err, all.Wait())
		}
		if _, err := crawl.Key(l.text); err != nil {
			fmt.Fprintf(a.Err, "line %d: %s\n", l.number, ui.Show(ui.Sentence(err)))
			bad.Add(1)
			continue
		}
		all.Go(func() error {
			fresh, err := q.Offer(within, l.text)
			switch {
			case errors.Is(err, crawl.ErrFull):
				return fmt.Errorf("line %d: the queue is full. It keeps its domains. Load the list again when workers have made room, or with a larger --queue-bytes: %w", l.number, err)
			case err != nil:
				return fmt.Errorf("line %d: %w", l.number, err)
			case fresh:
				added.Add(1)
			default:
				known.Add(1)
			}
			return nil
		})
	}
	err := all.Wait()
	fmt.Fprintf(a.Out, "offered: %d, there already: %d, lines without a domain: %d\n", added.Load(), known.Load(), bad.Load())
	switch {
	case err != nil || ctx.Err() != nil:
		a.Tell(errors.Join(err, ctx.Err()))
		a.Ends(ui.ExitUnasked)
	case bad.Load() > 0:
		a.Ends(ui.ExitNothing)
	}
	return nil
}

// crawlWorkFlags are the flags of "crawl work".
type crawlWorkFlags struct {
	session.Network
	crawl.Options
	alone bool
}

func crawlWorkCommand(a *ui.App, q *queueFlags) *cobra.Command {
	var f crawlWorkFlags
	cmd := &cobra.Command{
		Use:   "work",
		Short: "be one worker: ask domains until the queue is empty",
		Long: `work takes domains from the queue and asks them until none is left. Start it on as
many machines as you like, and stop it at any time. Every ten seconds it says how far it
is: results by cause, their rate, the open domains, the time to go, and the next domain
that it put off.

The workers agree through --cache, a Redis server or, on one machine, a directory:
they ask one domain of a site at a time and leave the site alone for as long as it
wants. Without one, say --alone. A queue of more than 10,000 domains needs --contact.

Exit status: 0 the queue is empty, 2 wrong usage, 3 the worker was ended or the
queue failed. It tells nothing about the domains: one that could not be asked, or only in
part, is a result with that cause, which the last line counts.`,
		Args: commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return q.with(cmd.Context(), func(queue crawl.Queue) error { return crawlWork(cmd.Context(), a, queue, &f) })
		},
	}
	f.Register(cmd)
	robots := cmd.Flags().Lookup("robots")
	robots.DefValue, f.Robots = "enforce", "enforce"
	flags := cmd.Flags()
	flags.BoolVar(&f.alone, "alone", false, "this worker shares no store with others, and there is no other")
	flags.BoolVar(&f.Stay, "stay", false, "wait for more domains when the queue is empty")
	flags.IntVar(&f.InFlight, "in-flight", client.DefaultInFlight, "ask this `NUMBER` of domains at a time")
	flags.DurationVar(&f.Pause, "pause", client.DefaultPause, "wait this `TIME` between two domains of one registrable domain")
	flags.DurationVar(&f.MaxPause, "max-pause", crawl.DefaultMaxPause, "give a domain back when its site wants a longer pause than this `TIME`")
	flags.DurationVar(&f.Rest, "rest", crawl.DefaultRest, "leave a site alone for this `TIME` when a worker died while it asked it")
	flags.IntVar(&f.Attempts, "attempts", crawl.DefaultAttempts, "ask a domain that cannot be reached this `NUMBER` of times")
	flags.DurationVar(&f.Backoff, "backoff", crawl.DefaultBackoff, "wait this `TIME` before the second attempt, and twice as long before each later one")
	return cmd
}

// check returns an error for flags that cannot be used, before the queue is opened.
func (f *crawlWorkFlags) check() error {
	if f.InFlight <= 0 || f.Pause < 0 || f.MaxPause <= 0 || f.Rest <= 0 || f.Attempts <= 0 || f.Backoff <= 0 {
		return ui.Usagef("--in-flight, --max-pause, --rest, --attempts and --backoff take values above zero, and --pause none below")
	}
	if f.Dev {
		return ui.Usagef("--dev: a queue holds public domains only; \"wayfind batch --dev FILE\" asks a list of servers under development")
	}
	if !f.alone && (f.Cache == "" || f.Cache == session.NoCache) {
		return ui.Usagef("workers agree through a store: name it with --cache redis://… (or, on one machine, a directory), or say --alone")
	}
	if f.Rest <= f.Timeout {
		return ui.Usagef("--rest is longer than --timeout (%v): a site must not be asked while a worker asks it", f.Timeout)
	}
	return nil
}

func crawlWork(ctx context.Context, a *ui.App, q crawl.Queue, f *crawlWorkFlags) error {
	f.Source = client.TargetsListed
	queued, err := q.Count(ctx)
	if err != nil {
		return err
	}
	if total := queued.Open() + queued.Finished; total > anonymousTargets && f.Contact == "" {
		return ui.Usagef("the queue has %d domains, which is a sweep: --contact ADDRESS tells the operators of sites whom to write to", total)
	}
	if f.Pause == 0 {
		f.Pause = -1 // in Options, zero means the default
	}
	f.Memory, f.KeepAlive = batchMemory, time.Second
	c, err := f.Open(a)
	if err != nil {
		return err
	}
	defer func() {
		session.End(a, c)
		if n := c.Stats().Store; n.Dropped+n.Failed > 0 {
			fmt.Fprintf(a.Err, "answers not written to --cache: %d\n", n.Dropped+n.Failed)
		}
	}()
	f.Encode = func(target string, site *wayfind.Site, err error) (cause string, line []byte, failed error) {
		return encodeResult(result{Target: target, Site: site}, err)
	}
	if !f.alone {
		f.Store = c.Store
	}
	collecting, end := context.WithCancel(ctx)
	defer end()
	go limitGarbage(collecting)
	watch := newWatched(q)
	f.Told = watch.told
	go watch.keep(collecting, a.Err)
	report, err := crawl.Work(ctx, c.Client, watch, &f.Options)
	watch.rest(ctx)
	fmt.Fprintf(a.Err, "%s; asked again later: %d, put off: %d, lost to other workers: %d\n",
		byCause(report.Results), report.Repeated, report.Deferred, report.Lost)
	if err != nil {
		a.Tell(err)
		a.Ends(ui.ExitUnasked)
	}
	return nil
}

func crawlResultsCommand(a *ui.App, f *queueFlags) *cobra.Command {
	var out, cause string
	var shape resultShape
	cmd := &cobra.Command{
		Use:   "results",
		Short: "print the results that are there",
		Long: `results prints one line of JSON for each domain that is finished, as "wayfind batch"
does, in no order that means anything. Run it again to have those that came later.

--summary leaves out the places that were asked and the notes on documents. --csv writes a
table: a row for each domain, or a row for each capability.`,
		Example: "  wayfind crawl results --csv domains -o domains.csv\n  wayfind crawl results --cause found --csv capabilities -o capabilities.csv",
		Args:    commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.with(cmd.Context(), func(q crawl.Queue) error {
				if sameFile(f.server, out) {
					return ui.Usagef("--out %s is the queue, which would be lost: name another file", ui.Show(out))
				}
				return crawlResults(cmd.Context(), a, q, out, cause, shape)
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to `FILE`, which is replaced when all are written")
	cmd.Flags().StringVar(&cause, "cause", "", "print those with this `CAUSE` only: \"found\", \"incomplete\" (places gave no answer), or the code of an error")
	cmd.Flags().StringVar(&shape.csv, "csv", "", "write CSV with a row for each of `domains` or capabilities")
	cmd.Flags().BoolVar(&shape.summary, "summary", false, "leave out the places that were asked and the notes on documents")
	return cmd
}

func crawlResults(ctx context.Context, a *ui.App, q crawl.Queue, file, cause string, shape resultShape) error {
	n := 0
	var failure error // the error of the queue
	write := func(to io.Writer) error {
		one, end, err := shape.writer(to)
		if failure = err; err != nil {
			return err
		}
		for r, err := range q.Results(ctx, cause) {
			if failure = err; err != nil {
				return err
			}
			if err := one(r); err != nil {
				return err
			}
			n++
		}
		return end()
	}
	var err error
	if file == "" {
		err = write(a.Out)
	} else if err = privatefile.Write(file, write); err != nil && failure == nil {
		err = ui.Usagef("--out: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "%d results\n", n)
	return nil
}

// sameFile reports whether two names refer to the same file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(one, other)
}

func crawlRetryCommand(a *ui.App, f *queueFlags) *cobra.Command {
	var cause string
	var all bool
	cmd := &cobra.Command{
		Use:   "retry",
		Short: "offer domains again that have a result",
		Long: `retry offers domains again whose result has a cause, such as "timeout" (see
"wayfind crawl status --causes"), or all of them for another round. Each keeps its
result until it has the next one.`,
		Example: "  wayfind crawl retry --failed timeout\n  wayfind crawl retry --all",
		Args:    commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all == (cause != "") {
				return errors.New("name a cause with --failed, or say --all")
			}
			return f.with(cmd.Context(), func(q crawl.Queue) error {
				n, err := q.Retry(cmd.Context(), cause)
				fmt.Fprintf(a.Out, "%d offered again\n", n)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&cause, "failed", "", "offer those whose result has this `CAUSE`")
	cmd.Flags().BoolVar(&all, "all", false, "offer all")
	return cmd
}
