//go:build !unix

package measure

import (
	"errors"
	"time"
)

// ProcessCPU returns the processor time of this process, user and system.
func ProcessCPU() (time.Duration, error) {
	return 0, errors.New("measure: processor time is known on Unix only")
}
