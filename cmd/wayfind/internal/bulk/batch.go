// Package bulk has the verbs that ask many domains: batch, alone with a list, and crawl, whose workers
// share a queue.
package bulk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/resolve"
)

// batchMemory limits the documents and the Sites that a sweep keeps in memory. A sweep seldom meets
// a domain twice, and never asks it again.
const batchMemory = 1 << 20

// batchFlags are the flags of the verb batch.
type batchFlags struct {
	session.Network
	client.BatchOptions
	out     string
	retry   []string
	exclude string
}

// anonymousTargets is the largest number of targets that may be asked without --contact. The
// operators of sites want to know whom to write to about a sweep.
const anonymousTargets = 10_000

// Batch returns the verb batch.
func Batch(a *ui.App) *cobra.Command {
	var f batchFlags
	cmd := &cobra.Command{
		Use:   "batch FILE|-",
		Short: "ask a whole list of domains",
		Long: `batch asks every domain of a list, one on each line, and prints one line of
JSON for each, in the order of completion:

  {"schema": "wayfind/result/1", "error": {…}, "target": "example.com",
   "line": 3, "site": {…}}

Blank lines and comments after "#" are skipped, and so is a domain that was named
before, in any spelling. A line that names no domain gives a result with an
error. Places that robots.txt forbids are not asked, and domains of one registrable
domain are asked one after another.

With --out the results are appended to a file, and domains in it are not asked
again: after a crash, run the same command once more. Domains that are incomplete, and
those whose site wanted to be asked later, are asked again. With --retry CAUSE those whose
result has that error are asked again; the last line of a target counts. One process
at a time can use the file. "wayfind crawl" reads it, for example to count causes:
wayfind crawl status --causes --queue FILE.

A list of more than 10,000 lines needs --contact.

Exit status: 0 the list was worked through, 1 some lines name no domain, 2 wrong
usage, 3 it was cut short, 5 some results are incomplete: places gave no answer.`,
		Annotations: map[string]string{ui.AlwaysJSON: "true"},
		Example:     "  wayfind batch domains.txt --jq 'select(.site.services).target'\n  wayfind batch --out results.jsonl domains.txt",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one file with domains, or "-" for standard input, for example "wayfind batch domains.txt"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runBatch(cmd.Context(), a, args[0], &f) },
	}
	f.Register(cmd)
	robots := cmd.Flags().Lookup("robots")
	robots.DefValue, f.Robots = "enforce", "enforce"
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "append results to `FILE`, and skip domains that it already holds")
	cmd.Flags().StringSliceVar(&f.retry, "retry", nil, "with --out, ask again what failed for this `CAUSE`: the code or the kind of an error, such as timeout or unreachable; may be repeated")
	cmd.Flags().StringVar(&f.exclude, "exclude", "", "do not ask the domains in `FILE`, nor hosts below them")
	cmd.Flags().IntVar(&f.InFlight, "in-flight", client.DefaultInFlight, "ask this `NUMBER` of domains at a time")
	cmd.Flags().DurationVar(&f.Pause, "pause", client.DefaultPause, "wait this `TIME` between two domains of one registrable domain")
	cmd.Flags().DurationVar(&f.MaxPause, "max-pause", client.DefaultMaxPause, "leave a domain out when its site wants a longer pause than this `TIME`")
	return cmd
}

func runBatch(ctx context.Context, a *ui.App, file string, f *batchFlags) error {
	a.Several, f.Source = true, client.TargetsListed
	if f.InFlight <= 0 || f.Pause < 0 || f.MaxPause <= 0 {
		return ui.Usagef("--in-flight and --max-pause take values above zero, and --pause none below")
	}
	if f.Pause == 0 {
		f.Pause = -1 // in BatchOptions, zero means the default
	}
	if f.out != "" && a.Filters() {
		return ui.Usagef("--out keeps each result as it is, for the next run: choose --out or --jq")
	}
	list, err := openList(a, file)
	if err != nil {
		return err
	}
	defer list.Close()
	var from io.Reader = list
	if f.Dev {
		if from, err = readServers(ctx, a, list, f); err != nil {
			return err
		}
	}
	total := countLines(from)
	if total > anonymousTargets && f.Contact == "" {
		return errNoContact(total)
	}
	excluded, err := readExcluded(ctx, f.exclude)
	if err != nil {
		return err
	}
	results, err := openResults(a, f)
	if err != nil {
		return err
	}
	defer results.Close()
	f.Memory, f.KeepAlive = batchMemory, time.Second
	c, err := f.Open(a)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	// If the reader of the output stops early, the process must not die in the middle of a write.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &batch{App: a, file: results, list: from, sum: newTally(progressBar(a, total)), excluded: excluded, contact: f.Contact != "", named: map[string]naming{}}
	b.sum.most = f.InFlight
	go b.sum.draw(ctx)
	go limitGarbage(ctx)
	b.run(ctx, c, &f.BatchOptions)
	return nil
}

// readServers reads the whole list of a batch with --dev, because the Client must know the servers
// under development that it names, and returns it for a second reading.
func readServers(ctx context.Context, a *ui.App, list io.Reader, f *batchFlags) (io.Reader, error) {
	body, err := io.ReadAll(list)
	if err != nil {
		return nil, ui.Usagef("%w", err)
	}
	for l := range lines(ctx, bytes.NewReader(body)) {
		f.Targets = append(f.Targets, l.text)
	}
	a.Guard = f.DevGuard()
	return bytes.NewReader(body), nil
}

// errNoContact returns the error of a sweep without the address of its operator.
func errNoContact(total int64) error {
	return ui.Usagef("the list names %d targets, which is a sweep: --contact ADDRESS tells the operators of sites whom to write to", total)
}

// readExcluded reads the hosts of --exclude.
func readExcluded(ctx context.Context, file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, ui.Usagef("--exclude: %w", err)
	}
	defer f.Close()
	hosts := map[string]bool{}
	for l := range lines(ctx, f) {
		target, _, err := resolve.ParseTarget(l.text)
		if err = cmp.Or(l.err, err); err != nil {
			return nil, ui.Usagef("--exclude %s: line %d: %w", file, l.number, err)
		}
		hosts[target.Host()] = true
	}
	return hosts, nil
}

// isExcluded reports whether --exclude names a host or one of its parent domains.
func (b *batch) isExcluded(host string) bool {
	for len(b.excluded) > 0 {
		if b.excluded[host] {
			return true
		}
		_, above, ok := strings.Cut(host, ".")
		if !ok {
			break
		}
		host = above
	}
	return false
}

// openList opens the file of a list, or standard input.
func openList(a *ui.App, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(a.In), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, ui.Usagef("%w", err)
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		_ = f.Close()
		return nil, ui.Usagef("%s is a directory: name a file with one domain on each line", file)
	}
	return f, nil
}

// batch is the work on one list.
type batch struct {
	*ui.App
	file *crawl.File
	list io.Reader
	sum  *tally

	excluded map[string]bool // hosts
	contact  bool            // --contact was given

	mu    sync.Mutex
	named map[string]naming // the targets that are being asked
}

// naming is how a list names a target.
type naming struct {
	line        int
	diagnostics []wayfind.Diagnostic // about the spelling
}

// run asks the list and prints a summary at the end.
func (b *batch) run(ctx context.Context, c *session.Session, o *client.BatchOptions) {
	queue := &listQueue{File: b.file, batch: b, end: func() {}}
	_, err := crawl.Work(ctx, c.Client, queue, &crawl.Options{
		InFlight: o.InFlight, Pause: o.Pause, MaxPause: o.MaxPause, Once: true, Encode: b.encode,
		Told: func(_ crawl.Result, site *wayfind.Site, err error) { b.sum.add(site, err) },
	})
	queue.end()
	b.sum.print(b.Err)
	switch {
	case errors.Is(context.Cause(ctx), syscall.EPIPE): // the reader of the output has stopped
	case ctx.Err() != nil:
		b.broken(wayfind.NewError("batch", "", wayfind.CodeCanceled, errors.New("the batch was cut short")))
	case err != nil:
		b.failed(err)
	case b.sum.incomplete > 0:
		b.Ends(ui.ExitIncomplete)
	case b.sum.bad > 0:
		b.Ends(ui.ExitNothing)
	}
}

// failed reports the error of the queue. If its file could not be written, that is the reason.
func (b *batch) failed(err error) {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file
	}
	b.broken(err)
}

// broken reports the error that ended the whole batch. It is printed as a result only if there is
// no other result, so that a reader does not mistake it for the result of a domain.
func (b *batch) broken(err error) {
	if b.sum.domains+b.sum.bad == 0 {
		b.Fail("", err)
	} else {
		b.Tell(err)
	}
	b.Ends(ui.ExitUnasked)
}

// listQueue is a queue that reads its targets from a list, only as fast as they are
// asked.
type listQueue struct {
	*crawl.File
	batch *batch
	next  func() (listLine, bool)
	end   func()
}

// Take implements crawl.Queue.
func (q *listQueue) Take(ctx context.Context) (crawl.Lease, error) {
	if q.next == nil {
		q.next, q.end = iter.Pull(lines(ctx, q.batch.list))
	}
	for {
		l, ok := q.next()
		if !ok {
			return q.File.Take(ctx)
		}
		added, err := q.batch.offer(ctx, l)
		if err != nil {
			return nil, err
		}
		if added {
			return q.File.Take(ctx)
		}
	}
}

// offer offers the target of a line to the queue. If the line names no target, its result is
// written at once.
func (b *batch) offer(ctx context.Context, l listLine) (added bool, err error) {
	if l.err != nil {
		return false, l.err
	}
	target, diagnostics, err := resolve.ParseTargetFor(l.text, b.Guard)
	if err == nil {
		target, err = target.Listed()
	}
	if err == nil && document.HasName(l.text) {
		err = wayfind.NewError("parse", l.text, wayfind.CodeHostSyntax, errors.New("it is the name of a document; a domain with that name is written as a URL"))
	}
	if err != nil {
		return false, b.refuse(ctx, l, err)
	}
	if b.isExcluded(target.Host()) {
		b.sum.leave()
		return false, nil
	}
	key := target.Key()
	added, err = b.file.Offer(ctx, key)
	switch {
	case err != nil:
		return false, err
	case !added:
		b.known(key)
		return false, nil
	case !b.mayAsk():
		return false, errNoContact(anonymousTargets + 1)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.named[key] = naming{l.number, diagnostics}
	return true, nil
}

// refuse writes the result of a line that names no domain.
func (b *batch) refuse(ctx context.Context, l listLine, why error) error {
	// The file holds valid UTF-8, and a later run compares its lines with the list.
	text := secret.Message{}.URL(strings.ToValidUTF8(l.text, string(utf8.RuneError)))
	cause, line, err := encodeResult(result{Target: text, Line: l.number}, why)
	if err != nil {
		return err
	}
	added, err := b.file.Put(ctx, crawl.Result{Target: text, Cause: cause, Data: line})
	switch {
	case err != nil:
		return err
	case added:
		b.sum.add(nil, why)
	default:
		b.known(text)
	}
	return nil
}

// known counts a line whose target is already in the queue.
func (b *batch) known(target string) {
	if b.file.HadResult(target) {
		b.sum.before()
	} else {
		b.sum.twice()
	}
}

// mayAsk counts a target, and reports whether it may be asked without --contact.
func (b *batch) mayAsk() bool {
	return b.sum.begin() <= anonymousTargets || b.contact
}

// encode implements crawl.Options.Encode. The result contains the line that named the target, and
// the diagnostics of its spelling.
func (b *batch) encode(target string, site *wayfind.Site, err error) (cause string, line []byte, failed error) {
	b.mu.Lock()
	n := b.named[target]
	delete(b.named, target)
	b.mu.Unlock()
	if len(n.diagnostics) > 0 {
		own := *site
		own.Diagnostics = append(n.diagnostics, site.Diagnostics...)
		site = &own
	}
	return encodeResult(result{Target: target, Line: n.line, Site: site}, err)
}
