package testkit

import (
	"os"
	"testing"
)

// RunLong is the environment variable that, with the value "1", runs tests at their long form. CI
// sets it. Without it a test runs in a short form that states the same rule. With the value "all",
// the tests that take minutes ([Sizes], [All]) run at their full size: that is the step all of
// .ci/run full.
const RunLong = "WAYFIND_LONG"

// Everything is the other value of [RunLong].
const Everything = "all"

// Long reports whether tests run at their long form: if [RunLong] is "1" or "all", but never with
// -short or under the race detector, which is slow and finds races in a short form as well.
func Long() bool {
	size := os.Getenv(RunLong)
	return !raceDetector && (size == "1" || size == Everything) && !testing.Short()
}

// All reports whether tests leave out nothing: if [Long] and [RunLong] is "all".
func All() bool { return Long() && os.Getenv(RunLong) == Everything }

// Size returns the number of cases, rounds or bytes of a test that has two forms: many if [Long],
// and few otherwise. The rule must be able to fail with few.
func Size(few, many int) int {
	if Long() {
		return many
	}
	return few
}

// Sizes is [Size] for a test whose full size takes minutes: it returns all if [All].
func Sizes(few, many, all int) int {
	if All() {
		return all
	}
	return Size(few, many)
}

// Stride is for tables of many cases. It returns 1 if [Long], and otherwise 10: only every tenth
// case runs.
func Stride() int { return Size(10, 1) }

// Crowd returns the number of goroutines, callers, hosts or cases that a test may start at
// once: n if [Long], and a few otherwise. The race detector fails inside the Go runtime if many
// goroutines of one bubble (testing/synctest) start and end, and finds races among a few
// goroutines as well as among many.
func Crowd(n int) int { return Size(min(n, few), n) }

const few = 10

// Large skips a test under the race detector that measures memory, reads much in one goroutine,
// makes one call after another for hundreds of cases, or starts hundreds of processes. The detector
// takes time and memory itself, one goroutine has no races, and other tests make such calls at the
// same time.
func Large(t testing.TB) {
	t.Helper()
	if raceDetector {
		t.Skip("large: not under the race detector")
	}
}

// RunMeasured is the environment variable that, with the value "1", runs tests that measure a whole
// process on this machine. The steps of .ci/run full set it.
const RunMeasured = "WAYFIND_MEASURE"

// Measured skips a test of the time or the peak memory of a process, which depend on what else the
// machine does, unless [RunMeasured] is "1". Another test states its rule by the live heap after a
// collection, by steps or in virtual time.
func Measured(t testing.TB) {
	t.Helper()
	if os.Getenv(RunMeasured) != "1" {
		t.Skip("a measurement of this machine: only with " + RunMeasured + "=1")
	}
}

// LongOnly skips a test that only makes sense at its full size. Another test states its rule in a
// short form.
func LongOnly(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("only with " + RunLong + "=1")
	}
}
