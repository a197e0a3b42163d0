package main

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// lossyLog passes on what is written to a log without ever waiting: some hosts
// start a server and never read its stderr, and a full pipe would stop the link
// and the session with it. What finds no room is dropped, and counted.
type lossyLog struct {
	lines   chan []byte
	dropped atomic.Int64
	quit    chan struct{}
	done    chan struct{}
}

const (
	logRoom  = 256 // lines
	logFlush = 100 * time.Millisecond
)

func newLossyLog(w io.Writer) *lossyLog {
	l := &lossyLog{lines: make(chan []byte, logRoom), quit: make(chan struct{}), done: make(chan struct{})}
	go l.pass(w)
	return l
}

func (l *lossyLog) Write(line []byte) (int, error) {
	select {
	case l.lines <- bytes.Clone(line):
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

// pass writes lines until Close, and then those that wait.
func (l *lossyLog) pass(w io.Writer) {
	defer close(l.done)
	write := func(line []byte) {
		w.Write(line)
		if n := l.dropped.Swap(0); n > 0 {
			fmt.Fprintf(w, "%d lines of the log were dropped: nobody read them in time\n", n)
		}
	}
	for open := true; open; {
		select {
		case line := <-l.lines:
			write(line)
		case <-l.quit:
			open = false
		}
	}
	for len(l.lines) > 0 {
		write(<-l.lines)
	}
}

// Close writes what waits, if it can be written at once.
func (l *lossyLog) Close() {
	close(l.quit)
	select {
	case <-l.done:
	case <-time.After(logFlush):
	}
}
