package contract_test

import (
	"runtime"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/parse"
)

// asked is a request that is read from a document.
func asked(t *testing.T, in *parse.Input) *contract.Request {
	t.Helper()
	c := new(wayfind.Capability)
	request, err := contract.Of(in).Ask(c, func() error {
		q := contract.Asked(in, c)
		root, err := in.JSON()
		part := q.Part(parse.Node{}, root, "a", func(int) parse.Raw { return parse.Raw(root.Raw()) })
		q.Add("a", "", "query", false, part)
		return err
	}, func(raw parse.Raw) (parse.Raw, bool) { return raw, false })
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// The parts of a document are shared as long as a request uses them. Another answer with
// the same body has its own: it may be for another credential.
func TestPartsAreThoseOfOneAnswer(t *testing.T) {
	in, other := &parse.Input{Body: []byte(`{"type":"string"}`)}, &parse.Input{Body: []byte(`{"type":"string"}`)}
	first := asked(t, in)
	shared := contract.Of(in)
	second := asked(t, in)
	if contract.Of(in) != shared {
		t.Error("a second request of one answer has other parts")
	}
	if contract.Of(other) == shared {
		t.Error("two answers have the same parts")
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(second)
	gone := make(chan bool, 1)
	runtime.AddCleanup(shared, func(gone chan bool) { gone <- true }, gone)
	first, second, shared = nil, nil, nil
	for range 10 {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
			runtime.Gosched()
		}
	}
	runtime.KeepAlive(in)
	t.Error("the parts outlive their requests")
}
