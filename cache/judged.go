package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// judgeAnswer judges an answer by its header, and when that is well, by how
// its body ends: one that breaks off is no answer.
func (g *Gate) judgeAnswer(u *url.URL, resp *http.Response, started time.Duration) {
	if g.opts.Judge == nil {
		return
	}
	if c := g.opts.Judge(resp, nil); c != (Cooldown{}) {
		g.cool(u, c, started)
		return
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		g.reset(u)
		return
	}
	resp.Body = &judgedBody{ReadCloser: resp.Body, gate: g, url: u, started: started}
}

// judgeError judges a request that brought no answer. A caller who left says
// nothing about the origin.
func (g *Gate) judgeError(u *url.URL, err error, started time.Duration) {
	if g.opts.Judge == nil || errors.Is(err, context.Canceled) {
		return
	}
	if c := g.opts.Judge(nil, err); c != (Cooldown{}) {
		g.cool(u, c, started)
	}
}

// judgedBody judges an answer once, by how reading it ended.
type judgedBody struct {
	io.ReadCloser
	gate    *Gate
	url     *url.URL
	started time.Duration
	once    sync.Once
}

func (b *judgedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { b.ended(err) })
	}
	return n, err
}

func (b *judgedBody) ended(err error) {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.gate.reset(b.url)
		return
	}
	b.gate.judgeError(b.url, err, b.started)
}
