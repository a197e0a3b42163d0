package signalk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

func notifications(v *signalk.Vessel) (list []signalk.Notification) {
	v.Read(func(w signalk.View) { list = w.Notifications() })
	return list
}

func TestNotificationsAreKeptByPathAndSource(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feedAll(t, v,
		value("a", noon, "notifications.nmea.bilge", `{"state":"alarm","method":["sound"],"message":"Bilge"}`),
		value("b", noon, "notifications.nmea.bilge", `{"state":"normal","method":[]}`),
		value("b", noon, "notifications.fire", `null`),
		value("b", noon, "notifications.odd", `"text"`),
		value("b", noon, "notifications.odder", `{"state":7,"message":{"x":1},"status":"none"}`))
	list := notifications(v)
	require.Len(t, list, 4)
	assert.Equal(t, signalk.Notification{Path: "nmea.bilge", Source: "a", State: "alarm", Message: "Bilge", Since: noon, AgeKnown: true}, list[0])
	assert.Equal(t, "normal", list[1].State)
	assert.Equal(t, signalk.Notification{Path: "odd", Source: "b", State: "text", Since: noon, AgeKnown: true}, list[2], "some senders give the state alone")
	assert.Equal(t, signalk.Notification{Path: "odder", Source: "b", Since: noon, AgeKnown: true}, list[3])
}

// What counts of a notification is kept, however much else it carries.
func TestAHugeNotificationCounts(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v, value("a", noon, "notifications.x", `{"state":"normal"}`),
		value("a", noon.Add(time.Second), "notifications.x", `{"data":"`+strings.Repeat("x", 20<<10)+`","state":"emergency","message":"Fire","status":{"silenced":true,"acknowledged":false}}`))
	n := notifications(v)[0]
	assert.Equal(t, "emergency", n.State)
	assert.Equal(t, "Fire", n.Message)
	assert.True(t, n.Silenced)
}

// An acknowledged alarm that grows to an emergency stays marked as acknowledged
// (signalk-server 2.23, 2.32); nobody has acknowledged the emergency.
func TestAcknowledgedIsOfThatState(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	const marked = `"status":{"acknowledged":true,"silenced":true}`
	for _, s := range []struct {
		value        string
		acknowledged bool
	}{
		{`{"state":"alarm"}`, false},
		{`{"state":"alarm",` + marked + `}`, true},
		{`{"state":"emergency",` + marked + `}`, false},
		{`{"state":"emergency","message":"again",` + marked + `}`, false},
		{`{"state":"emergency"}`, false},
		{`{"state":"emergency",` + marked + `}`, true},
	} {
		feed(t, v, value("a", c.t, "notifications.x", s.value))
		assert.Equal(t, s.acknowledged, notifications(v)[0].Acknowledged, s.value)
		assert.Equal(t, s.acknowledged, notifications(v)[0].Silenced, s.value)
		c.forward(time.Second)
	}
}

// How long an alarm has stood is told by the server's clock; a stamp that cannot
// be right tells nothing, but its arrival does, if it came as news.
func TestSinceWithWrongClocks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stamp time.Time
		news  bool // it comes after the server told all it knew
		since time.Time
		age   time.Duration
		known bool
	}{
		"the server's clock":       {noon.Add(-6*time.Hour - 10*time.Second), true, noon.Add(-6*time.Hour - 10*time.Second), 10 * time.Second, true},
		"a day ahead, from before": {noon.Add(24 * time.Hour), false, time.Time{}, 0, false},
		"a day ahead, news":        {noon.Add(24 * time.Hour), true, time.Time{}, 0, true},
		"1024 weeks back":          {noon.Add(-1024 * 7 * 24 * time.Hour), false, time.Time{}, 0, false},
		"without a stamp":          {time.Time{}, false, time.Time{}, 0, false},
		"without a stamp, news":    {time.Time{}, true, time.Time{}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clock{noon} // six hours ahead of the server's
			v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
			feed(t, v, hello(noon.Add(-6*time.Hour), "a"), value("gps", noon.Add(-6*time.Hour), "navigation.speedOverGround", "1"))
			if tt.news {
				v.Complete()
			}
			feed(t, v, value("a", tt.stamp, "notifications.x", `{"state":"alarm"}`))
			n := notifications(v)[0]
			assert.Equal(t, tt.since, n.Since)
			assert.Equal(t, tt.known, n.AgeKnown)
			if tt.known {
				assert.Equal(t, tt.age, n.Age)
			}
		})
	}
}

// Of many sources on one path, none that holds up an alarm gives way to another.
func TestNoAlarmGivesWay(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	for i := range signalk.MaxSources {
		state := map[bool]string{true: "emergency", false: "normal"}[i < 2]
		feed(t, v, value(fmt.Sprintf("s%02d", i), c.t, "notifications.x", `{"state":"`+state+`"}`))
		c.forward(time.Second)
	}
	for i := range 30 {
		feed(t, v, value(fmt.Sprintf("t%02d", i), c.t, "notifications.x", `{"state":"alarm"}`))
		c.forward(time.Second)
	}
	states := map[string]int{}
	for _, n := range notifications(v) {
		states[n.State]++
	}
	assert.Equal(t, map[string]int{"emergency": 2, "alarm": signalk.MaxSources - 2}, states)
	v.Read(func(w signalk.View) { assert.True(t, w.Crowded(), "more came than there is room for") })
}

// What a radio hears of others in distress stands under their own ids.
func TestDistressOfOthers(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v,
		`{"context":"vessels.urn:mrn:imo:mmsi:211000001","updates":[{"$source":"vhf.CD","timestamp":"2026-07-01T12:00:00Z","values":[{"path":"notifications.sinking","value":{"state":"emergency","message":"DSC"}},{"path":"","value":{"name":"ALBA"}}]}]}`)
	v.Complete()
	v.Read(func(w signalk.View) {
		assert.Empty(t, w.Notifications())
		require.Len(t, w.Distress(), 1)
		n := w.Distress()[0]
		assert.Equal(t, "sinking", n.Path)
		assert.Equal(t, "urn:mrn:imo:mmsi:211000001", n.Vessel)
		assert.Equal(t, "ALBA", n.Name)
	})
}

// Acknowledging or a new text does not restart an alarm; another state does.
func TestSinceIsWhenTheStateBegan(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	for _, s := range []string{
		`{"state":"alarm","message":"A"}`,
		`{"state":"alarm","message":"A","status":{"silenced":true,"acknowledged":true}}`,
		`{"state":"alarm","message":"B","status":{"silenced":true,"acknowledged":true}}`,
	} {
		feed(t, v, value("a", c.t, "notifications.x", s))
		c.forward(time.Minute)
	}
	n := notifications(v)[0]
	assert.Equal(t, noon, n.Since)
	assert.True(t, n.Acknowledged)
	assert.True(t, n.Silenced)
	feed(t, v, value("a", c.t, "notifications.x", `{"state":"emergency"}`))
	assert.Equal(t, noon.Add(3*time.Minute), notifications(v)[0].Since)
}

// What the link's loss leaves is not confirmed, nor is what a restarted server
// does not tell again; after a while it is gone.
func TestNotificationsOverAReconnect(t *testing.T) {
	t.Parallel()
	fire := value("p", noon, "notifications.fire", `{"state":"emergency"}`)
	for name, tt := range map[string]struct {
		hello     string
		told      bool // the new snapshot has the fire
		restarted bool
	}{
		"socket lost, told again":        {hello(noon.Add(time.Minute), "a"), true, false},
		"server restarted":               {hello(noon.Add(time.Minute), "b"), false, true},
		"server restarted, told again":   {hello(noon.Add(time.Minute), "b"), true, true},
		"a server of 2.23 that may have": {hello(noon.Add(time.Minute), ""), false, true},
		"same server, not told any more": {hello(noon.Add(time.Minute), "a"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := connected(t)
			feedAll(t, v, fire)
			assert.False(t, notifications(v)[0].Unconfirmed)
			v.Lost(false, "the server closed the connection")
			assert.True(t, notifications(v)[0].Unconfirmed, "the link is down")

			c.forward(time.Minute)
			feed(t, v, tt.hello)
			assert.True(t, notifications(v)[0].Unconfirmed, "before the snapshot")
			feed(t, v, value("gps", c.t, "navigation.speedOverGround", "1"))
			if tt.told {
				feed(t, v, fire)
			}
			v.Complete()
			assert.Equal(t, !tt.told, notifications(v)[0].Unconfirmed)
			v.Read(func(w signalk.View) { assert.Equal(t, tt.restarted, w.Restarted()) })

			c.forward(61 * time.Second)
			assert.Len(t, notifications(v), map[bool]int{true: 1, false: 0}[tt.told])
		})
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	link := func() (l signalk.Link) {
		v.Read(func(w signalk.View) { l = w.Link() })
		return l
	}
	v.SetServer("boat.local:3000")
	assert.Equal(t, signalk.Connecting, link().State)
	select {
	case <-v.Settled():
		t.Fatal("nothing is known yet")
	default:
	}
	c.forward(time.Second)
	v.Lost(false, "connection refused")
	<-v.Settled() // it is known that nothing can be known
	c.forward(time.Minute)
	v.Lost(false, "no answer in time")
	assert.Equal(t, signalk.Link{State: signalk.Down, Since: noon.Add(time.Second), Server: "boat.local:3000", Reason: "no answer in time"}, link(),
		"down since the first failure")
	v.Lost(true, "the server refuses access")
	assert.Equal(t, signalk.Refused, link().State)
	feed(t, v, hello(c.t, "a"))
	assert.Equal(t, signalk.Waiting, link().State)
	assert.False(t, link().Up(), "a hello is no proof of access")
	feed(t, v, `{"context":"vessels.urn:mrn:imo:mmsi:230011111","updates":[{"values":[{"path":"navigation.speedOverGround","value":4}]}]}`)
	assert.False(t, link().Up(), "another vessel's value is none of ours")
	feed(t, v, value("s", c.t, depth, "3.2"))
	assert.False(t, link().Up(), "there may be more to come: nobody can say yet what is not there")
	v.Complete()
	assert.True(t, link().Up())
	assert.Equal(t, "boat.local:3000", link().Server)
}
