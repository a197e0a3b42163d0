package mock

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
)

// burst is how much of a recording is published at once at the start: the cached
// values that the server told the recorder.
const burst = time.Second

// atOnce is how many frames are published while others wait.
const atOnce = 1000

// player publishes a recording, over and over. Only one goroutine uses it.
type player struct {
	from  io.ReadSeeker
	lines *bufio.Scanner
	first time.Time     // arrival of the hello
	last  time.Duration // arrival of the line before, since the first
	round time.Duration // length of the rounds before
	next  line
	due   time.Duration // of next, since the start of the first round
}

// newPlayer reads a recording's first line, the hello.
func newPlayer(from io.ReadSeeker) (*player, hello, error) {
	p := &player{from: from}
	var h hello
	if err := p.rewind(); err != nil {
		return nil, h, err
	}
	l, err := p.line()
	if err != nil || !isHello(l.Frame) {
		return nil, h, errors.New("replay: the first line is no hello of a server; is this a recording?")
	}
	_ = json.Unmarshal(l.Frame, &h)
	p.first = l.At
	return p, h, p.advance()
}

func (p *player) rewind() error {
	if _, err := p.from.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	p.lines = bufio.NewScanner(p.from)
	p.lines.Buffer(nil, maxRecordedLine)
	p.last = 0
	return nil
}

// line reads the next line that is one; a recorder that was killed may have left
// half a line.
func (p *player) line() (line, error) {
	for p.lines.Scan() {
		var l line
		if json.Unmarshal(p.lines.Bytes(), &l) == nil && !l.At.IsZero() {
			return l, nil
		}
	}
	if err := p.lines.Err(); err != nil {
		return line{}, fmt.Errorf("replay: %w", err)
	}
	return line{}, io.EOF
}

// advance finds the next line, in the next round if this one is over. A round
// lasts a second longer than its lines.
func (p *player) advance() error {
	l, err := p.line()
	if err == io.EOF {
		p.round += p.last + time.Second
		if err = p.rewind(); err == nil {
			l, err = p.line()
		}
	}
	if err != nil {
		return err
	}
	p.last = max(p.last, l.At.Sub(p.first)) // a clock may have been put back
	p.next, p.due = l, p.round+p.last
	return nil
}

// replay publishes until Close what the recording says, at the time it says.
func (s *Server) replay(p *player) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		s.mu.Lock()
		err := s.playUntil(p, s.now().Sub(s.opt.Start), atOnce)
		wait := time.Duration(float64(p.due-s.now().Sub(s.opt.Start)) / s.opt.Speed)
		s.mu.Unlock()
		if err != nil {
			s.opt.Logger.Error("the recording cannot be read on", "error", err)
			return
		}
		timer.Reset(min(max(wait, time.Millisecond), cadence))
		select {
		case <-s.quit:
			return
		case <-timer.C:
		}
	}
}

// playUntil publishes what is due, but not more than so many frames. s.mu is held.
func (s *Server) playUntil(p *player, until time.Duration, frames int) error {
	for n := 0; p.due <= until && n < frames; n++ {
		shift := s.opt.Start.Sub(p.first) + p.round
		if s.opt.OriginalTimes {
			shift = 0
		}
		s.play(p.next.Frame, shift)
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// play sends a frame of another server to whoever subscribed. That server has
// done with it what a server does: numbered the notifications, looked at the
// zones. Meta that it told the recorder alone is kept and told who asks.
func (s *Server) play(frame json.RawMessage, shift time.Duration) {
	if shift != 0 {
		frame = shiftTimes(frame, shift)
	}
	d, err := decodeDelta(frame)
	if err != nil {
		return // no delta
	}
	d.Context = s.contextName(d.Context)
	told := []update{}
	for _, u := range d.Updates {
		if u.Source == "" && u.Values == nil && u.Meta != nil {
			s.cache.store(delta{d.Context, []update{u}})
			continue
		}
		s.complete(&u)
		told = append(told, u)
	}
	if len(told) > 0 || len(d.Updates) == 0 {
		s.emit(delta{d.Context, told})
	}
}

var stampText = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)

// shiftTimes moves every time in a frame, those that are values too: what was
// five minutes old when it was recorded is so when it is replayed.
func shiftTimes(frame json.RawMessage, by time.Duration) json.RawMessage {
	return stampText.ReplaceAllFunc(frame, func(quoted []byte) []byte {
		t := parseStamp(string(quoted[1 : len(quoted)-1]))
		if t.IsZero() {
			return quoted
		}
		return mustEncode(stamp(t.Add(by)))
	})
}
