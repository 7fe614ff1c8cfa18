package bulk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/resolve"
)

// result is one line of batch's output, beside its schema and its failure.
// The Site comes last: a crawl.File reads only the members before it.
type result struct {
	// Target is the canonical spelling of a domain, or a line that names none.
	Target string `json:"target"`
	// Line of the list.
	Line int `json:"line,omitempty"`
	// Incomplete is true if a part of the places gave no answer: the member "incomplete" of the
	// Site says which.
	Incomplete bool `json:"incomplete,omitempty"`
	// Site holds the offers of the domain, as "wayfind resolve" prints them.
	Site *wayfind.Site `json:"site,omitempty"`
}

// storedResult is a line of an earlier output.
type storedResult struct {
	Schema string      `json:"schema"`
	Error  *ui.Failure `json:"error"`
	result
}

// encodeResult returns the cause and the line of a result.
func encodeResult(r result, err error) (cause string, line []byte, failed error) {
	f := ui.NewFailure(r.Target, err)
	r.Incomplete = r.Site != nil && r.Site.Incomplete != nil
	line, failed = ui.EncodeJSON(ui.SchemaResult, r, f, false)
	return causeOf(f, r.Incomplete), line, failed
}

// causeOf returns the cause of a result: the cause of its failure, if there is one, unless it is
// incomplete.
func causeOf(f *ui.Failure, incomplete bool) string {
	switch {
	case incomplete:
		return crawl.Incomplete
	case f == nil:
		return crawl.Found
	}
	return cmp.Or(f.Code, f.Kind)
}

// openResults opens the queue of a batch: the file of --out, or standard output.
func openResults(a *ui.App, f *batchFlags) (*crawl.File, error) {
	if f.out == "" {
		if len(f.retry) > 0 {
			return nil, ui.Usagef("--retry is about the results in the file of --out")
		}
		return crawl.NewStream(a.Out, resultsOf(f)), nil
	}
	file, err := crawl.OpenFile(f.out, resultsOf(f))
	if err != nil {
		return nil, ui.Usagef("--out %s: %w", f.out, err)
	}
	if cut := file.Cut(); cut > 0 {
		fmt.Fprintf(a.Err, "wayfind: %s ended in the middle of a result; its last %d bytes were removed\n", ui.Show(f.out), cut)
	}
	return file, nil
}

// resultsOf returns the options of a batch's queue. Targets that failed for a cause of --retry are
// asked again.
func resultsOf(f *batchFlags) *crawl.FileOptions {
	guard := f.DevGuard()
	key := func(target string) (string, error) {
		t, _, err := resolve.ParseTargetFor(target, guard)
		if err == nil {
			t, err = t.Listed()
		}
		return t.Key(), err
	}
	return &crawl.FileOptions{ResultsOnly: true, Key: key, Head: func(data []byte) (target, cause string, err error) {
		have, err := readResult(data)
		if err != nil || !have.finished(f.retry) {
			return "", "", err
		}
		return have.Target, causeOf(have.Error, have.Incomplete), nil
	}}
}

// readQueued implements crawl.FileOptions.Head for "wayfind crawl".
func readQueued(data []byte) (target, cause string, err error) {
	have, err := readResult(data)
	if errors.Is(err, errNoResult) {
		err = errNoQueue
	}
	if err != nil {
		return "", "", err
	}
	return have.Target, causeOf(have.Error, have.Incomplete), nil
}

// Errors of a line that is not a result.
var (
	errNoResult = errors.New("it is no result of a batch")
	errNoQueue  = errors.New("it does not belong to a queue")
)

// readResult reads the members before the Site of a line. It rejects lines of another version,
// which must not be mixed with lines of this version. The error is io.ErrUnexpectedEOF if head is
// only the beginning of a line.
func readResult(head []byte) (*storedResult, error) {
	var have storedResult
	if err := json.Unmarshal(head, &have); err != nil {
		if bytes.HasPrefix(head, []byte(`{"schema":"`+ui.SchemaResult+`",`)) {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, errNoResult
	}
	if err := ui.CheckSchema(have.Schema, ui.SchemaResult, errNoResult); err != nil {
		return nil, err
	}
	if have.Target == "" {
		return nil, errNoResult
	}
	return &have, nil
}

// finished reports whether the target need not be asked again. It is asked again if its site wanted
// to be asked later, if it is incomplete, or if it failed for a cause in retry.
func (r *storedResult) finished(retry []string) bool {
	if r.Incomplete {
		return false
	}
	return r.Error == nil || r.Error.Kind != wayfind.KindWord(wayfind.ErrThrottled) && !slices.Contains(retry, r.Error.Kind) && !slices.Contains(retry, r.Error.Code)
}

// Schemas returns the schemas of batch and crawl.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: ui.SchemaResult, By: "`batch`, `crawl results`", About: "One for each line of the list. `site` is the last member.", Value: result{}},
		{Name: "wayfind/crawl/1", By: "`crawl status`", About: "How far a crawl is.", Value: crawlReport{}},
	}
}
