//go:build race

package client_test

// underRace: the detector breaks down now and then where thousands of goroutines
// come and go at once, so the largest crowds are smaller there.
const underRace = true
