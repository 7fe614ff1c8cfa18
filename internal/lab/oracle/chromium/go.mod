module github.com/wayfindhq/wayfind/internal/lab/oracle/chromium

go 1.26.0

toolchain go1.26.8

replace github.com/wayfindhq/wayfind => ../../../..

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

require (
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/wayfindhq/wayfind v0.0.0
)
