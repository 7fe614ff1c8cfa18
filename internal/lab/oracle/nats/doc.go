// Package nats runs the queue of package client/crawl/nats against a real
// nats-server, which listens on loopback.
package nats
