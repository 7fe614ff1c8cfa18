package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listening is the state of a socket that listens, in /proc/net/tcp.
const listening = "0A"

// portsOfAncestors returns the TCP ports on which a parent of this process, or its parent, listens.
func portsOfAncestors() (ports []int, err error) {
	sockets := map[string]bool{}
	for pid := os.Getppid(); pid > 1; {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if to, err := os.Readlink(file); err == nil && strings.HasPrefix(to, "socket:[") {
				sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
			}
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return nil, err
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name of a program of this suite has no parenthesis
		if pid, err = strconv.Atoi(strings.Fields(rest)[1]); err != nil {
			return nil, err
		}
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // a machine without IPv6
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if len(words) < 10 || words[3] != listening || !sockets[words[9]] {
				continue
			}
			port, err := strconv.ParseInt(words[1][strings.LastIndexByte(words[1], ':')+1:], 16, 32)
			if err != nil {
				return nil, err
			}
			ports = append(ports, int(port))
		}
	}
	return ports, nil
}
