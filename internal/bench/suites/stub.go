package suites
import "github.com/wayfindhq/wayfind/internal/bench/measure"
func cold(c measure.Config) ([]*measure.Table, error) { return nil, nil }
func documents(c measure.Config) ([]*measure.Table, error) { return nil, nil }
func mem(c measure.Config) ([]*measure.Table, error) { return nil, nil }
func sweep(c measure.Config) ([]*measure.Table, error) { return nil, nil }
func Child([]string) bool { return false }
