package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// sample is the answer of a sample site to one of the calls that it describes.
type sample struct {
	// pattern is the method, the host and the path, for http.ServeMux.
	pattern string
	// key is the header field that must have a credential. Any value is accepted. It is empty if no
	// credential is needed.
	key string
	// status is the status of the answer. Zero means 200.
	status int
	// answer returns the answer to a request. body is its body if that is a JSON object.
	answer func(r *http.Request, body map[string]any) any
}

// object is a JSON object.
type object = map[string]any

// samples returns the answers to all calls except MCP calls.
func samples() []sample {
	return []sample{
		{pattern: "POST mailforge.example/api/emails", key: "Authorization", status: http.StatusAccepted, answer: func(_ *http.Request, b map[string]any) any {
			return object{"id": "em_123", "status": "queued", "to": b["to"]}
		}},
		{pattern: "GET mailforge.example/api/campaigns/{campaign}/analytics", key: "Authorization", answer: func(r *http.Request, _ map[string]any) any {
			return object{"campaign": r.PathValue("campaign"), "sent": 1000, "delivered": 990, "opened": 410}
		}},
		{pattern: "GET forecast.example/api/forecast", key: "X-Api-Key", answer: func(r *http.Request, _ map[string]any) any {
			return object{"city": r.FormValue("city"), "days": []any{object{"day": "Monday", "celsius": 21, "sky": "clear"}, object{"day": "Tuesday", "celsius": 17, "sky": "rain"}}}
		}},
		{pattern: "POST forecast.example/api/places/{place}/damage", key: "X-Api-Key", status: http.StatusCreated, answer: func(r *http.Request, _ map[string]any) any {
			return object{"report": 17, "place": r.PathValue("place")}
		}},
		{pattern: "GET bookings.example/api/tables", answer: func(r *http.Request, _ map[string]any) any {
			return object{"city": r.FormValue("city"), "tables": []any{object{"id": "t1", "seats": 2}, object{"id": "t4", "seats": 4}}}
		}},
		{pattern: "POST bookings.example/api/bookings", key: "Authorization", status: http.StatusCreated, answer: func(_ *http.Request, b map[string]any) any {
			return object{"booking_id": "b7", "table_id": b["table_id"]}
		}},
		{pattern: "GET bookings.example/status", answer: func(*http.Request, map[string]any) any { return object{"operational": true} }},
		{pattern: "POST crew.example/actors/v1/{agent}/{key}/messages/{id}", answer: talk},
		{pattern: "POST everything.example/actors/v1/{agent}/{key}/messages/{id}", answer: talk},
		{pattern: "POST translate.example/oauth/token", answer: func(*http.Request, map[string]any) any {
			return object{"access_token": "sample", "token_type": "Bearer", "expires_in": 3600, "scope": "translate"}
		}},
		{pattern: "POST translate.example/a2a", key: "Authorization", answer: func(r *http.Request, b map[string]any) any {
			return object{"jsonrpc": "2.0", "id": b["id"], "result": translated(r, b)}
		}},
		{pattern: "POST translate.example/rest/message:send", key: "Authorization", answer: translated},
		{pattern: "GET tickets.example/api/events", key: "Authorization", answer: func(r *http.Request, _ map[string]any) any {
			return []any{object{"id": "e1", "title": "A concert in " + r.FormValue("city"), "starts": "2026-06-01T19:30:00Z"}}
		}},
		{pattern: "POST tickets.example/api/events/{id}/reservations", key: "Authorization", status: http.StatusCreated, answer: func(r *http.Request, b map[string]any) any {
			return object{"event": r.PathValue("id"), "seats": b["seats"], "reservation": "r9"}
		}},
		{pattern: "GET library.example/api/books", answer: func(r *http.Request, _ map[string]any) any { return object{"books": booksFor(r.FormValue("q"))} }},
		{pattern: "GET library.example/api/members/{id}/loans", answer: func(r *http.Request, _ map[string]any) any {
			return object{"member": r.PathValue("id"), "loans": []any{object{"loan": "l5", "title": "Emma", "due": "2026-03-01"}}}
		}},
		{pattern: "POST ledger.example/rpc", answer: ledger},
		{pattern: "GET signpost.example/api/walks", answer: walks},
		{pattern: "GET workshop.example/api/repairs", key: "Authorization", answer: repairs},
		{pattern: "GET transit.example/api/departures", answer: func(r *http.Request, _ map[string]any) any {
			return object{"stop": r.FormValue("stop"), "departures": []any{object{"line": "4", "to": "Harbour", "in": "3 min"}, object{"line": "11", "to": "Castle", "in": "7 min"}}}
		}},
		{pattern: "GET archive.example/api/records", answer: func(r *http.Request, _ map[string]any) any {
			return object{"records": []any{object{"name": r.FormValue("name"), "year": 1891}}}
		}},
		{pattern: "GET everything.example/api/products", key: "Authorization", answer: func(r *http.Request, _ map[string]any) any {
			return object{"q": r.FormValue("q"), "products": []any{"Green tea", "Black tea"}}
		}},
		{pattern: "POST everything.example/api/orders", key: "Authorization", status: http.StatusCreated, answer: func(_ *http.Request, b map[string]any) any {
			return object{"order": "o3", "product": b["product"]}
		}},
		{pattern: "GET sloppy.example/v1/forecast", key: "X-Api-Key", answer: func(r *http.Request, _ map[string]any) any {
			return object{"place": r.FormValue("place"), "sky": "clear"}
		}},
	}
}

// withSamples returns a handler that answers calls, and passes other requests on to files.
func withSamples(files http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, s := range samples() {
		mux.Handle(s.pattern, s)
		if _, at, ok := strings.Cut(s.pattern, "/actors/"); ok { // a sender of messages first asks whether the path exists
			host, _, _ := strings.Cut(strings.TrimPrefix(s.pattern, "POST "), "/")
			mux.HandleFunc("OPTIONS "+host+"/actors/"+at, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Allow", "OPTIONS, POST") })
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})
}

// ServeHTTP implements http.Handler.
func (s sample) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if s.key != "" && r.Header.Get(s.key) == "" {
		if s.key == "Authorization" {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": "send a key in the header field %s; this sample takes any"}`+"\n", s.key)
		return
	}
	var body map[string]any
	if raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)); err == nil {
		_ = json.Unmarshal(raw, &body) // a value that is not an object has no members
	}
	answer := s.answer(r, body)
	if s.status != 0 {
		w.WriteHeader(s.status)
	}
	_ = json.NewEncoder(w).Encode(answer) // the client may have left
}

// talk returns the answer of an agent of the agent framework.
func talk(r *http.Request, _ map[string]any) any {
	says := "At your service."
	if r.PathValue("agent") == "pirate" {
		says = "Arr, what be ye wanting?"
	}
	return object{"status": "completed", "response": object{"$type": "text", "content": says}}
}

// translated returns the answer of an A2A agent.
func translated(_ *http.Request, _ map[string]any) any {
	return object{"message": object{"messageId": "m1", "role": "ROLE_AGENT", "parts": []any{object{"text": "Guten Tag!"}}}}
}

// repairs answers with the repairs of a customer.
func repairs(r *http.Request, _ map[string]any) any {
	return object{"customer": r.FormValue("customer"), "repairs": []any{object{"id": "r7", "what": "lamp", "state": "ready"}}}
}

// walks answers with the walks between two places.
func walks(r *http.Request, _ map[string]any) any {
	return object{"from": r.FormValue("from"), "to": r.FormValue("to"), "walks": []any{object{"sign": "yellow diamond", "hours": 2.5}}}
}

// ledger answers two methods of JSON-RPC.
func ledger(_ *http.Request, b map[string]any) any {
	switch b["method"] {
	case "balance":
		return object{"jsonrpc": "2.0", "id": b["id"], "result": object{"amount": "12.50", "currency": "EUR"}}
	case "transfer":
		return object{"jsonrpc": "2.0", "id": b["id"], "result": "t42"}
	}
	return object{"jsonrpc": "2.0", "id": b["id"], "error": object{"code": -32601, "message": "Method not found"}}
}

// booksFor returns the books of the sample library whose titles contain a text.
func booksFor(query string) []any {
	found := []any{}
	for _, title := range []string{"Emma", "Middlemarch", "The Odyssey", "Tides and Currents"} {
		if strings.Contains(strings.ToLower(title), strings.ToLower(query)) {
			found = append(found, object{"title": title, "free": true})
		}
	}
	return found
}
