package cache

import (
	"testing"
	"time"
)

func BenchmarkDecide(b *testing.B) {
	e := entry(200, header("Cache-Control", "max-age=3600", "Date", at(0)), 0, Options{}, nil)
	var d demands
	now, mono := t0().Add(time.Minute), time.Minute
	b.ReportAllocs()
	for b.Loop() {
		d = parseRequest(nil, nil)
		if e.decide(&d, e.age(now, mono), false) != useFresh {
			b.Fatal("not fresh")
		}
	}
}
