package signalk_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/signalk"
)

// kept is how much memory stays in use for what f fed to a vessel. It measures
// the whole process, so such tests do not run beside others.
func kept(t *testing.T, f func(v *signalk.Vessel)) (megabytes int) {
	t.Helper()
	v, _ := connected(t)
	before := inUse()
	f(v)
	after := inUse()
	runtime.KeepAlive(v)
	return (int(after) - int(before)) >> 20
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What is kept of a long text does not hold on to the rest of it.
func TestLongTextsAreNotKept(t *testing.T) {
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	for name, frame := range map[string]func(i int) string{
		"values":        func(i int) string { return value("s", noon, fmt.Sprintf("a.p%d", i), long) },
		"notifications": func(i int) string { return value("s", noon, fmt.Sprintf("notifications.p%d", i), `{"state":"alarm","message":`+long+`}`) },
		"descriptions":  func(i int) string { return meta(fmt.Sprintf("a.p%d", i), `{"description":`+long+`}`) },
		"zones": func(i int) string {
			return meta(fmt.Sprintf("a.p%d", i), `{"zones":[`+strings.Repeat(`{"upper":1},`, 20_000)+`{}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Less(t, kept(t, func(v *signalk.Vessel) {
				for i := range 10 {
					feed(t, v, frame(i))
				}
			}), 3, "of 10 MB")
		})
	}
}
