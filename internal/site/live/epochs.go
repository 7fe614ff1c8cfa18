package live

import "sync"

// Epochs number the periods of things by name. A result that began in an earlier period of
// its thing does not count any more. The zero value is ready. It is safe for concurrent
// use.
type Epochs struct {
	mu     sync.Mutex
	of     map[string]uint64
	others uint64 // of those that are not in of
	last   uint64
}

// maxEpochs bounds the things whose epoch is known. Past it all begin a new one: each is
// asked for once more.
const maxEpochs = 1024

// At returns the present epoch of a thing.
func (e *Epochs) At(name string) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if epoch, ok := e.of[name]; ok {
		return epoch
	}
	return e.others
}

// Next begins an epoch of a thing. It is greater than all before.
func (e *Epochs) Next(name string) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.of) >= maxEpochs {
		clear(e.of)
		e.others = e.last
	}
	if e.of == nil {
		e.of = map[string]uint64{}
	}
	e.last++
	e.of[name] = e.last
	return e.last
}

// NextOfAll begins an epoch of all things. It is greater than all before.
func (e *Epochs) NextOfAll() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.of)
	e.last++
	e.others = e.last
	return e.last
}
