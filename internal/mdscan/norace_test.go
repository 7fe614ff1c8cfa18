//go:build !race

package mdscan

// underRace reports whether the race detector is on, which allocates memory and is slow.
const underRace = false
