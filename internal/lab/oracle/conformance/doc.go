// Package conformance runs the conformance suite of the Model Context Protocol, which its authors
// publish for npm, against the library: each scenario for clients starts a server under development, and
// the program in client, which uses the public API alone; each scenario for servers asks the command as a
// bridge before the server of the Go SDK. testdata/expected.txt and testdata/server.txt have the scenarios
// with their results, and the reason for each that fails. A scenario that begins to pass or to fail is a
// failure of the test.
//
//	npm ci --ignore-scripts --prefix internal/lab/oracle/conformance/npm
//	WAYFIND_CONFORMANCE=$PWD/internal/lab/oracle/conformance/npm go -C internal/lab/oracle/conformance test ./...
package conformance
