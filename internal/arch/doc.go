// Package arch holds the rules of this module as tests: who may import whom,
// which third-party package belongs to which of ours, what no code of ours
// does, how large files and functions may be, and what must be documented.
//
// To add a package, add its row to the table in table_test.go; a format needs
// none. The package has no code besides its tests.
package arch
