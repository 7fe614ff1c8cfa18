package discover

import "sync"

// eras number the periods of things by name. What began in an earlier period of its
// thing does not count any more.
type eras struct {
	mu     sync.Mutex
	of     map[string]uint64
	others uint64 // of those that are not in of
	last   uint64
}

// maxEras bounds the things whose era is known. Past it all begin a new one: each is
// asked for once more.
const maxEras = 1024

// at returns the present era of a thing.
func (e *eras) at(name string) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if era, ok := e.of[name]; ok {
		return era
	}
	return e.others
}

// next begins an era of a thing.
func (e *eras) next(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.of) >= maxEras {
		clear(e.of)
		e.others = e.last
	}
	if e.of == nil {
		e.of = map[string]uint64{}
	}
	e.last++
	e.of[name] = e.last
}

// nextOfAll begins an era of all things.
func (e *eras) nextOfAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.of)
	e.last++
	e.others = e.last
}
