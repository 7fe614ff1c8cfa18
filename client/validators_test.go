package client_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A 304 with a later Last-Modified, or with the first entity tag, determines the validators of the
// document from then on (RFC 9111 §4.3.4). The media type stays the one of the content.
func TestSourceValidatorsAreTheNewest(t *testing.T) {
	const first, second = "Mon, 02 Nov 1999 10:00:00 GMT", "Wed, 03 Nov 1999 10:00:00 GMT"
	tests := []struct{ name, tag, newTag, newDate string }{
		{"another date", `"v1"`, `"v1"`, second},
		{"the first tag", "", `W/"v1"`, first},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					tag, date, mediaType := tt.tag, first, "application/json"
					unchanged := r.Header.Get("If-Modified-Since") != ""
					if unchanged {
						tag, date, mediaType = tt.newTag, tt.newDate, "text/plain"
					}
					if tag != "" {
						w.Header().Set("ETag", tag)
					}
					w.Header().Set("Last-Modified", date)
					w.Header().Set("Content-Type", mediaType)
					if unchanged {
						w.WriteHeader(http.StatusNotModified)
						return
					}
					fmt.Fprint(w, manifest("shop.example", "/a"))
				}))
				c := newClient(t, internet)
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				if s := site.Sources[0]; s.LastModified != first || s.ETag != tt.tag {
					t.Fatalf("before: %q, %q", s.LastModified, s.ETag)
				}
				time.Sleep(time.Minute)
				if site, err = c.Refresh(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				if s := site.Sources[0]; s.LastModified != tt.newDate || s.ETag != tt.newTag || s.MediaType != "application/json" {
					t.Errorf("after a 304: %q, %q, %q", s.LastModified, s.ETag, s.MediaType)
				}
			})
		})
	}
}
