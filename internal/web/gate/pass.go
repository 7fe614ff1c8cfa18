package gate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// judgeAnswer judges an answer by its header. If the header has no consequence, it judges the
// answer by the end of its body, because a body that breaks off is a failure.
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

// judgeError judges a request without an answer, and returns the error as it was judged. If the
// caller has left, or its time was over, the error has no consequence for the origin.
func (p *Pass) judgeError(err error) error {
	if p.gate.opts.Judge == nil {
		return err
	}
	if p.ctx.Err() != nil || errors.Is(err, context.Canceled) {
		if p.limit == nil || !p.written {
			return err
		}
		late := p.limit.TimeUp(err)
		if late == nil {
			return err
		}
		err = late
	}
	if c := p.gate.opts.Judge(nil, err); c != (Cooldown{}) {
		p.cool(c, false)
	}
	return err
}

// watchedBody judges an answer once, by the way in which reading its body ends.
type watchedBody struct {
	io.ReadCloser
	pass Pass
	once sync.Once
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { err = b.ended(err) })
	}
	return n, err
}

// Close ends the judging: reads of a closed body have no consequence.
func (b *watchedBody) Close() error {
	b.once.Do(func() {})
	return b.ReadCloser.Close()
}

func (b *watchedBody) ended(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.pass.reset()
		return err
	}
	return b.pass.judgeError(err)
}
