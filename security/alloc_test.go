package security

import "runtime"

// allocated is how many bytes a call allocates. What other goroutines allocate
// counts as well, so it is a bound with room and no measurement.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
