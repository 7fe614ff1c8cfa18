package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/resolve"
)

// hidden keeps the secrets in the queries of targets. Everything but a request on a connection has the URL
// without its secret, so no log, record, store or Site can show it. The zero value is ready.
type hidden struct {
	mu    sync.Mutex
	whole map[string]string // by the URL without its secret
	order []string          // its keys, the oldest first
}

// maxHidden is the maximum number of URLs. A request for an older one is sent without its secret.
const maxHidden = 1024

// Hide returns a target without the secrets of its query. Targets with other secrets stay others.
func (eng *Engine) Hide(t resolve.Target) resolve.Target {
	shown := t.Shown()
	if shown == t {
		return t
	}
	whole := t.URL()
	h := &eng.hidden
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := 1; ; n++ {
		if t.Tail = shown.Tail; n > 1 {
			t.Tail += "-" + strconv.Itoa(n)
		}
		if known, ok := h.whole[t.URL()]; !ok || known == whole {
			h.keep(t.URL(), whole)
			return t
		}
	}
}

// keep adds a URL, while mu is held.
func (h *hidden) keep(shown, whole string) {
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
