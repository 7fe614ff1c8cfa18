package suites

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
)

// childFlag is the first argument of a process that a sweep starts. The second argument is its
// kind.
const childFlag = "-child"

// Child does the work of a process that a sweep has started. It returns false in all other
// processes.
func Child(args []string) bool {
	if len(args) < 3 || args[1] != childFlag {
		return false
	}
	do := serve
	if args[2] == "client" {
		do = attack
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	return true
}

// address is the first line of a server's output.
type address struct {
	TLS, Control string
	Root         []byte
}

// counted contains the counts of a server.
type counted struct{ Conns, Requests int64 }

// serve runs the server of a sweep until its standard input ends.
func serve() error {
	cert, root, err := newChain()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var conns, requests atomic.Int64
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			site(w, r)
		}),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				conns.Add(1)
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() { _ = s.ServeTLS(l, "", "") }()
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_ = http.Serve(control, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(counted{conns.Load(), requests.Load()})
		}))
	}()
	if err := json.NewEncoder(os.Stdout).Encode(address{l.Addr().String(), control.Addr().String(), root}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// server is the serving child from the view of its parent.
type server struct {
	address
	input io.Closer
	cmd   *exec.Cmd
}

func startChildServer() (*server, error) {
	cmd := exec.Command(os.Args[0], childFlag, "server")
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{input: input, cmd: cmd}
	return s, json.NewDecoder(output).Decode(&s.address)
}

func (s *server) stop() {
	_ = s.input.Close()
	_ = s.cmd.Wait()
}

// seen returns the counts of the server.
func (s *server) seen() (c counted, err error) {
	resp, err := http.Get("http://" + s.Control)
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	return c, json.NewDecoder(resp.Body).Decode(&c)
}
