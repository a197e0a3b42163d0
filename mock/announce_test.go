package mock

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

func query(t *testing.T, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 77},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	packet, err := m.Pack()
	require.NoError(t, err)
	return packet
}

// records are a packet's records by name and type.
func records(t *testing.T, packet []byte) (dnsmessage.Message, map[string]dnsmessage.Resource) {
	t.Helper()
	var m dnsmessage.Message
	require.NoError(t, m.Unpack(packet))
	found := map[string]dnsmessage.Resource{}
	for _, r := range append(m.Answers, m.Additionals...) {
		found[r.Header.Name.String()+" "+r.Header.Type.String()] = r
	}
	return m, found
}

// As recorded of signalk-server 2.32.0: services, SRV and TXT.
func TestAnnouncement(t *testing.T) {
	t.Parallel()
	certificate, err := NewCertificate()
	require.NoError(t, err)
	for _, c := range []*Certificate{nil, certificate} {
		tls := c != nil
		s := NewServer(Options{TLS: c})
		t.Cleanup(s.Close)
		a := s.announcer()
		service := map[bool]string{false: "_signalk-http._tcp.local.", true: "_signalk-https._tcp.local."}[tls]
		reply, alone := a.answer(query(t, service, dnsmessage.TypePTR), mdnsPort)
		assert.False(t, alone, "everybody hears it")
		m, found := records(t, reply)
		assert.True(t, m.Response && m.Authoritative)
		assert.Zero(t, m.ID)
		instance := a.name + "." + service
		require.Len(t, m.Answers, 1)
		assert.Equal(t, instance, m.Answers[0].Body.(*dnsmessage.PTRResource).PTR.String())
		srv := found[instance+" TypeSRV"]
		require.NotNil(t, srv.Body)
		assert.Equal(t, a.port, srv.Body.(*dnsmessage.SRVResource).Port)
		assert.Equal(t, a.host, srv.Body.(*dnsmessage.SRVResource).Target.String())
		assert.EqualValues(t, 120, srv.Header.TTL)
		txt := found[instance+" TypeTXT"].Body.(*dnsmessage.TXTResource).TXT
		assert.Equal(t, []string{"txtvers=1", "swname=signalk-server", "swvers=2.32.0", "roles=master, main"}, txt[:4])
		assert.Contains(t, txt, "self="+DefaultSelf[len("vessels."):])
		assert.Contains(t, txt, "vmmsi="+ownMMSI)
		assert.Equal(t, [4]byte{127, 0, 0, 1}, found[a.host+" TypeA"].Body.(*dnsmessage.AResource).A, "where it listens")
	}
}

func TestAnnouncementIsAnswered(t *testing.T) {
	t.Parallel()
	s := NewServer(Options{NoVessel: true})
	t.Cleanup(s.Close)
	a := s.announcer()
	for _, packet := range [][]byte{
		nil, []byte("garbage"), query(t, "_ipp._tcp.local.", dnsmessage.TypePTR), query(t, "_signalk-http._tcp.local.", dnsmessage.TypeA),
		a.packet(0, a.all(), mdnsTTL), // another's answer
	} {
		reply, _ := a.answer(packet, mdnsPort)
		assert.Nil(t, reply)
	}
	var err error
	a.conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); a.run() }()
	asker, err := net.DialUDP("udp4", nil, a.conn.LocalAddr().(*net.UDPAddr))
	require.NoError(t, err)
	defer asker.Close()
	_, err = asker.Write(query(t, "_SIGNALK-WS._tcp.local.", dnsmessage.TypePTR))
	require.NoError(t, err)
	require.NoError(t, asker.SetReadDeadline(time.Now().Add(5*time.Second)))
	buf := make([]byte, 9000)
	n, err := asker.Read(buf)
	require.NoError(t, err, "an asker on a port of its own is answered there")
	m, found := records(t, buf[:n])
	assert.EqualValues(t, 77, m.ID)
	assert.Len(t, m.Questions, 1)
	assert.Contains(t, found, a.name+"._signalk-ws._tcp.local. TypeSRV")
	for _, r := range found {
		assert.Equal(t, dnsmessage.ClassINET, r.Header.Class, "no flush bit for who knows no mDNS")
	}
	require.NoError(t, a.conn.Close())
	<-done
}
