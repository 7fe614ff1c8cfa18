// Package requests compares the requests that client/call would send with the requests
// that libraries of npm build for the same operation and the same values: swagger-client,
// @readme/oas-to-har and openapi-client-axios. The operations are those of the published
// descriptions in ../shared/apis and of the corpus. Each difference has a row in
// testdata/differences.tsv, which names the rule of testdata/rules.tsv that decides it.
//
// TestOperationsOfEachShapeAreRight gives the shares of operations that are offered and right, by the shapes
// of their requests (forms, files, nested queries, keys in header fields): operations.mjs lists the operations
// and their arguments, and reads nested fields with qs, the parser of Express.
//
// The libraries are independent in the writing of a request. The values, their places and
// the media type of the body are the ones that wayfind read. Neither credentials nor the
// text of the field Content-Type are compared, and of a file in a form only its name. A
// call that wayfind refuses counts as a wrong request, unless a rule says that it is right.
//
//	npm ci --ignore-scripts --prefix internal/lab/oracle/requests/npm
//	go -C internal/lab/oracle/requests test ./...
package requests
