package mock

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// Multicast DNS (RFC 6762) and service discovery (RFC 6763), as far as it takes
// to be found.
const (
	mdnsTTL      = 120 // seconds, as 2.32.0 says
	mdnsFlush    = 1 << 15
	mdnsUnicast  = 1 << 15 // of a question: the answer is wanted by the asker alone
	mdnsPort     = 5353
	mdnsServices = "_services._dns-sd._udp.local."
)

var mdnsGroup = &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: mdnsPort}

// announcer answers questions on the local network for a server.
type announcer struct {
	conn *net.UDPConn
	// Names with a final dot.
	host     string   // "boat.local."
	services []string // "_signalk-http._tcp.local."
	name     string   // of the services' instances, "boat"
	port     uint16
	txt      []string
	addrs    func() []net.IP
}

// announce makes the server known on the local network until stop is called.
func (s *Server) announce() (stop func(), err error) {
	conn, err := net.ListenMulticastUDP("udp4", nil, mdnsGroup)
	if err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	a := s.announcer()
	a.conn = conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.run()
	}()
	_, _ = conn.WriteToUDP(a.packet(0, a.all(), mdnsTTL), mdnsGroup)
	return func() {
		_, _ = conn.WriteToUDP(a.packet(0, a.all(), 0), mdnsGroup) // goodbye
		_ = conn.Close()
		<-done
	}, nil
}

func (s *Server) announcer() *announcer {
	host, err := os.Hostname()
	if host, _, _ = strings.Cut(host, "."); err != nil || host == "" {
		host = "signalk-mock"
	}
	listening, port, _ := net.SplitHostPort(s.addr)
	number, _ := strconv.ParseUint(port, 10, 16)
	a := &announcer{host: host + ".local.", name: host, port: uint16(number)}
	a.services = []string{"_http._tcp.local.", "_signalk-http._tcp.local.", "_signalk-ws._tcp.local."}
	if s.opt.TLS != nil {
		a.services = []string{"_https._tcp.local.", "_signalk-https._tcp.local.", "_signalk-wss._tcp.local."}
	}
	self := strings.TrimPrefix(s.self, "vessels.")
	a.txt = []string{"txtvers=1", "swname=signalk-server", "swvers=" + s.opt.Version, "roles=master, main", "self=" + self}
	var name string
	if sub := s.cache.contexts[s.self]; sub != nil {
		name, _ = sub.identity["name"].(string)
	}
	if name != "" {
		a.txt = append(a.txt, "vname="+name[:min(len(name), 200)])
	}
	if mmsi, ok := strings.CutPrefix(self, "urn:mrn:imo:mmsi:"); ok {
		a.txt = append(a.txt, "vmmsi="+mmsi)
	}
	a.addrs = func() []net.IP { return hostAddrs(listening) }
	return a
}

// hostAddrs are the IPv4 addresses where a server can be reached that listens on
// an address.
func hostAddrs(listening string) []net.IP {
	if ip := net.ParseIP(listening); ip != nil && !ip.IsUnspecified() {
		return []net.IP{ip}
	}
	var list []net.IP
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			list = append(list, n.IP)
		}
	}
	return list
}

// run answers until the socket is closed.
func (a *announcer) run() {
	buf := make([]byte, 9000)
	for {
		n, from, err := a.conn.ReadFromUDP(buf)
		if err != nil {
			return
		}
		if reply, alone := a.answer(buf[:n], from.Port); reply != nil {
			to := mdnsGroup
			if alone {
				to = from
			}
			_, _ = a.conn.WriteToUDP(reply, to)
		}
	}
}

// answer makes the answer to a packet, nil if it asks for nothing of ours. An
// asker on another port than mDNS's is answered alone and gets its question back
// (RFC 6762, 6.7).
func (a *announcer) answer(packet []byte, port int) (reply []byte, alone bool) {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || m.Response {
		return nil, false
	}
	var found []dnsmessage.Resource
	legacy := port != mdnsPort
	alone = legacy
	for _, q := range m.Questions {
		alone = alone || q.Class&mdnsUnicast != 0
		for _, r := range a.all() {
			any := q.Type == dnsmessage.TypeALL
			if strings.EqualFold(r.Header.Name.String(), q.Name.String()) && (any || r.Header.Type == q.Type) {
				found = append(found, r)
			}
		}
	}
	if len(found) == 0 {
		return nil, false
	}
	if legacy {
		return a.packet(m.ID, found, 10, m.Questions...), true
	}
	return a.packet(0, found, mdnsTTL), alone
}

// all are the server's records.
func (a *announcer) all() []dnsmessage.Resource {
	var list []dnsmessage.Resource
	add := func(name string, body dnsmessage.ResourceBody, kind dnsmessage.Type) {
		list = append(list, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET},
			Body:   body,
		})
	}
	for _, service := range a.services {
		instance := a.name + "." + service
		add(mdnsServices, &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(service)}, dnsmessage.TypePTR)
		add(service, &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(instance)}, dnsmessage.TypePTR)
		add(instance, &dnsmessage.SRVResource{Port: a.port, Target: dnsmessage.MustNewName(a.host)}, dnsmessage.TypeSRV)
		add(instance, &dnsmessage.TXTResource{TXT: a.txt}, dnsmessage.TypeTXT)
	}
	for _, ip := range a.addrs() {
		if v4 := ip.To4(); v4 != nil {
			add(a.host, &dnsmessage.AResource{A: [4]byte(v4)}, dnsmessage.TypeA)
		}
	}
	return list
}

// packet makes an answer of records. Whoever asks for a service is told all
// there is about it.
func (a *announcer) packet(id uint16, answers []dnsmessage.Resource, ttl uint32, questions ...dnsmessage.Question) []byte {
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: id, Response: true, Authoritative: true}, Questions: questions, Answers: answers}
	if ttl > 0 {
		for _, r := range a.all() {
			if r.Header.Type != dnsmessage.TypePTR {
				m.Additionals = append(m.Additionals, r)
			}
		}
	}
	for _, list := range [][]dnsmessage.Resource{m.Answers, m.Additionals} {
		for i := range list {
			list[i].Header.TTL = ttl
			// What only one may say replaces what was known, but not for an asker
			// who knows no mDNS.
			if list[i].Header.Type != dnsmessage.TypePTR && questions == nil {
				list[i].Header.Class |= mdnsFlush
			}
		}
	}
	text, err := m.Pack()
	if err != nil {
		return nil
	}
	return text
}
