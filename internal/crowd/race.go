//go:build race

package crowd

const (
	most   = 10
	stride = 10
)
