package gate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// judgeAnswer judges an answer by its header, and when that is well, by how
// its body ends: one that breaks off is no answer.
func (p *Pass) judgeAnswer(resp *http.Response) {
	if p.gate.opts.Judge == nil {
		return
	}
	if c := p.gate.opts.Judge(resp, nil); c != (Cooldown{}) {
		p.cool(c, true)
		return
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		p.reset()
		return
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, pass: *p}
}

// judgeError judges a request that brought no answer. A caller that left, or
// whose time was up, says nothing about the origin.
func (p *Pass) judgeError(err error) {
	if p.gate.opts.Judge == nil || p.ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return
	}
	if c := p.gate.opts.Judge(nil, err); c != (Cooldown{}) {
		p.cool(c, false)
	}
}

// watchedBody judges an answer once, by how reading it ended.
type watchedBody struct {
	io.ReadCloser
	pass Pass
	once sync.Once
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { b.ended(err) })
	}
	return n, err
}

// Close ends the judging: reads of a closed body say nothing.
func (b *watchedBody) Close() error {
	b.once.Do(func() {})
	return b.ReadCloser.Close()
}

func (b *watchedBody) ended(err error) {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.pass.reset()
		return
	}
	b.pass.judgeError(err)
}
