package nats

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// Results that are compressed at the same time, and one after another by the same
// writer, keep their own data.
func TestCompressed(t *testing.T) {
	q := &Queue{}
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			for n := range 50 {
				data := strings.Repeat(fmt.Sprint(worker, " ", n, "\n"), n*n)
				packed, err := q.compressed([]byte(data))
				if err != nil {
					t.Error(err)
					return
				}
				z, err := gzip.NewReader(bytes.NewReader(packed))
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(z); err != nil || string(got) != data {
					t.Errorf("%d bytes of %d, %v", len(got), len(data), err)
				}
			}
		})
	}
	workers.Wait()
}

// A small result costs little more memory than its bytes: a new writer has 800 KiB.
func BenchmarkCompressed(b *testing.B) {
	q, data := &Queue{}, []byte(strings.Repeat(`{"target":"https://shop.example"}`, 60))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.compressed(data); err != nil {
			b.Fatal(err)
		}
	}
}
