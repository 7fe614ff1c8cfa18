//go:build race

package testkit

const (
	most   = 10
	stride = 10
)
