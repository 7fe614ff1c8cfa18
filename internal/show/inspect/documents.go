package inspect

import (
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// Documents stores the texts of the documents of the newest answer. Its method Add is for
// Options.Lab of a Client. The zero value is empty. It is safe for concurrent use.
type Documents struct {
	mu   sync.Mutex
	now  *client.Recording // of the newest answer
	next *client.Recording // of the answer that is being requested; nil if there is none
}

// Add adds an Exchange to the answer that is being requested, or otherwise to the newest
// answer. Calls and conversations are no documents.
func (d *Documents) Add(x *client.Exchange) {
	if x.Method != "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.next != nil:
		d.next.Add(x)
		return
	case d.now == nil:
		d.now = new(client.Recording)
	}
	d.now.Add(x)
}

// lookup returns the result for a URL, or nil if there is none.
func (d *Documents) lookup(url string) *client.Exchange {
	d.mu.Lock()
	defer d.mu.Unlock()
	return known(d.now, url)
}

func known(r *client.Recording, url string) *client.Exchange {
	if r == nil {
		return nil
	}
	return r.Lookup(url)
}

// begin starts another answer.
func (d *Documents) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = new(client.Recording)
}

// end makes the new texts the texts of an answer. If a document of the answer was not requested
// again, its previous text is kept. If site is nil, there is no answer, and nothing changes.
func (d *Documents) end(site *wayfind.Site) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if site != nil {
		for _, url := range placesOf(site) {
			if x := known(d.now, url); x != nil {
				d.next.Add(x)
			}
		}
		d.now = d.next
	}
	d.next = nil
}

// placesOf returns the URLs of the documents that an answer is from or has diagnostics about.
func placesOf(site *wayfind.Site) (list []string) {
	for n := range site.Sources {
		list = append(list, site.Sources[n].URL, site.Sources[n].FinalURL)
	}
	for n := range site.Diagnostics {
		list = append(list, site.Diagnostics[n].Source)
	}
	return list
}
