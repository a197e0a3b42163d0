package signalk

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/gorilla/websocket"
)

// refusedError is the server's refusal of our token, or of not having one.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

// explain puts an error of the network into words for the crew. It repeats no
// address, which may hold secrets, but a name that was not found.
func explain(err error) string {
	var (
		dns     *net.DNSError
		errno   syscall.Errno
		cert    *tls.CertificateVerificationError
		names   x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
		refused *refusedError
		closed  *websocket.CloseError
		asked   *url.Error
	)
	switch {
	case errors.As(err, &refused):
		return refused.why
	case errors.As(err, &dns):
		return "the name " + cut(dns.Name, maxName) + " was not found"
	case errors.As(err, &names):
		return "its TLS certificate is not for this address; give the server by a name that the certificate has, or trust any with -insecure"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "by this computer's clock its TLS certificate has expired or is not valid yet; set the clock or renew the certificate, or trust any with -insecure"
	case errors.As(err, &cert):
		return "its TLS certificate is signed by nobody who is trusted; -ca FILE trusts one, -insecure any"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS: try http instead of https"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "no answer in time"
	case errors.As(err, &closed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &asked):
		return asked.Err.Error()
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
