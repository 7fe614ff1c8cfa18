package inspect

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log"
	"mime"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed page
var pageFiles embed.FS

// shell is the empty page. TARGET and LOG are filled in.
//
//go:embed page/index.html
var shell string

// maxInput is the maximum length of the body of a request of the page, in bytes.
const maxInput = 4 << 20

// Serve serves the page on a loopback address until ctx ends. If port is 0, any port is used.
// ready is called with the address of the page, which contains the token of this launch, and
// with an address for the command line of a browser, which leads to the page once.
func (i *Inspector) Serve(ctx context.Context, port int, ready func(address, once string)) error {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop()
	token, ticket := rand.Text(), rand.Text()
	ask := func(refresh bool) { asking.Go(func() { _ = i.Ask(ctx, refresh) }) }
	server := &http.Server{
		Handler:           withTicket(ticket, token, i.routes(ask), i.OpenedTwice),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	at := func(secret string) string { return fmt.Sprintf("http://%s/%s/", listener.Addr(), secret) }
	ready(at(token), at(ticket))
	select {
	case err = <-done:
		return err
	case <-ctx.Done():
		stop()
		err = server.Close()
		<-done
		return err
	}
}

// routes returns the handler for the URLs of the page, below the token. A GET sends no request
// to a site. ask asks the target, and does not wait for its answer.
func (i *Inspector) routes(ask func(refresh bool)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", i.page)
	mux.HandleFunc("GET /app/{name}", file)
	mux.HandleFunc("GET /events", i.events)
	i.waterfallRoutes(mux)
	if i.Log {
		return mux
	}
	i.siteRoutes(mux)
	i.compareRoutes(mux)
	mux.Handle("POST /ask", answer(func(_ *http.Request, in struct {
		Refresh bool `json:"refresh"`
	}) (State, error) {
		ask(in.Refresh)
		state, _ := i.State()
		return state, nil
	}))
	i.toolRoutes(mux)
	i.callRoutes(mux)
	return mux
}

// page serves the empty page, whose modules request its content.
func (i *Inspector) page(w http.ResponseWriter, _ *http.Request) {
	log := ""
	switch {
	case i.Log && i.Live:
		log = ` data-log="live"`
	case i.Log:
		log = ` data-log=""`
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = strings.NewReplacer("TARGET", html.EscapeString(i.Target), " LOG", log).WriteString(w, shell) // the reader may have left
}

// file serves one of the page's own modules and styles.
func file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := fs.ReadFile(pageFiles, "page/"+name)
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	kind := kinds[path.Ext(name)]
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(content)
}

// failure is the answer to a request that could not be fulfilled.
type failure struct {
	Error string `json:"error"`
}

// errInput is wrapped by errors in a request of the page.
var errInput = errors.New("the request of the page is malformed")

// answer serves a function of a view. For a GET the function itself reads its input from the
// query; for a POST the input is JSON.
func answer[In, Out any](view func(*http.Request, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		if r.Method == http.MethodPost {
			if err := readInput(w, r, &in); err != nil {
				reply(w, http.StatusBadRequest, failure{err.Error()})
				return
			}
		}
		out, err := view(r, in)
		switch {
		case errors.Is(err, errNoAnswer), errors.Is(err, errNotLoaded), errors.Is(err, errAsking), errors.Is(err, errNoWork), errors.Is(err, errReplaced):
			reply(w, http.StatusConflict, failure{err.Error()})
		case errors.Is(err, errInput):
			reply(w, http.StatusBadRequest, failure{err.Error()})
		case err != nil:
			reply(w, http.StatusUnprocessableEntity, failure{err.Error()})
		default:
			reply(w, http.StatusOK, out)
		}
	})
}

func readInput(w http.ResponseWriter, r *http.Request, in any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fmt.Errorf("%w: it is not application/json", errInput)
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxInput))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	return nil
}

func reply(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader may have left
}

// events sends the state and the parts of the work, as they change, as server-sent events. The
// ID of an event is the number of changes that a page has seen. After an interruption the page
// continues from there.
func (i *Inspector) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	seen, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // 0 for the first time
	if _, err := fmt.Fprint(w, "retry: 500\n\n"); err != nil {
		return
	}
	for {
		state, changed := i.State() // first, so that the parts of an answer are there with it
		parts, now, more := i.Watch.Since(seen)
		seen = now
		for _, event := range []struct {
			name  string
			value any
		}{{"parts", parts}, {"state", state}} {
			data, err := json.Marshal(event.value)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", seen, event.name, data); err != nil {
				return
			}
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-changed:
		case <-r.Context().Done():
			return
		}
		// Many changes occur at once; a page needs at most twenty updates per second.
		select {
		case <-time.After(50 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
}
