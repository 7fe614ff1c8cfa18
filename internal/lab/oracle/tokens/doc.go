// Package tokens compares the estimate of client/tools with a tokenizer. It is a
// module of its own, so that importers of wayfind do not inherit its vocabulary.
//
//	go -C internal/lab/oracle/tokens test ./...
package tokens
