package redis_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// greeting is the answer of a server to HELLO.
const greeting = "%2\r\n+proto\r\n:3\r\n+version\r\n+7.0.0\r\n"

// stall is the reply that never comes.
const stall = ""

// fakeServer listens on loopback and answers each command but HELLO with what
// reply makes of it. It returns the URL.
func fakeServer(t *testing.T, reply func(command []string) string) string {
	t.Helper()
	return fakeListener(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for {
			command, err := readCommand(in)
			if err != nil {
				return
			}
			answer := greeting
			if command[0] != "HELLO" {
				answer = reply(command)
			}
			if _, err := io.WriteString(conn, answer); err != nil {
				return
			}
		}
	})
}

// fakeListener serves each connection on a goroutine of its own, all of which
// end with the test.
func fakeListener(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			work.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, conn := range conns {
			conn.Close()
		}
		mu.Unlock()
		work.Wait()
	})
	return "redis://" + l.Addr().String()
}

func readCommand(in *bufio.Reader) ([]string, error) {
	n, err := readNumber(in, "*")
	if err != nil {
		return nil, err
	}
	var command []string
	for range n {
		size, err := readNumber(in, "$")
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+2)
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, err
		}
		command = append(command, string(b[:size]))
	}
	return command, nil
}

func readNumber(in *bufio.Reader, kind string) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if !strings.HasPrefix(line, kind) {
		return 0, errors.New("not a command")
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// null is the reply of a text that is missing, and noTexts that of HMGET without any.
const null, noTexts = "_\r\n", "*2\r\n" + null + null

// bulk is a text as a reply.
func bulk(text string) string { return "$" + strconv.Itoa(len(text)) + "\r\n" + text + "\r\n" }
