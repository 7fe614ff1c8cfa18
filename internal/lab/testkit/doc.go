// Package testkit is for tests. It contains functions that tests of several packages need and
// that are in no other package for tests:
//
//   - limits on the memory and the processor time of work: [BoundAllocs], [BoundGrowth],
//     [WithinCPU];
//   - the number of goroutines that a test may start: [Crowd];
//   - tests that are expected to fail until an issue is resolved: [ExpectedFailure];
//   - programs of the machine, without which a test is skipped: [Program], [RunGo];
//   - real Redis servers: [StartRedis];
//   - any number of domains for the command wayfind, and a measurement of its memory while it
//     asks them: [StartSweep].
package testkit
