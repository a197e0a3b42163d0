package mock

import (
	"encoding/json"
	"strings"
)

// treeDocument finds a document of the full tree: path is what follows
// /signalk/v1/api/, and steps into objects member by member, leaf members
// (value, meta, values) and the value's own members included.
func (s *Server) treeDocument(path string) (any, bool) {
	if path == "self" {
		return s.self, true
	}
	self := strings.TrimPrefix(s.self, "vessels.")
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	if path == "" {
		segments = nil
	}
	if len(segments) > 4 && segments[0] == "vessels" {
		if doc, ok := s.metaDocument(segments, self); ok {
			return doc, true
		}
	}
	if s.opt.Version == version232 && path == "vessels/self/meta" {
		return s.allMeta(), true
	}
	var node any = s.tree()
	for _, segment := range segments {
		if segment == "self" {
			segment = self
		}
		if text, isText := node.(json.RawMessage); isText {
			if members, ok := decodeObject(text); ok {
				node = members
			}
		}
		members, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if node, ok = members[segment]; !ok {
			return nil, false
		}
	}
	return node, true
}

// metaDocument answers .../meta, for groups too, which carry no meta in the tree.
func (s *Server) metaDocument(segments []string, self string) (any, bool) {
	name, path := segments[1], segments[2:]
	if path[len(path)-1] != "meta" {
		return nil, false
	}
	if name == "self" {
		name = self
	}
	at := strings.Join(path[:len(path)-1], ".")
	meta := s.show(at, s.meta("vessels."+name, at))
	return meta, meta != nil
}

// allMeta is own boat's meta, flat by path (2.32.0).
func (s *Server) allMeta() any {
	all := map[string]any{}
	if sub := s.cache.contexts[s.self]; sub != nil {
		for _, path := range sub.order {
			if meta := s.show(path, s.meta(s.self, path)); meta != nil {
				all[path] = meta
			}
		}
	}
	return all
}

// tree is the full data model of what is cached.
func (s *Server) tree() map[string]any {
	root := map[string]any{"self": s.self, "version": "0.1.0", "vessels": map[string]any{}}
	sources := map[string]any{}
	for _, context := range s.cache.order {
		kind, id, _ := strings.Cut(context, ".")
		branch(root, []string{kind})[id] = s.subjectTree(context, sources)
	}
	root["sources"] = sources
	return root
}

// branch steps down from a node, making the nodes that are not there yet.
func branch(node map[string]any, segments []string) map[string]any {
	for _, segment := range segments {
		next, ok := node[segment].(map[string]any)
		if !ok {
			next = map[string]any{}
			node[segment] = next
		}
		node = next
	}
	return node
}

// subjectTree is one vessel's part of the tree. The sources it meets are added
// to sources.
func (s *Server) subjectTree(context string, sources map[string]any) map[string]any {
	sub := s.cache.contexts[context]
	tree := map[string]any{}
	for _, path := range sub.order {
		l := sub.leaves[path]
		for _, r := range l.readings {
			branch(sources, strings.Split(r.source, "."))
		}
		if !inTree(path) {
			continue
		}
		node := branch(tree, strings.Split(path, "."))
		for name, member := range s.leafMembers(context, path, l) {
			node[name] = member
		}
	}
	// Root values are plain members: no timestamp, no source.
	merge(tree, sub.identity)
	return tree
}

// inTree tells what the full tree has: the course itself and resources are only
// in the stream and in the v2 API.
func inTree(path string) bool {
	if strings.HasPrefix(path, "navigation.course.") {
		return strings.HasPrefix(path, calcValuesPrefix)
	}
	return !strings.HasPrefix(path, "resources.")
}

// leafMembers are what a tree has at a path: the last writer's value, and under
// values each source's once a second one has written.
func (s *Server) leafMembers(context, path string, l *leaf) map[string]any {
	now := l.current()
	members := map[string]any{"value": now.Value, "$source": now.source, "timestamp": now.stamp}
	if now.State != nil {
		members["state"] = now.State
	}
	// 2.23.0 has an empty meta where there is none, 2.32.0 leaves it out.
	meta := s.meta(context, path)
	if s.opt.Version == version232 {
		meta = s.show(path, meta)
	}
	if meta != nil {
		members["meta"] = meta
	} else if s.opt.Version == version223 {
		members["meta"] = map[string]any{}
	}
	var origin struct{ PGN, Sentence json.RawMessage }
	if json.Unmarshal(now.origin, &origin) == nil {
		if origin.PGN != nil {
			members["pgn"] = origin.PGN
		}
		if origin.Sentence != nil {
			members["sentence"] = origin.Sentence
		}
	}
	if len(l.readings) > 1 {
		values := map[string]any{}
		for _, r := range l.readings {
			values[r.source] = map[string]any{"value": r.Value, "timestamp": r.stamp}
		}
		members["values"] = values
	}
	return members
}
