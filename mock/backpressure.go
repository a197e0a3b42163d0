package mock

import (
	"encoding/json"
	"time"
)

// When a client that does not keep up gets the latest values alone (the
// server's own limits).
const (
	pressureEnter = 512 << 10 // bytes that wait for the client
	pressureExit  = 1 << 10
	overflow      = 2 << 20 // so many, for overflowTime, end the connection
	overflowTime  = 30 * time.Second
)

// pressure holds what a client that is behind has not been told: the latest
// value of each context, path and source.
type pressure struct {
	active bool
	since  time.Time
	latest map[pressureKey]*lateValue
	order  []pressureKey // as they appeared
	over   time.Time     // since when too much waits; zero if it does not
}

type pressureKey struct{ context, path, source string }

type lateValue struct {
	value json.RawMessage
	stamp string
}

// lateDelta is what a client is told when it has caught up.
type lateDelta struct {
	Context string   `json:"context"`
	Updates []update `json:"updates"`
	Mark    struct {
		Accumulated int   `json:"accumulated"`
		Duration    int64 `json:"duration"` // milliseconds
	} `json:"$backpressure"`
}

// tell queues a live delta, or, while the client is behind, keeps its values for
// when it has caught up. Meta is not kept, as with the server.
func (c *client) tell(d delta, frame []byte) {
	c.mu.Lock()
	waiting := c.bytes + int(c.inflight.Load())
	p := &c.pressure
	if p.active || waiting > pressureEnter {
		if !p.active {
			p.active, p.since, p.latest = true, time.Now(), map[pressureKey]*lateValue{}
		}
		p.keep(d)
		frame = nil
	}
	cut := p.tooMuch(waiting) && !c.frozen
	c.mu.Unlock()
	switch {
	case cut:
		c.leave()
	case frame != nil:
		c.push(frame)
	}
}

// keep puts a delta's values in the place of older ones.
func (p *pressure) keep(d delta) {
	for _, u := range d.Updates {
		for _, v := range u.Values {
			key := pressureKey{d.Context, v.Path, u.Source}
			if p.latest[key] == nil {
				if len(p.order) >= maxPaths {
					continue
				}
				p.order = append(p.order, key)
			}
			p.latest[key] = &lateValue{v.Value, u.Timestamp}
		}
	}
}

// tooMuch tells whether a client has been far behind for too long.
func (p *pressure) tooMuch(waiting int) bool {
	switch now := time.Now(); {
	case waiting <= overflow:
		p.over = time.Time{}
	case p.over.IsZero():
		p.over = now
	default:
		return now.Sub(p.over) > overflowTime
	}
	return false
}

// caughtUp queues what was kept back, if the client has read what it was sent.
func (c *client) caughtUp(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pressure.active || c.bytes+int(c.inflight.Load()) > pressureExit {
		return
	}
	for _, d := range c.pressure.flush(version) {
		c.enqueue(mustEncode(d)) // the queue is all but empty
		c.poke()
	}
}

// flush empties the store: a delta for each context, and in it an update for
// each source. Of 2.32.0 values of different times have updates of their own, of
// 2.23.0 a source's values have its latest time.
func (p *pressure) flush(version string) []lateDelta {
	type group struct{ context, source, stamp string }
	contexts, updates := map[string]int{}, map[group]int{}
	var late []lateDelta
	for _, key := range p.order {
		v := p.latest[key]
		i, has := contexts[key.context]
		if !has {
			i = len(late)
			contexts[key.context] = i
			d := lateDelta{Context: key.context}
			d.Mark.Accumulated, d.Mark.Duration = len(p.order), time.Since(p.since).Milliseconds()
			late = append(late, d)
		}
		d := &late[i]
		g := group{key.context, key.source, ""}
		if version == version232 {
			g.stamp = v.stamp
		}
		j, has := updates[g]
		if !has {
			j = len(d.Updates)
			updates[g] = j
			d.Updates = append(d.Updates, update{Source: key.source, Timestamp: v.stamp})
		}
		u := &d.Updates[j]
		u.Timestamp = max(u.Timestamp, v.stamp)
		u.Values = append(u.Values, pathValue{Path: key.path, Value: v.value})
	}
	p.active, p.latest, p.order = false, nil, nil
	return late
}
