package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
)

// shelf contains the tools of the newest answer, and their definitions for vendors.
type shelf struct {
	mu       sync.Mutex // held while tools are loaded and written
	loaded   bool
	of       State
	box      *tools.Box
	rendered map[wanted]*tools.Definitions
}

// wanted selects the definitions for a vendor.
type wanted struct {
	vendor tools.Vendor
	strict bool
	query  string
	tokens int
}

// maxRendered is the maximum number of sets of definitions that are kept.
const maxRendered = 64

var (
	errNotLoaded = errors.New("the tools are not loaded yet")
	errAsking    = errors.New("an answer is on its way")
)

// toolRoutes adds the URLs of the view Tools. Reading contracts sends requests.
func (i *Inspector) toolRoutes(mux *http.ServeMux) {
	mux.Handle("POST /tools/load", answer(func(r *http.Request, _ struct{}) (*Tools, error) { return i.LoadTools(r.Context()) }))
	mux.Handle("GET /tools/vendors", answer(func(r *http.Request, _ struct{}) ([]VendorSum, error) {
		return i.Vendors(r.URL.Query().Get("strict") == "true")
	}))
	mux.Handle("GET /tools/vendor", answer(func(r *http.Request, _ struct{}) (*VendorView, error) {
		w, err := wantedOf(r)
		if err != nil {
			return nil, err
		}
		return i.Vendor(w.vendor, w.strict)
	}))
	mux.Handle("GET /tools/tool", answer(func(r *http.Request, _ struct{}) (*ToolView, error) {
		w, err := wantedOf(r)
		if err != nil {
			return nil, err
		}
		return i.Tool(w.vendor, w.strict, r.URL.Query().Get("name"))
	}))
	mux.Handle("GET /tools/json", answer(func(r *http.Request, _ struct{}) (*Text, error) {
		w, err := wantedOf(r)
		if err != nil {
			return nil, err
		}
		return i.VendorJSON(w.vendor, w.strict)
	}))
	mux.Handle("GET /tools/choice", answer(func(r *http.Request, _ struct{}) (*Choice, error) {
		w, err := wantedOf(r)
		if err != nil {
			return nil, err
		}
		return i.Choose(w.vendor, w.query, w.tokens)
	}))
}

// wantedOf reads the query of a request.
func wantedOf(r *http.Request) (w wanted, err error) {
	q := r.URL.Query()
	w = wanted{strict: q.Get("strict") == "true", query: q.Get("query")}
	if w.vendor, err = tools.ParseVendor(q.Get("for")); err != nil {
		return w, fmt.Errorf("%w: %q is no vendor", errInput, q.Get("for"))
	}
	if most := q.Get("tokens"); most != "" {
		if w.tokens, err = strconv.Atoi(most); err != nil || w.tokens < 0 {
			return w, fmt.Errorf("%w: %q is no number of tokens", errInput, most)
		}
	}
	return w, nil
}

// Tools are the tools of an answer.
type Tools struct {
	// Answer is the number of the answer.
	Answer int       `json:"answer"`
	Tools  []ToolRow `json:"tools"`
	// Missing are the capabilities that are not tools.
	Missing []Missing `json:"missing"`
	// Note is a note for the model in addition to the tools.
	Note string `json:"note,omitempty"`
	// Vendors are the vendors for which tools can be written.
	Vendors []tools.Vendor `json:"vendors"`
}

// ToolRow is a tool in a list.
type ToolRow struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	// Title is the title that the site gives.
	Title string `json:"title,omitempty"`
	// Sort is "tool", "agent", "prompt" or "resource". Tools are in this order.
	Sort     string `json:"sort"`
	Agent    bool   `json:"agent,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}

// Missing is a capability that is not a tool, or a domain without any tools.
type Missing struct {
	tools.Skipped
	// Tool is the tool that replaces it, or empty if there is none.
	Tool string `json:"tool,omitempty"`
}

// LoadTools reads the contracts of the newest answer, once.
func (i *Inspector) LoadTools(ctx context.Context) (*Tools, error) {
	state, _ := i.State()
	if state.Asking {
		return nil, errAsking
	}
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded || s.of != state {
		box, err := tools.Load(i.caller.WithCredentials(ctx), i.Client, []string{i.Target}, nil)
		if err != nil {
			return nil, err
		}
		s.loaded, s.of, s.box, s.rendered = true, state, box, make(map[wanted]*tools.Definitions)
	}
	site, _ := i.Site() // without one, the Box contains the reason
	out := &Tools{Answer: state.Answer, Tools: []ToolRow{}, Missing: NotTools(s.box, site), Note: s.box.Note(), Vendors: tools.Vendors()}
	for _, t := range s.box.Tools() {
		row := ToolRow{Name: t.Name, Key: t.Key, Agent: t.Agent, ReadOnly: t.ReadOnly(), Sort: sortOf(&t)}
		if t.Capability != nil {
			row.Title = t.Capability.Title
		}
		out.Tools = append(out.Tools, row)
	}
	order := []string{"tool", "agent", "prompt", "resource"}
	slices.SortStableFunc(out.Tools, func(a, b ToolRow) int { return slices.Index(order, a.Sort) - slices.Index(order, b.Sort) })
	return out, nil
}

// sortOf returns the sort of a tool in a list for a person.
func sortOf(t *tools.Tool) string {
	switch {
	case t.Agent:
		return "agent"
	case t.Capability == nil:
		return "tool"
	case t.Capability.Kind == wayfind.KindPrompt:
		return "prompt"
	case t.Capability.Kind == wayfind.KindResource:
		return "resource"
	}
	return "tool"
}

// said returns the publisher's text about a tool.
func said(t *tools.Tool) string {
	if t.Agent || t.Capability == nil {
		return t.Service.Description
	}
	return cmp.Or(t.Capability.Description, t.Capability.Title)
}

// NotTools returns the reason for each capability that has no separate tool. site may be nil.
func NotTools(box *tools.Box, site *wayfind.Site) []Missing {
	list := []Missing{}
	told := map[string]bool{}
	for _, s := range box.Skipped() {
		told[s.Key] = true
		list = append(list, Missing{Skipped: s})
	}
	of := map[string]string{} // tools by the IDs of agents
	for _, t := range box.Tools() {
		told[t.Key] = true
		if t.Agent {
			of[t.Service.ID] = t.Name
		}
		for _, key := range t.Aliases {
			told[key] = true
			list = append(list, Missing{tools.Skipped{Domain: t.Domain, Key: key, Code: "same", Reason: "it is the same call as another tool, which stands for both", Asked: true}, t.Name})
		}
	}
	if site == nil {
		return list
	}
	for service, c := range site.Capabilities() {
		m := Missing{Skipped: tools.Skipped{Domain: strings.TrimPrefix(site.Origin, "https://"), Key: c.Key, Asked: true}}
		switch {
		case told[c.Key]:
			continue
		case c.Kind == wayfind.KindStatement:
			m.Code, m.Reason = "statement", "it is a statement, and nothing that can be called"
		case of[service.ID] != "":
			m.Code, m.Reason, m.Tool = "agent", "it is a skill of an agent, which takes messages", of[service.ID]
		default:
			m.Code, m.Reason = "unread", "its contract was not read"
		}
		list = append(list, m)
	}
	return list
}

// render writes the tools for a vendor, once. The lock must be held.
func (s *shelf) render(w wanted) (*tools.Definitions, error) {
	if !s.loaded {
		return nil, errNotLoaded
	}
	if d := s.rendered[w]; d != nil {
		return d, nil
	}
	if len(s.rendered) >= maxRendered {
		clear(s.rendered)
	}
	d := s.box.Render(w.vendor, &tools.RenderOptions{Strict: w.strict, Query: w.query, Tokens: w.tokens})
	s.rendered[w] = d
	return d, nil
}
