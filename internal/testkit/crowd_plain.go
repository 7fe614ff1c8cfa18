//go:build !race

package testkit

import "math"

const (
	most   = math.MaxInt
	stride = 1
)
