package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// tally counts the results of a batch, and shows the counts while the batch runs.
type tally struct {
	bar *progressbar.ProgressBar // nil if standard error is not a terminal

	mu                    sync.Mutex
	domains, bad          int
	earlier, again        int
	incomplete            int               // domains of which a part of the places gave no answer
	excluded              int               // named by --exclude
	begun, most           int               // domains that were handed out, and the most at a time
	kinds                 map[string]int    // domains by "found" or the kind of their error
	causes                map[string]int    // domains by the cause of their error, see causeOf
	samples               map[string]string // the first error of each cause, in words
	verdicts, formatsSeen map[string]int    // places by verdict, and domains by format
}

func newTally(bar *progressbar.ProgressBar) *tally {
	return &tally{bar: bar, kinds: map[string]int{}, causes: map[string]int{}, samples: map[string]string{}, verdicts: map[string]int{}, formatsSeen: map[string]int{}}
}

// progressBar returns a progress bar on standard error, or nil if that is not a terminal. It shows the
// number of finished domains and, if the length of the list is known, their share. The library's
// own rate is not used, because it is shown before any domain has finished.
func progressBar(a *ui.App, total int64) *progressbar.ProgressBar {
	f := ui.FileOf(a.Err)
	if f == nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return newBar(f, total)
}

func newBar(w io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(), progressbar.OptionFullWidth(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
}

// drawEvery is the time between two drawings of the bar while no domain finishes.
const drawEvery = 250 * time.Millisecond

// draw draws the bar until ctx ends, so that the bar stays current while no domain finishes.
func (s *tally) draw(ctx context.Context) {
	if s.bar == nil {
		return
	}
	ticker := time.NewTicker(drawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.mu.Lock()
			s.bar.Describe(s.describe()) // this draws the bar
			s.mu.Unlock()
		}
	}
}

// guessAfter is the time that a batch runs before its rate and its end are estimated.
const guessAfter = 5 * time.Second

// describe returns the text of the bar.
func (s *tally) describe() string {
	text := fmt.Sprintf("%d found, %d failed", s.kinds["found"], s.domains-s.kinds["found"]+s.bad)
	if now := min(s.begun-s.domains, s.most); now > 0 {
		text += fmt.Sprintf(", %d under way", now)
	}
	state := s.bar.State()
	done, passed := state.CurrentNum, time.Duration(state.SecondsSince*float64(time.Second))
	if done == 0 || passed <= guessAfter {
		return text
	}
	text += ", " + rate(float64(done)/passed.Seconds())
	if left := state.Max - done; left > 0 {
		text += ", about " + (passed / time.Duration(done) * time.Duration(left)).Round(time.Second).String() + " left"
	}
	return text
}

// rate returns the text of a rate, given in domains per second.
func rate(second float64) string {
	switch minute, hour := 60*second, 3600*second; {
	case second >= 1:
		return fmt.Sprintf("%.0f/s", second)
	case minute >= 1:
		return fmt.Sprintf("%.0f/min", minute)
	default:
		return fmt.Sprintf("%.0f/h", hour)
	}
}

// begin counts a domain that is to be asked, and returns the number of such domains so far.
func (s *tally) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return s.begun
}

// add counts a result.
func (s *tally) add(site *wayfind.Site, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.step()
	if site == nil {
		s.bad++
		return
	}
	s.domains++
	kind := "found"
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		kind = e.Kind.Error()
		if f := ui.NewFailure("", e); f.Code != wayfind.KindWord(wayfind.ErrNotFound) {
			s.causes[f.Code]++
			s.samples[f.Code] = cmp.Or(s.samples[f.Code], f.Message)
		}
	}
	s.kinds[kind]++
	if site.Incomplete != nil {
		s.incomplete++
	}
	for _, p := range site.Probes {
		s.verdicts[string(p.Verdict)]++
	}
	seen := map[string]bool{}
	for _, source := range site.Sources {
		if !seen[source.Format] {
			s.formatsSeen[source.Format]++
		}
		seen[source.Format] = true
	}
}

// before counts a domain that an earlier run has asked.
func (s *tally) before() { s.count(&s.earlier) }

// twice counts a domain that the list has named before.
func (s *tally) twice() { s.count(&s.again) }

// leave counts a domain that --exclude names.
func (s *tally) leave() { s.count(&s.excluded) }

func (s *tally) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
	s.step()
}

// step moves the bar.
func (s *tally) step() {
	if s.bar == nil {
		return
	}
	s.bar.Describe(s.describe())
	_ = s.bar.Add(1)
}

// print writes the summary.
func (s *tally) print(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		_ = s.bar.Finish()
	}
	fmt.Fprintf(w, "%s: %s\n", humanize.Count(s.domains, "domain"), counts(s.kinds, "none asked"))
	if s.bad+s.again+s.earlier > 0 {
		fmt.Fprintf(w, "lines without a domain: %d, named again: %d, asked in an earlier run: %d\n", s.bad, s.again, s.earlier)
	}
	if s.incomplete > 0 {
		fmt.Fprintf(w, "incomplete, because places gave no answer: %d\n", s.incomplete)
	}
	if s.excluded > 0 {
		fmt.Fprintf(w, "excluded: %d\n", s.excluded)
	}
	if len(s.causes) > 0 {
		fmt.Fprintf(w, "causes: %s\n", counts(s.causes, "none"))
		for _, cause := range largestFirst(s.causes) {
			fmt.Fprintf(w, "  for example: %s\n", s.samples[cause])
		}
	}
	if s.domains > 0 {
		fmt.Fprintf(w, "domains by format: %s\n", counts(s.formatsSeen, "none"))
		fmt.Fprintf(w, "places by verdict: %s\n", counts(s.verdicts, "none"))
	}
}

// counts returns a list of numbers with their names, the largest first.
func counts(m map[string]int, none string) string {
	if len(m) == 0 {
		return none
	}
	names := largestFirst(m)
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", m[name], strings.ReplaceAll(name, "_", " "))
	}
	return strings.Join(names, ", ")
}

// largestFirst returns the names of some numbers, the name of the largest first.
func largestFirst(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), strings.Compare(a, b))
	})
}
