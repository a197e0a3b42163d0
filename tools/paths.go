package tools

import (
	"fmt"
	"slices"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var listPaths = tool{
	name:        "list_paths",
	description: "What sensors we have: paths by group or prefix.",
	arguments:   []string{"prefix", "cursor"},
	answer: func(q query) Result {
		prefix, ours := q.normalPath(q.args["prefix"])
		if !q.Link().Up() && (len(q.Paths("")) == 0 || prefix != "" && q.group(prefix) == nil) {
			return q.unreachable(nil)
		}
		var res Result
		switch {
		case !ours:
			return Result{Display: "That is another vessel; only the sensors of this boat are listed here.", Status: NotFitted}
		case prefix == "":
			res = q.listGroups(q.args["cursor"])
		default:
			res = q.listBelow(prefix, q.args["cursor"])
		}
		if !q.Link().Up() {
			res.Display = sentence(q.linkWords()) + " Remembered: " + res.Display
			res.Status = q.offline()
		}
		return res
	},
}

const (
	pageSize       = 60
	maxPathsText   = 3000 // bytes of a page: about 1,000 tokens
	saidGroups     = 6
	maxDescription = 120 // runes; what follows a sign must not be cut off
)

// groupOf is the first segment of a path.
func groupOf(path string) string {
	group, _, _ := strings.Cut(path, ".")
	return group
}

// listGroups counts the boat's paths by their first segment, a page at a time.
func (q query) listGroups(cursor string) Result {
	counts := map[string]int{}
	var groups []string
	paths := q.Paths("")
	for _, p := range paths {
		if counts[groupOf(p)]++; counts[groupOf(p)] == 1 {
			groups = append(groups, groupOf(p))
		}
	}
	var res Result
	var o object
	var said []string
	first := after(groups, cursor)
	shown := groups[first:min(len(groups), first+pageSize)]
	for i, g := range shown {
		o.num(g, float64(counts[g]))
		if i < saidGroups {
			said = append(said, fmt.Sprintf("%s %d", foreignOr(unCamel(g), "one without a name"), counts[g]))
		}
	}
	res.Display = sentence("this boat reports " + units.Count(len(paths), "value", "values"))
	if len(groups) > 0 {
		if more := len(groups) - first - len(said); more > 0 {
			said = append(said, units.Count(more, "more group", "more groups"))
		}
		res.Display += " " + sentence("groups: "+list(said)+"; ask again with one as prefix for the names")
	}
	res.values.num("count", float64(len(paths)))
	res.values.raw("groups", o.json())
	if last := first + len(shown); last < len(groups) {
		res.values.text("next_cursor", groups[last-1])
	}
	return res
}

// after gives the index of the first of some sorted names behind a cursor, which
// is the last of the page before: so it stands when names come and go.
func after(names []string, cursor string) int {
	if cursor == "" {
		return 0
	}
	i, found := slices.BinarySearch(names, cursor)
	if found {
		i++
	}
	return i
}

// nameOfGroup says a prefix.
func nameOfGroup(prefix string) string {
	return foreignOr(unCamel(strings.ReplaceAll(prefix, ".", " ")), "of that name")
}

// listBelow lists the paths below a prefix, a page at a time.
func (q query) listBelow(prefix, cursor string) Result {
	paths := q.group(prefix)
	what := nameOfGroup(prefix)
	var res Result
	res.values.num("count", float64(len(paths)))
	if len(paths) == 0 {
		res.Display = sentence("this boat reports nothing in the group " + digitless(what))
		res.Status = NotFitted
		if near := q.nearest(prefix); len(near) > 0 {
			res.values.texts("did_you_mean", near)
		}
		res.values.objects("paths", nil)
		return res
	}
	first := after(paths, cursor)
	var rows []object
	size := 0
	for _, p := range paths[first:] {
		m := q.Meta(p)
		var o object
		o.text("path", p)
		if m.Units != "" {
			o.text("units", clean(m.Units))
		}
		if m.Description != "" {
			o.text("description", field(m.Description, maxDescription))
		}
		if size += len(o); len(rows) == pageSize || len(rows) > 0 && size > maxPathsText {
			break
		}
		rows = append(rows, o)
	}
	last := first + len(rows)
	res.Display = sentence(units.Count(len(paths), "value", "values") + " in the group " + what)
	switch {
	case last < len(paths):
		res.Display += " " + sentence(fmt.Sprintf("here are %d of them; ask for more with the cursor, or narrow the prefix", len(rows)))
	case len(paths) <= 5:
		names := make([]string, len(paths))
		for i, p := range paths {
			names[i] = nameOf(p, signalk.Meta{})
		}
		res.Display = sentence(res.Display[:len(res.Display)-1] + ": " + list(names))
	}
	res.values.objects("paths", rows)
	if last < len(paths) {
		res.values.text("next_cursor", paths[last-1])
	}
	return res
}
