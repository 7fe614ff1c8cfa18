// Package testkit is for tests. It has what tests of several packages need and no
// larger kit holds:
//
//   - limits on the memory and the processor time that work takes: [BoundAllocs],
//     [BoundGrowth], [WithinCPU];
//   - the number of goroutines that a test may start: [Crowd];
//   - tests that are expected to fail until an issue mends a fault:
//     [ExpectedFailure];
//   - real Redis servers: [StartRedis];
//   - any number of domains for the command wayfind, and the memory that it takes to
//     ask them: [StartSweep].
package testkit
