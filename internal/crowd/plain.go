//go:build !race

package crowd

import "math"

const (
	most   = math.MaxInt
	stride = 1
)
