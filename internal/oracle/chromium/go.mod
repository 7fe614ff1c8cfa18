module github.com/wayfindhq/wayfind/internal/oracle/chromium

go 1.26.0

toolchain go1.26.8

replace github.com/wayfindhq/wayfind => ../../..

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.0
	golang.org/x/sys v0.49.0
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
