package discover

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/resolve"
)

// hidden keeps the secrets in the queries of targets. Everything but a request on a connection has the URL
// without its secret, so no log, record, store or Site can show it. The zero value is ready.
type hidden struct {
	mu    sync.Mutex
	key   []byte            // of the tags; made at the first use
	whole map[string]string // by the URL without its secret
	order []string          // its keys, the oldest first
}

// maxHidden is the maximum number of URLs. A request for an older one is sent without its secret.
const maxHidden = 1024

// Hide returns a target without the secrets of its query. A tag that only this Client can make takes the
// place of a secret. No other program can name the URL, and targets with other secrets stay others.
func (eng *Engine) Hide(t resolve.Target) resolve.Target {
	shown := t.Shown()
	if shown == t || eng.hidden.knows(t.URL()) {
		return t
	}
	shown.Tail = eng.hidden.tagged(shown.Tail, t.URL())
	eng.hidden.keep(shown.URL(), t.URL())
	return shown
}

// HideURL is Hide for a URL in canonical form.
func (eng *Engine) HideURL(u *url.URL) *url.URL {
	query := secret.Message{}.URL("?" + u.RawQuery)
	if u.RawQuery == "" || query == "?"+u.RawQuery || eng.hidden.knows(u.String()) {
		return u
	}
	shown := *u
	shown.RawQuery = eng.hidden.tagged(query, u.String())[1:]
	eng.hidden.keep(shown.String(), u.String())
	return &shown
}

func (h *hidden) knows(shown string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.whole[shown] != ""
}

// tagged adds the tag of a URL to the first mark in its query.
func (h *hidden) tagged(query, whole string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.key == nil {
		h.key = []byte(rand.Text())
	}
	mac := hmac.New(sha256.New, h.key)
	mac.Write([]byte(whole))
	return strings.Replace(query, secret.RecordedMark, secret.RecordedMark+"-"+hex.EncodeToString(mac.Sum(nil)[:8]), 1)
}

// redirected returns the Location of a redirect of a URL without the secrets that the target put into the
// query. A redirect that takes such a secret to another origin is refused.
func (eng *Engine) redirected(u *url.URL, locations []string) ([]string, error) {
	whole, partition := eng.reveal(u)
	if partition == "" || len(locations) != 1 {
		return locations, nil
	}
	to, err := whole.Parse(locations[0])
	if err != nil {
		return locations, nil
	}
	shown := eng.HideURL(to)
	switch {
	case shown == to && !strings.Contains(to.String(), whole.RawQuery):
		return locations, nil
	case to.Scheme == whole.Scheme && strings.EqualFold(to.Host, whole.Host):
		return []string{shown.String()}, nil
	}
	return nil, wayfind.NewError("redirect", u.String(), wayfind.CodeSecret, errors.New("the redirect takes the secret of the query to another origin"))
}

// keep adds a URL.
func (h *hidden) keep(shown, whole string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.whole == nil {
		h.whole = map[string]string{}
	}
	if _, ok := h.whole[shown]; ok {
		return
	}
	if len(h.order) == maxHidden {
		delete(h.whole, h.order[0])
		h.order = h.order[1:]
	}
	h.whole[shown] = whole
	h.order = append(h.order, shown)
}

// reveal returns the URL to send a request to, and the partition of its answers, which belong to those who
// know the secret. For a URL without a secret, it is the same URL, and the partition is empty.
func (eng *Engine) reveal(u *url.URL) (whole *url.URL, partition string) {
	if !strings.Contains(u.RawQuery, secret.RecordedMark) {
		return u, ""
	}
	h := &eng.hidden
	h.mu.Lock()
	text, ok := h.whole[u.String()]
	h.mu.Unlock()
	if !ok {
		return u, ""
	}
	whole, err := url.Parse(text)
	if err != nil {
		return u, ""
	}
	sum := sha256.Sum256([]byte(text))
	return whole, "url " + hex.EncodeToString(sum[:16])
}
