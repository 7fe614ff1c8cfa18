//go:build race

package mdscan

// underRace: the detector allocates on its own, and is slow.
const underRace = true
