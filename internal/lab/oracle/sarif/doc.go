// Package sarif judges the reports of "wayfind lint --format sarif" by the JSON schema of
// SARIF 2.1.0 (errata 01). It is a module of its own, so that importers of wayfind do not
// inherit the modules of this test.
package sarif
