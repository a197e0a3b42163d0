package signalk

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"signalk-mcp/mock"
)

// responder answers questions by name, as a boat's server does; what is nil for
// a name is not answered.
func responder(t *testing.T, answer func(dnsmessage.Question) []dnsmessage.Resource) resolver {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, mdnsPacket)
		for {
			n, from, err := conn.ReadFromUDP(buf)
			if err != nil {
				return
			}
			conn.WriteToUDP([]byte("no DNS at all"), from)
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil {
				continue
			}
			m.Response = true
			for _, q := range m.Questions {
				m.Answers = append(m.Answers, answer(q)...)
			}
			if m.Answers == nil {
				continue
			}
			if packet, err := m.Pack(); err == nil {
				conn.WriteToUDP(packet, from)
			}
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	return resolver{group: conn.LocalAddr().(*net.UDPAddr)}
}

func header(name string, kind dnsmessage.Type) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET, TTL: 120}
}

// announced is what a server of 2.23.0 announces (recorded): the same port for
// HTTP and the stream, with the vessel in a text.
func announced(host string) func(dnsmessage.Question) []dnsmessage.Resource {
	return func(q dnsmessage.Question) []dnsmessage.Resource {
		switch name := q.Name.String(); name {
		case "_signalk-http._tcp.local.", "_signalk-ws._tcp.local.":
			instance := "boat." + name
			return []dnsmessage.Resource{
				{Header: header(name, dnsmessage.TypePTR), Body: &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(instance)}},
				{Header: header(instance, dnsmessage.TypeSRV), Body: &dnsmessage.SRVResource{Port: 3000, Target: dnsmessage.MustNewName(host + ".")}},
				{Header: header(instance, dnsmessage.TypeTXT), Body: &dnsmessage.TXTResource{TXT: []string{"txtvers=1", "swname=signalk-server", "swvers=2.23.0", "self=urn:mrn:imo:mmsi:230099999", "vname=Testboat"}}},
				{Header: header(host+".", dnsmessage.TypeA), Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 7}}},
			}
		case host + ".":
			if q.Type == dnsmessage.TypeA {
				return []dnsmessage.Resource{{Header: header(name, dnsmessage.TypeA), Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 7}}}}
			}
			return []dnsmessage.Resource{{Header: header(name, dnsmessage.TypeAAAA), Body: &dnsmessage.AAAAResource{AAAA: [16]byte{0xfe, 0x80, 15: 1}}}}
		}
		return nil
	}
}

func TestBrowse(t *testing.T) {
	t.Parallel()
	r := responder(t, announced("boat.local"))
	found, err := r.browse(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Found{{URL: "http://boat.local:3000", Name: "boat", Vessel: "Testboat", Self: "urn:mrn:imo:mmsi:230099999",
		Version: "2.23.0", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.7")}}}, found, "one server, announced twice")
}

// A responder may name its services first, and say where they are when asked.
func TestBrowseAsksOn(t *testing.T) {
	t.Parallel()
	r := responder(t, func(q dnsmessage.Question) []dnsmessage.Resource {
		switch name := q.Name.String(); {
		case name == "_signalk-https._tcp.local.":
			return []dnsmessage.Resource{{Header: header(name, dnsmessage.TypePTR), Body: &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName("x." + name)}}}
		case q.Type == dnsmessage.TypeSRV:
			return []dnsmessage.Resource{{Header: header(name, dnsmessage.TypeSRV), Body: &dnsmessage.SRVResource{Port: 3443, Target: dnsmessage.MustNewName("x.local.")}}}
		}
		return nil
	})
	found, err := r.browse(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "https://x.local:3443", found[0].URL)
}

func TestLocalNames(t *testing.T) {
	t.Parallel()
	r := responder(t, announced("boat.local"))
	addrs, err := r.addresses(t.Context(), "Boat.local")
	require.NoError(t, err)
	assert.Equal(t, netip.MustParseAddr("192.0.2.7"), addrs[0], "IPv4 first")
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	r := responder(t, func(dnsmessage.Question) []dnsmessage.Resource { return nil })
	begin := time.Now()
	_, err := r.addresses(t.Context(), "no-such-boat.local")
	require.Error(t, err)
	assert.Equal(t, "the name no-such-boat.local was not found", explain(err))
	found, err := r.browse(t.Context())
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.Less(t, time.Since(begin), 2*mdnsWait+time.Second, "both end by themselves")
}

// A name of the local network is dialled by the address that it has there.
func TestDialLocalName(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	r := responder(t, func(q dnsmessage.Question) []dnsmessage.Resource {
		if q.Type == dnsmessage.TypeA {
			return []dnsmessage.Resource{{Header: header(q.Name.String(), dnsmessage.TypeA), Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		}
		return []dnsmessage.Resource{{Header: header(q.Name.String(), dnsmessage.TypeAAAA), Body: &dnsmessage.AAAAResource{AAAA: [16]byte{0xfe, 0x80, 15: 1}}}}
	})
	c, err := NewClient(NewVessel(VesselOptions{}), Options{URL: "http://boat.local"})
	require.NoError(t, err)
	c.mdns = r
	conn, err := c.dialBoat(t.Context(), "tcp", "boat.local:"+port)
	require.NoError(t, err)
	conn.Close()
}

// A host with several networks tells all its addresses: the first may be that of
// a bridge inside it.
func TestDialHostOfManyAddresses(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	c, err := NewClient(NewVessel(VesselOptions{}), Options{URL: "http://boat.local"})
	require.NoError(t, err)
	c.mdns = responder(t, func(q dnsmessage.Question) []dnsmessage.Resource {
		if q.Type != dnsmessage.TypeA {
			return nil
		}
		var list []dnsmessage.Resource
		for last := range byte(2) { // nobody listens at 127.0.0.1
			list = append(list, dnsmessage.Resource{Header: header("boat.local.", dnsmessage.TypeA), Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, last + 1}}})
		}
		return list
	})
	conn, err := c.dialBoat(t.Context(), "tcp", "boat.local:"+port)
	require.NoError(t, err)
	conn.Close()
}

// Without an address the client looks on this machine, and then on the network;
// it says what it took, and how to choose.
func TestLocate(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	here := listener.Addr().String()
	v := NewVessel(VesselOptions{})
	c, err := NewClient(v, Options{})
	require.NoError(t, err)
	c.local = here
	c.mdns = responder(t, announced("boat.local"))
	base, err := c.locate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "http://"+here, base.String())
	listener.Close()
	base, err = c.locate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "http://boat.local:3000", base.String())
	assert.Equal(t, "boat.local:3000", c.server(), "named in what is told of the link")
	c.mdns = responder(t, func(dnsmessage.Question) []dnsmessage.Resource { return nil })
	_, err = c.locate(t.Context())
	assert.ErrorContains(t, err, "-url")
}

// A server that was found is kept: while it restarts, the neighbour's is the only
// one that announces itself, and its depth is not ours.
func TestFoundServerIsKept(t *testing.T) {
	t.Parallel()
	ours := mock.NewServer(mock.Options{})
	here := strings.TrimPrefix(ours.URL, "http://")
	neighbours := mock.NewServer(mock.Options{Self: "urn:mrn:imo:mmsi:230000002"})
	defer neighbours.Close()
	port, err := strconv.ParseUint(neighbours.URL[strings.LastIndexByte(neighbours.URL, ':')+1:], 10, 16)
	require.NoError(t, err)
	v := NewVessel(VesselOptions{})
	c, err := NewClient(v, Options{})
	require.NoError(t, err)
	c.local = here
	c.mdns = responder(t, func(q dnsmessage.Question) []dnsmessage.Resource {
		list := announced("127.0.0.1")(q)
		for _, r := range list {
			if srv, ok := r.Body.(*dnsmessage.SRVResource); ok {
				srv.Port = uint16(port)
			}
		}
		return list
	})
	found, err := c.mdns.browse(t.Context())
	require.NoError(t, err)
	require.Equal(t, neighbours.URL, found[0].URL)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { c.Run(ctx) })
	is := func(state LinkState) func() bool {
		return func() (ok bool) {
			v.Read(func(w View) { ok = w.Link().State == state })
			return ok
		}
	}
	require.Eventually(t, is(Live), 10*time.Second, 5*time.Millisecond)
	ours.Close()
	require.Eventually(t, is(Down), 10*time.Second, 5*time.Millisecond)
	base, err := c.locate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, ours.URL, base.String())
	again, err := mock.Start(mock.Options{Addr: here})
	require.NoError(t, err)
	defer again.Close()
	require.Eventually(t, is(Live), 20*time.Second, 5*time.Millisecond)
	v.Read(func(w View) { assert.NotContains(t, w.Self(), "230000002") })
}

// A question ends with its context.
func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := responder(t, func(dnsmessage.Question) []dnsmessage.Resource { return nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	begin := time.Now()
	_, err := r.browse(ctx)
	require.NoError(t, err)
	assert.Less(t, time.Since(begin), time.Second)
}

func FuzzAnswers(f *testing.F) {
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true}}
	m.Answers = announced("boat.local")(dnsmessage.Question{Name: dnsmessage.MustNewName("_signalk-http._tcp.local.")})
	packet, _ := m.Pack()
	f.Add(packet)
	f.Fuzz(func(t *testing.T, packet []byte) {
		var m dnsmessage.Message
		if m.Unpack(packet) != nil {
			return
		}
		b := newAnnouncements()
		for _, a := range append(m.Answers, m.Additionals...) {
			b.take(a)
		}
		for _, f := range b.servers() {
			_, err := parseAddress(f.URL)
			_ = err // a name that is none is refused there
			require.LessOrEqual(t, len(f.Vessel), maxName)
		}
	})
}
