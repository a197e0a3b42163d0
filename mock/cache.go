package mock

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Bounds of the cache. What is beyond them is still forwarded, but not kept.
const (
	maxContexts = 2000
	maxPaths    = 20_000 // in all contexts together
	maxSources  = 64     // of one path
)

// cache holds the last value of every context, path and source, and the meta
// that was sent. Everything the server answers comes from here. It has no lock
// of its own: Server.mu guards it.
type cache struct {
	contexts map[string]*subject
	order    []string // contexts as they appeared
	paths    []string // of all contexts, as they appeared; "" once a root value was heard
	known    map[string]bool
	leaves   int
}

// subject is one vessel, aid to navigation or shore station.
type subject struct {
	leaves map[string]*leaf // by path
	order  []string         // paths as they appeared
	// identity are the members of root values (path ""), merged. members has
	// the root values they came in: a server keeps one for each member, and
	// tells a subscriber all of them.
	identity    map[string]any
	members     map[string]*leaf
	memberOrder []string
	meta        map[string]map[string]any // by path, merged
}

// leaf is one path with the last reading of each of its sources.
type leaf struct {
	readings []reading // by source, as they appeared
	last     int       // index of the latest writer
}

// reading is the last value of one path from one source.
type reading struct {
	context string
	origin  json.RawMessage
	source  string
	stamp   string
	at      time.Time // stamp, for sorting
	pathValue
}

func newCache() *cache {
	return &cache{contexts: map[string]*subject{}, known: map[string]bool{}}
}

// delta is the reading as a delta with one value.
func (r reading) delta() delta {
	return delta{r.context, []update{{Origin: r.origin, Source: r.source, Timestamp: r.stamp, Values: []pathValue{r.pathValue}}}}
}

func (l *leaf) current() reading { return l.readings[l.last] }

func (l *leaf) put(r reading) {
	i := slices.IndexFunc(l.readings, func(old reading) bool { return old.source == r.source })
	switch {
	case i >= 0:
		l.readings[i] = r
	case len(l.readings) < maxSources:
		l.readings = append(l.readings, r)
		i = len(l.readings) - 1
	default:
		return
	}
	l.last = i
}

// subject returns the context's data, making it if it is new. nil means that
// the cache is full.
func (c *cache) subject(context string) *subject {
	if s := c.contexts[context]; s != nil {
		return s
	}
	if len(c.order) >= maxContexts {
		return nil
	}
	s := &subject{leaves: map[string]*leaf{}, identity: map[string]any{}, members: map[string]*leaf{}, meta: map[string]map[string]any{}}
	c.contexts[context] = s
	c.order = append(c.order, context)
	return s
}

// store keeps what d says and returns the paths that nothing had been heard of.
func (c *cache) store(d delta) (fresh []string) {
	s := c.subject(d.Context)
	if s == nil {
		return nil
	}
	for _, u := range d.Updates {
		for _, m := range u.Meta {
			s.mergeMeta(m)
			fresh = c.hear(m.Path, fresh)
		}
		for _, v := range u.Values {
			r := reading{d.Context, u.Origin, u.Source, u.Timestamp, parseStamp(u.Timestamp), v}
			fresh = c.hear(v.Path, fresh)
			if v.Path == "" {
				c.storeRoot(s, r)
				continue
			}
			if l := c.leaf(s.leaves, &s.order, v.Path); l != nil {
				l.put(r)
			}
		}
	}
	return fresh
}

func (c *cache) hear(path string, fresh []string) []string {
	if c.known[path] || len(c.paths) >= maxPaths {
		return fresh
	}
	c.known[path] = true
	c.paths = append(c.paths, path)
	return append(fresh, path)
}

func (c *cache) leaf(leaves map[string]*leaf, order *[]string, key string) *leaf {
	if l := leaves[key]; l != nil {
		return l
	}
	if c.leaves >= maxPaths {
		return nil
	}
	c.leaves++
	l := &leaf{}
	leaves[key] = l
	*order = append(*order, key)
	return l
}

func (c *cache) storeRoot(s *subject, r reading) {
	members, ok := decodeObject(r.Value)
	if !ok {
		return
	}
	merge(s.identity, members)
	for _, name := range sortedKeys(members) {
		if l := c.leaf(s.members, &s.memberOrder, name); l != nil {
			l.put(r)
		}
	}
}

// merge puts the members of from into into, object by object.
func merge(into, from map[string]any) {
	for k, v := range from {
		sub, isObject := v.(map[string]any)
		old, wasObject := into[k].(map[string]any)
		if isObject && wasObject {
			merge(old, sub)
		} else {
			into[k] = v
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mergeMeta adds members to a path's meta. A member sent as null goes.
func (s *subject) mergeMeta(m pathValue) {
	members, ok := decodeObject(m.Value)
	if !ok || len(s.meta) >= maxPaths {
		return
	}
	have := s.meta[m.Path]
	if have == nil {
		have = map[string]any{}
		s.meta[m.Path] = have
	}
	for k, v := range members {
		if v == nil {
			delete(have, k)
		} else {
			have[k] = v
		}
	}
}

// current returns the value of a path that was written last. ok is false when
// the path was never heard.
func (c *cache) current(context, path string) (r reading, ok bool) {
	s := c.contexts[context]
	if s == nil || s.leaves[path] == nil {
		return reading{}, false
	}
	return s.leaves[path].current(), true
}

// readings returns the cached readings of the contexts that match, in the order
// a server tells them: by timestamp, with the old ones of other sources among
// them.
func (c *cache) readings(match func(context string) bool, pick func(*subject) []reading) []reading {
	var all []reading
	for _, name := range c.order {
		if match(name) {
			all = append(all, pick(c.contexts[name])...)
		}
	}
	slices.SortStableFunc(all, func(a, b reading) int { return a.at.Compare(b.at) })
	return all
}

// everything is all readings of a subject, root values included.
func (s *subject) everything() []reading {
	all := s.roots()
	for _, path := range s.order {
		all = append(all, s.leaves[path].readings...)
	}
	return all
}

// roots are the subject's root values, one for each member and source.
func (s *subject) roots() []reading {
	var all []reading
	for _, name := range s.memberOrder {
		all = append(all, s.members[name].readings...)
	}
	return all
}

// at returns the readings of one path.
func (s *subject) at(path string) []reading {
	if l := s.leaves[path]; l != nil {
		return l.readings
	}
	return nil
}

// under returns the paths below a prefix that ends in a dot, in order of
// appearance.
func (s *subject) under(prefix string) []string {
	var paths []string
	for _, p := range s.order {
		if strings.HasPrefix(p, prefix) {
			paths = append(paths, p)
		}
	}
	return paths
}
