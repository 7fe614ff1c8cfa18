// Command build is one of the processes that share a store in the tests of package
// cache. It does what the lines of its standard input say, and answers each with a line.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// patient is a store that a busy machine does not make late.
type patient struct{ *disk.Store }

func (patient) Budget() time.Duration { return time.Minute }

func open(where string) (cache.ObligationStore, error) {
	if !strings.HasPrefix(where, "redis:") {
		s, err := disk.Open(where, nil)
		return patient{s}, err
	}
	return redis.Open(where, &redis.Options{InsecureUnauthenticated: true, Budget: time.Minute})
}

// origin answers with the name of the build and the number of the request.
type origin struct {
	name string
	n    int
}

// RoundTrip implements http.RoundTripper.
func (o *origin) RoundTrip(req *http.Request) (*http.Response, error) {
	o.n++
	text := fmt.Sprint(o.name, o.n)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Cache-Control": {"max-age=600"}},
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req,
	}, nil
}

func run(name, where string) error {
	store, err := open(where)
	if err != nil {
		return err
	}
	b := &build{store: store, tr: cache.NewTransport(store, &origin{name: name}, nil)}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		answer, err := b.do(lines.Text())
		if err != nil {
			answer = "error: " + err.Error()
		}
		fmt.Println(answer)
	}
	return errors.Join(b.tr.Close(), store.Close())
}

type build struct {
	store cache.ObligationStore
	tr    *cache.Transport
}

func (b *build) do(line string) (string, error) {
	ctx := context.Background()
	until := time.Now().Add(time.Hour)
	command, key, _ := strings.Cut(line, " ")
	switch command {
	case "hold":
		return "held", b.store.Hold(ctx, key, until)
	case "take":
		ok, _, _, err := b.store.Acquire(ctx, key, until)
		return fmt.Sprint(ok), err
	case "purge":
		return "purged", b.tr.Purge(ctx, cache.Everything())
	case "corrupt":
		return fmt.Sprint(b.tr.Stats().Corrupt), nil
	case "churn":
		go func() {
			for {
				_, _ = b.ask(http.MethodGet, "no-cache")
			}
		}()
		return "begun", nil
	}
	return b.ask(command, key)
}

// ask asks for the page and returns the body and where it came from.
func (b *build) ask(method, control string) (string, error) {
	req, err := http.NewRequest(method, "https://a.example/", nil)
	if err != nil {
		return "", err
	}
	if control != "" {
		req.Header.Set("Cache-Control", control)
	}
	resp, err := b.tr.RoundTrip(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	if strings.Contains(resp.Header.Get("Cache-Status"), "; hit") {
		text = append(text, " stored"...)
	}
	return string(text), errors.Join(err, resp.Body.Close())
}
