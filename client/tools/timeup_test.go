package tools_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A program that loads again after FreshUntil asks a site that never answers ever more seldom, however
// short Options.Timeout is.
func TestASiteThatNeverAnswersIsLoadedEverMoreSeldom(t *testing.T) {
	for place, most := range map[string]int{"": 250, "/llms.txt": 60} { // an empty path is each
		synctest.Test(t, func(t *testing.T) {
			internet := clienttest.New(t)
			internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n"}).Fail(place, clienttest.AtHeaders(clienttest.Stall))
			c := internet.Client(func(o *client.Options) { o.Timeout = 3 * time.Second })
			for end := time.Now().Add(time.Hour); time.Now().Before(end); {
				box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if box.FreshUntil().Before(time.Now()) {
					t.Fatalf("it was fresh until %v before", time.Since(box.FreshUntil()))
				}
				time.Sleep(time.Until(box.FreshUntil()))
			}
			if n := len(internet.Requests()); n > most {
				t.Errorf("%q: %d requests in an hour, want at most %d", place, n, most)
			}
		})
	}
}
