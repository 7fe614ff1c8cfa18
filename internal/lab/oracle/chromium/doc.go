// Package chromium holds tests of the page of "wayfind inspect" in a real browser. The
// tests run in a network namespace of their own, which has a loopback interface and no
// other: whatever asks for another address fails.
package chromium
