// Package arch holds the rules of this module as tests: the allowed imports,
// the third-party packages of each package of ours, the constructs that no code
// of ours uses, the sizes of files and functions, and the names that need
// documentation.
//
// To add a package, add its row to the table in table_test.go; a format needs
// none. The package has no code besides its tests.
package arch
