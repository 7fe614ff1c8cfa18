package call

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/security"
)

// prepareHTTP writes the arguments into the request that the contract describes.
func prepareHTTP(t *target) (d draft, err error) {
	placed, err := httpcall.Place(t.plan.operation, t.args)
	if err != nil {
		return d, err
	}
	m, err := newMessage(placed.Method, placed.URL, placed.Header)
	if err != nil {
		return d, err
	}
	m.body, m.cookies = placed.Body, cookiesOf(m.origin, m.header["Cookie"])
	delete(m.header, "Cookie")
	if profile := t.profile(); profile != "" {
		m.header[ucpField] = []string{`profile="` + profile + `"`}
	}
	if m.header["Accept"] == nil {
		m.header["Accept"] = t.plan.accept
	}
	d = draft{target: t, message: m, begin: func() nextFunc { return nextHTTP }, unplaced: placed.Unplaced}
	d.key, err = t.keyFor(&d.message)
	return d, err
}

// cookiesOf returns the cookies of parameters. The Client takes them separately from the
// request.
func cookiesOf(origin string, values []string) (list []security.Credential) {
	for _, v := range values {
		for pair := range strings.SplitSeq(v, "; ") {
			name, value, _ := strings.Cut(pair, "=")
			list = append(list, security.Credential{Origin: origin, In: "cookie", Field: name, Value: value})
		}
	}
	return list
}

// nextHTTP sends one request and reads its answer.
func nextHTTP(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return done(nil, err)
	}
	if a == nil {
		q := s.form(s.subject.key.into(s.subject.message))
		if s.caller.opts.Event != nil {
			q.listen = handOn(ctx)
		}
		return q, nil, nil
	}
	res, poll, err := s.take(a)
	if err == nil {
		s.async(res, a, poll)
	}
	return done(res, err)
}

func placeOf(v *wayfind.Invocation) string { return cmp.Or(v.Template, v.URL) }
