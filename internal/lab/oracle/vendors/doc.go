// Package vendors reads the output of client/tools with the SDKs of its
// vendors. It is a module of its own, so that importers of wayfind do not
// inherit them. The output also goes through the converters that vendors publish
// for JavaScript, and client/call calls the tools of the MCP project's test server,
// where npm has installed them:
//
//	npm ci --ignore-scripts --prefix internal/lab/oracle/vendors/npm
//	go -C internal/lab/oracle/vendors test ./...
package vendors
