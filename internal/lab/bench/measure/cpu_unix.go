//go:build unix

package measure

import (
	"syscall"
	"time"
)

// ProcessCPU returns the processor time of this process, user and system.
func ProcessCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
