// Package eras tells whether something began before its subject was forgotten.
package eras

import "sync"

// Eras number the periods of things by name. A result that began in an earlier period of
// its thing does not count any more. The zero value is ready. It is safe for concurrent
// use.
type Eras struct {
	mu     sync.Mutex
	of     map[string]uint64
	others uint64 // of those that are not in of
	last   uint64
}

// maxEras bounds the things whose era is known. Past it all begin a new one: each is
// asked for once more.
const maxEras = 1024

// At returns the present era of a thing.
func (e *Eras) At(name string) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if era, ok := e.of[name]; ok {
		return era
	}
	return e.others
}

// Next begins an era of a thing. It is greater than all before.
func (e *Eras) Next(name string) uint64 {
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
	return e.last
}

// NextOfAll begins an era of all things. It is greater than all before.
func (e *Eras) NextOfAll() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.of)
	e.last++
	e.others = e.last
	return e.last
}
