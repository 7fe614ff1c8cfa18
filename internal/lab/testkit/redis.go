package testkit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// redisWait is the maximum time to wait for a server, which runs on this machine.
const redisWait = 30 * time.Second

// Redis is a real Redis server on loopback, with its own directory. Its methods access it
// independently of the code under test. It is for one goroutine.
type Redis struct {
	tb   testing.TB
	args []string
	port int
	tls  int       // the port for TLS; 0: no TLS
	cmd  *exec.Cmd // nil: it is not running
	ends chan error
	conn net.Conn
	in   *bufio.Reader
}

// StartRedis starts a server on a free port that stores nothing on disk, and stops it at the
// end of the test. args are options, for example "--maxmemory", "1mb". The test is skipped if
// redis-server is not installed.
func StartRedis(tb testing.TB, args ...string) *Redis {
	tb.Helper()
	program := Program(tb, "redis-server")
	dir, err := os.MkdirTemp("", "redis") // the path of a socket must be short
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Redis{tb: tb, args: append([]string{
		program, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no",
		"--dir", dir, "--unixsocket", filepath.Join(dir, "s"), "--loglevel", "warning",
	}, args...)}
	tb.Cleanup(s.Stop)
	for range 10 { // another process may have taken the port
		s.port = freePort(tb)
		if err = s.run(); err == nil {
			return s
		}
	}
	tb.Fatalf("redis: %v", err)
	return nil
}

// StartRedisTLS is StartRedis for a server that also accepts TLS. certificate and key are PEM
// files. The certificate is also the authority of its clients.
func StartRedisTLS(tb testing.TB, certificate, key string, args ...string) *Redis {
	tb.Helper()
	port := freePort(tb)
	s := StartRedis(tb, append([]string{
		"--tls-port", strconv.Itoa(port), "--tls-cert-file", certificate, "--tls-key-file", key,
		"--tls-ca-cert-file", certificate, "--tls-auth-clients", "no",
	}, args...)...)
	s.tls = port
	return s
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// run starts the process and waits until it responds.
func (s *Redis) run() error {
	var said strings.Builder
	s.cmd = exec.Command(s.args[0], slices.Concat(s.args[1:], []string{"--port", strconv.Itoa(s.port)})...)
	s.cmd.Stdout, s.cmd.Stderr = &said, &said
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ends = make(chan error, 1)
	go func(cmd *exec.Cmd, ends chan<- error) { ends <- cmd.Wait() }(s.cmd, s.ends)
	for deadline := time.Now().Add(redisWait); time.Now().Before(deadline); {
		select {
		case err := <-s.ends:
			s.cmd = nil
			return fmt.Errorf("redis-server: %v: %s", err, said.String())
		case <-time.After(5 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", s.Addr()); err == nil {
			s.conn, s.in = conn, bufio.NewReader(conn)
			if _, err := s.try("PING"); err == nil {
				return nil
			}
			_ = conn.Close()
		}
	}
	return errors.New("redis-server does not answer")
}

// Addr returns host and port.
func (s *Redis) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// URL returns the URL of the server.
func (s *Redis) URL() string { return "redis://" + s.Addr() }

// TLSURL returns the URL of a server of StartRedisTLS.
func (s *Redis) TLSURL() string { return "rediss://127.0.0.1:" + strconv.Itoa(s.tls) }

// Socket returns the path of the server's socket.
func (s *Redis) Socket() string {
	for i, arg := range s.args {
		if arg == "--unixsocket" {
			return s.args[i+1]
		}
	}
	return ""
}

// Stop kills the server. Its data is lost.
func (s *Redis) Stop() {
	if s.cmd == nil {
		return
	}
	if s.conn != nil {
		_ = s.conn.Close()
	}
	_ = s.cmd.Process.Kill()
	<-s.ends
	s.cmd = nil
}

// Restart kills the server and starts an empty one.
func (s *Redis) Restart() {
	s.tb.Helper()
	s.Stop()
	if err := s.run(); err != nil {
		s.tb.Fatalf("redis: %v", err)
	}
}

// Do runs a command and returns the answer: a text, a number, or the lines of an array,
// including nested ones. A null answer is "". An error fails the test.
func (s *Redis) Do(command ...string) string {
	s.tb.Helper()
	answer, err := s.try(command...)
	if err != nil {
		s.tb.Fatalf("redis: %s: %v", command[0], err)
	}
	return answer
}

// Keys returns the keys that match a pattern of KEYS.
func (s *Redis) Keys(pattern string) []string {
	s.tb.Helper()
	return strings.Fields(s.Do("KEYS", pattern))
}

// Commands returns how often each command was run since the last call of ResetCommands, by its
// name in lower case. A script is counted as "evalsha" or "eval", and its commands are counted
// too.
func (s *Redis) Commands() map[string]int {
	s.tb.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(s.Do("INFO", "commandstats")) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if number, _, found := strings.Cut(rest, ","); ok && found {
			counts[name], _ = strconv.Atoi(number)
		}
	}
	return counts
}

// ResetCommands resets the numbers of Commands.
func (s *Redis) ResetCommands() { s.Do("CONFIG", "RESETSTAT") }

// try runs a command.
func (s *Redis) try(command ...string) (string, error) {
	_ = s.conn.SetDeadline(time.Now().Add(redisWait))
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, arg := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if _, err := io.WriteString(s.conn, b.String()); err != nil {
		return "", err
	}
	return s.read()
}

// read reads one answer (RESP2).
func (s *Redis) read() (string, error) {
	line, err := s.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, text := line[0], strings.TrimRight(line[1:], "\r\n")
	switch kind {
	case '+', ':':
		return text, nil
	case '$':
		return s.bulk(text)
	case '*':
		n, err := strconv.Atoi(text)
		var all []string
		for range max(n, 0) {
			var one string
			if one, err = s.read(); err != nil {
				break
			}
			all = append(all, one)
		}
		return strings.Join(all, "\n"), err
	}
	return "", errors.New(text)
}

// bulk reads a text of known length.
func (s *Redis) bulk(length string) (string, error) {
	n, err := strconv.Atoi(length)
	if n < 0 || err != nil {
		return "", err
	}
	b := make([]byte, n+2)
	_, err = io.ReadFull(s.in, b)
	return string(b[:n]), err
}
