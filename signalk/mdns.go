package signalk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// Found is a Signal K server that announces itself on the boat's network.
type Found struct {
	URL     string // "http://boat.local:3000"
	Name    string // of the announcement, such as "boat"; hostile text
	Vessel  string // name of the vessel; hostile text
	Self    string // its id, "urn:mrn:imo:mmsi:230099999"; hostile text
	Version string // of the server; hostile text
	Addrs   []netip.Addr
}

// services are what servers announce, and the scheme of each. The stream's
// announcement names the same port as the other (signalk-server 2.23, 2.32).
var services = map[string]string{
	"_signalk-http._tcp.local.": "http", "_signalk-ws._tcp.local.": "http",
	"_signalk-https._tcp.local.": "https", "_signalk-wss._tcp.local.": "https",
}

const (
	mdnsWait    = 1500 * time.Millisecond // responders wait up to 120 ms, boards longer
	mdnsAgain   = 500 * time.Millisecond  // a question is asked again: UDP is lossy
	maxFound    = 32
	maxAnswers  = 512 // records of one query
	mdnsPacket  = 9000
	localDomain = ".local"
)

// resolver asks the local network by multicast DNS (RFC 6762). Questions go from
// a port of our own, so answers come back to us alone.
type resolver struct {
	// group is where questions are sent. If nil, 224.0.0.251:5353.
	group *net.UDPAddr
}

// ask sends questions out of every interface, and hands each record that comes
// back to take. It ends with the packet for which take returned true, or with the
// time: a host tells all its addresses in one packet.
func (r *resolver) ask(ctx context.Context, questions []dnsmessage.Question, take func(dnsmessage.Resource) (done bool)) error {
	ctx, cancel := context.WithTimeout(ctx, mdnsWait)
	defer cancel()
	packet, err := (&dnsmessage.Message{Questions: questions}).Pack()
	if err != nil {
		return err
	}
	group := r.group
	if group == nil {
		group = &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 5353}
	}
	sockets, err := sockets()
	if err != nil {
		return err
	}
	answers := make(chan []dnsmessage.Resource)
	var readers sync.WaitGroup
	for _, s := range sockets {
		readers.Go(func() { readAnswers(ctx, s, answers) })
		readers.Go(func() { repeat(ctx, s, packet, group) })
	}
	defer func() {
		cancel()
		for _, s := range sockets { // ends the reads
			s.Close()
		}
		readers.Wait()
	}()
	for n := 0; n < maxAnswers; {
		select {
		case <-ctx.Done():
			return nil
		case packet := <-answers:
			done := false
			for _, a := range packet {
				done = take(a) || done
			}
			if done {
				return nil
			}
			n += len(packet)
		}
	}
	return nil
}

// sockets opens one on every address that multicast can leave from: the kernel
// picks the interface by it.
func sockets() ([]*net.UDPConn, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var list []*net.UDPConn
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.To4() == nil {
			continue
		}
		if c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: n.IP}); err == nil {
			list = append(list, c)
		}
	}
	if list == nil {
		return nil, errors.New("no network to ask")
	}
	return list, nil
}

// repeat sends a question until ctx ends.
func repeat(ctx context.Context, s *net.UDPConn, packet []byte, group *net.UDPAddr) {
	t := time.NewTicker(mdnsAgain)
	defer t.Stop()
	for {
		if _, err := s.WriteToUDP(packet, group); err != nil {
			return // an interface without multicast
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// readAnswers reads until the socket is closed. What cannot be parsed is skipped.
func readAnswers(ctx context.Context, s *net.UDPConn, answers chan<- []dnsmessage.Resource) {
	buf := make([]byte, mdnsPacket)
	for {
		n, _, err := s.ReadFromUDP(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || !m.Response {
			continue
		}
		select {
		case answers <- append(m.Answers, m.Additionals...):
		case <-ctx.Done():
			return
		}
	}
}

func question(name string, kind dnsmessage.Type) (dnsmessage.Question, error) {
	n, err := dnsmessage.NewName(name)
	return dnsmessage.Question{Name: n, Type: kind, Class: dnsmessage.ClassINET}, err
}

// addresses finds a host of the local network: IPv4 first, since boats announce
// IPv6 addresses that lead nowhere.
func (r *resolver) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".") + "."
	q4, err4 := question(host, dnsmessage.TypeA)
	q6, err6 := question(host, dnsmessage.TypeAAAA)
	if err := errors.Join(err4, err6); err != nil {
		return nil, err
	}
	var found []netip.Addr
	err := r.ask(ctx, []dnsmessage.Question{q4, q6}, func(a dnsmessage.Resource) bool {
		if ip, ok := address(a); ok && strings.EqualFold(a.Header.Name.String(), host) && !slices.Contains(found, ip) {
			found = append(found, ip)
		}
		return len(found) > 0 && found[0].Is4() || len(found) >= maxFound
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: strings.TrimSuffix(host, "."), IsNotFound: true}
	}
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) })
	return found, nil
}

func address(a dnsmessage.Resource) (netip.Addr, bool) {
	switch b := a.Body.(type) {
	case *dnsmessage.AResource:
		return netip.AddrFrom4(b.A), true
	case *dnsmessage.AAAAResource:
		return netip.AddrFrom16(b.AAAA), true
	}
	return netip.Addr{}, false
}

// browse lists the servers that announce themselves, by URL.
func (r *resolver) browse(ctx context.Context) ([]Found, error) {
	var questions []dnsmessage.Question
	for s := range services {
		q, err := question(s, dnsmessage.TypePTR)
		if err != nil {
			return nil, err
		}
		questions = append(questions, q)
	}
	b := newAnnouncements()
	if err := r.ask(ctx, questions, b.take); err != nil {
		return nil, err
	}
	// A responder may name its services without telling where they are.
	questions = nil
	for _, name := range b.named {
		if b.srv[name] != nil {
			continue
		}
		for _, kind := range []dnsmessage.Type{dnsmessage.TypeSRV, dnsmessage.TypeTXT} {
			if q, err := question(name, kind); err == nil {
				questions = append(questions, q)
			}
		}
	}
	if questions != nil {
		if err := r.ask(ctx, questions, b.take); err != nil {
			return nil, err
		}
	}
	return b.servers(), nil
}

// announcements is what was heard while browsing, in lower-case names.
type announcements struct {
	named []string // services that were named
	srv   map[string]*dnsmessage.SRVResource
	txt   map[string]map[string]string
	addrs map[string][]netip.Addr // by host
}

func newAnnouncements() *announcements {
	return &announcements{srv: map[string]*dnsmessage.SRVResource{}, txt: map[string]map[string]string{}, addrs: map[string][]netip.Addr{}}
}

func (b *announcements) take(a dnsmessage.Resource) (done bool) {
	name := strings.ToLower(a.Header.Name.String())
	switch body := a.Body.(type) {
	case *dnsmessage.PTRResource:
		if n := strings.ToLower(body.PTR.String()); services[name] != "" && len(b.named) < maxFound && !slices.Contains(b.named, n) {
			b.named = append(b.named, n)
		}
	case *dnsmessage.SRVResource:
		if _, scheme := serviceOf(name); scheme != "" && len(b.srv) < maxFound {
			b.srv[name] = body
		}
	case *dnsmessage.TXTResource:
		if len(b.txt) < maxFound {
			b.txt[name] = txt(body.TXT)
		}
	default:
		if ip, ok := address(a); ok && len(b.addrs) < maxFound && len(b.addrs[name]) < maxFound && !slices.Contains(b.addrs[name], ip) {
			b.addrs[name] = append(b.addrs[name], ip)
		}
	}
	return false
}

// servers makes one of all the announcements of a server.
func (b *announcements) servers() []Found {
	byURL := map[string]Found{}
	for name, srv := range b.srv {
		instance, scheme := serviceOf(name)
		host := srv.Target.String()
		u := url.URL{Scheme: scheme, Host: net.JoinHostPort(strings.TrimSuffix(host, "."), strconv.Itoa(int(srv.Port)))}
		t := b.txt[name]
		byURL[u.String()] = Found{
			URL: u.String(), Name: instance, Vessel: t["vname"], Self: t["self"], Version: t["swvers"],
			Addrs: b.addrs[strings.ToLower(host)],
		}
	}
	return slices.SortedFunc(maps.Values(byURL), func(a, b Found) int { return cmp.Compare(a.URL, b.URL) })
}

// serviceOf takes "boat._signalk-http._tcp.local." apart, in lower case; scheme
// is empty for any other service.
func serviceOf(name string) (instance, scheme string) {
	for s, scheme := range services {
		if i, ok := strings.CutSuffix(name, "."+s); ok {
			return i, scheme
		}
	}
	return "", ""
}

func txt(parts []string) map[string]string {
	m := map[string]string{}
	for _, p := range parts {
		if k, v, ok := strings.Cut(p, "="); ok && len(m) < maxFound {
			m[k] = cut(v, maxName)
		}
	}
	return m
}

// Discover lists the Signal K servers that announce themselves on the local
// network, within two seconds. None is no error.
func Discover(ctx context.Context) ([]Found, error) { return (&resolver{}).browse(ctx) }
