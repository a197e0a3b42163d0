package mock

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

const (
	coursePrefix     = "navigation.course."
	calcValuesPrefix = coursePrefix + "calcValues."
)

// course is the v2 API's course, read from the deltas that announce it.
func (s *Server) course() any {
	arrivalCircle := s.rawValue(coursePrefix + "arrivalCircle")
	if string(arrivalCircle) == "null" {
		arrivalCircle = json.RawMessage("0")
	}
	return struct {
		StartTime         json.RawMessage `json:"startTime"`
		TargetArrivalTime json.RawMessage `json:"targetArrivalTime"`
		ArrivalCircle     json.RawMessage `json:"arrivalCircle"`
		ActiveRoute       json.RawMessage `json:"activeRoute"`
		NextPoint         json.RawMessage `json:"nextPoint"`
		PreviousPoint     json.RawMessage `json:"previousPoint"`
	}{
		s.rawValue(coursePrefix + "startTime"),
		s.rawValue(coursePrefix + "targetArrivalTime"),
		arrivalCircle,
		s.rawValue(coursePrefix + "activeRoute"),
		s.rawValue(coursePrefix + "nextPoint"),
		s.rawValue(coursePrefix + "previousPoint"),
	}
}

// calcValues is what the course provider reckoned last. It goes on after the
// course is cleared.
func (s *Server) calcValues() (any, int) {
	values := map[string]any{}
	if sub := s.cache.contexts[s.self]; sub != nil {
		for _, path := range sub.under(calcValuesPrefix) {
			segments := strings.Split(strings.TrimPrefix(path, calcValuesPrefix), ".")
			last := len(segments) - 1
			branch(values, segments[:last])[segments[last]] = s.rawValue(path)
		}
	}
	if len(values) == 0 {
		return failed(http.StatusBadRequest, "No active destination!"), http.StatusBadRequest
	}
	// The document has the velocity under another name than the delta.
	if vmg, ok := values["velocityMadeGood"]; ok {
		values["velocityMadeGoodToCourse"], values["velocityMadeGood"] = vmg, nil
	}
	return values, http.StatusOK
}

var resourceKinds = []string{"routes", "waypoints", "notes", "regions", "charts"}

func resourceTypes() any {
	types := map[string]any{}
	for _, kind := range resourceKinds {
		types[kind] = map[string]string{"description": "Path containing " + strings.TrimSuffix(kind, "s") + " resources"}
	}
	return types
}

// resources answers a list of one kind, or one of them, read from the
// resources.* deltas. A resource whose value is null has been deleted.
func (s *Server) resources(kind, id string, one bool) (any, int) {
	if !slices.Contains(resourceKinds, kind) {
		return nil, http.StatusNotFound
	}
	found := map[string]any{}
	prefix := "resources." + kind + "."
	if sub := s.cache.contexts[s.self]; sub != nil {
		for _, path := range sub.under(prefix) {
			r := sub.leaves[path].current()
			if members, ok := decodeObject(r.Value); ok {
				members["timestamp"], members["$source"] = r.stamp, r.source
				found[strings.TrimPrefix(path, prefix)] = members
			}
		}
	}
	switch doc, ok := found[id]; {
	case !one:
		return found, http.StatusOK
	case ok:
		return doc, http.StatusOK
	case s.opt.Version == version223:
		return struct{}{}, http.StatusOK
	default:
		return failed(http.StatusNotFound, "Resource not found! ("+id+")"), http.StatusNotFound
	}
}

// notificationEntry is one notification of the v2 API.
type notificationEntry struct {
	Context string          `json:"context"`
	Path    string          `json:"path"`
	Value   json.RawMessage `json:"value"`
}

// notifications are all there are, by id: of every source, cleared ones too.
func (s *Server) notifications() map[string]notificationEntry {
	all := map[string]notificationEntry{}
	for _, context := range s.cache.order {
		sub := s.cache.contexts[context]
		for _, path := range sub.under("notifications.") {
			for _, r := range sub.leaves[path].readings {
				var value struct{ ID string }
				if json.Unmarshal(r.Value, &value) == nil && value.ID != "" {
					all[value.ID] = notificationEntry{context, path, r.Value}
				}
			}
		}
	}
	return all
}

func (s *Server) notification(id string) (any, int) {
	if n, ok := s.notifications()[id]; ok {
		return n, http.StatusOK
	}
	none := failed(http.StatusNotFound, "Resource not found.")
	switch {
	case s.opt.Version == version223:
		return none, http.StatusOK // with the failure inside
	case len(id) != len(formatUUID(0, 0)):
		return failed(http.StatusBadRequest, "Invalid Data supplied."), http.StatusBadRequest
	}
	return none, http.StatusNotFound
}
